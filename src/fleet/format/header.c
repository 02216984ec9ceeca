#include "fleet/format/header.h"

#include <string.h>

static bool is_header(const char *line, size_t n, const char *name, const char **value, size_t *value_n)
{
    size_t k = strlen(name);

    if (n <= k || line[k] != ':')
        return false;
    for (size_t i = 0; i < k; i++)
        if ((line[i] | 0x20) != name[i])
            return false;
    for (k++; k < n && (line[k] == ' ' || line[k] == '\t');)
        k++;
    while (n > k && (line[n - 1] == '\r' || line[n - 1] == '\n' || line[n - 1] == ' '))
        n--;
    *value = line + k;
    *value_n = n - k;
    return true;
}

static void append_value(char *out, size_t room, const char *value, size_t n, const char *between)
{
    size_t at = strlen(out), gap = at ? strlen(between) : 0;

    if (at + gap + n + 1 > room || memchr(value, '\0', n))
        return;
    memcpy(out + at, between, gap);
    memcpy(out + at + gap, value, n);
    out[at + gap + n] = '\0';
}

/* At most nine digits, else 0. */
static unsigned status_number(const char *text, size_t n)
{
    unsigned value = 0;

    for (size_t i = 0; i < n; i++) {
        if (n > 9 || text[i] < '0' || text[i] > '9')
            return 0;
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value;
}

/* "HTTP/1.1 404 Not Found" */
static long status_of(const char *line, size_t n)
{
    const char *blank = memchr(line, ' ', n);

    return blank && line + n - blank >= 4 ? (long)status_number(blank + 1, 3) : 0;
}

void jw_http_header(struct jw_http_answer *out, const char *line, size_t n)
{
    const char *value;
    size_t value_n;

    if (n > 9 && memcmp(line, "HTTP/", 5) == 0) { /* the response after 100 Continue */
        *out = (struct jw_http_answer){ 0 };
        out->status = status_of(line, n);
    } else if (is_header(line, n, "location", &value, &value_n)) {
        out->location[0] = '\0';
        append_value(out->location, sizeof out->location, value, value_n, "");
    } else if (is_header(line, n, "www-authenticate", &value, &value_n))
        append_value(out->challenge, sizeof out->challenge, value, value_n, ", ");
    else if (is_header(line, n, "retry-after", &value, &value_n))
        out->retry_after = status_number(value, value_n);
}
