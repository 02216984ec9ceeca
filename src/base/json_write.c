#include "base/json_write.h"

#include "base/compiler.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void jw_json_begin(struct jw_json *j, struct jw_buf *out, bool pretty)
{
    *j = (struct jw_json){ .out = out, .pretty = pretty };
    j->first[0] = true;
}

static void new_line(struct jw_json *j)
{
    if (!j->pretty)
        return;
    jw_buf_text(j->out, "\n");
    for (unsigned i = 0; i < j->depth; i++)
        jw_buf_text(j->out, "  ");
}

/* Length of the valid UTF-8 character at `p` that needs no escape beyond ASCII; 0 when the bytes are bad. */
static size_t utf8_length(const uint8_t *p)
{
    for (size_t n = 2; n <= 4; n++) {
        if ((p[n - 1] & 0xc0) != 0x80)
            return 0;
        if (jw_utf8_valid((struct jw_bytes){ p, n }))
            return n;
    }
    return 0;
}

static void put_escaped(struct jw_json *j, uint8_t c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", named[] = "\"\\bfnrt";
    const char *at = strchr(plain, c);
    char text[8];

    if (c && at)
        (void)snprintf(text, sizeof text, "\\%c", named[at - plain]);
    else
        (void)snprintf(text, sizeof text, "\\u%04x", c);
    jw_buf_text(j->out, text);
}

static void put_quoted(struct jw_json *j, const char *text)
{
    const uint8_t *p = (const uint8_t *)text;

    jw_buf_text(j->out, "\"");
    while (*p) {
        const uint8_t *run = p;

        while (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
            p++;
        jw_buf_add(j->out, run, (size_t)(p - run));
        if (!*p)
            break;
        size_t n = *p < 0x80 ? 0 : utf8_length(p);

        if (*p < 0x80)
            put_escaped(j, *p);
        else if (n == 0)
            jw_buf_text(j->out, "\xef\xbf\xbd");
        else if (n == 2 && p[0] == 0xc2 && p[1] < 0xa0) /* C1 controls */
            put_escaped(j, p[1]);
        else
            jw_buf_add(j->out, p, n);
        p += n ? n : 1;
    }
    jw_buf_text(j->out, "\"");
}

/* Everything before a value: comma, line, key. */
static void lead(struct jw_json *j, const char *key)
{
    if (!j->first[j->depth])
        jw_buf_text(j->out, ",");
    j->first[j->depth] = false;
    if (j->depth)
        new_line(j);
    if (key) {
        put_quoted(j, key);
        jw_buf_text(j->out, j->pretty ? ": " : ":");
    }
}

static void put_value(struct jw_json *j, const char *key, const char *text)
{
    lead(j, key);
    jw_buf_text(j->out, text);
}

static void open_level(struct jw_json *j, const char *key, bool is_array)
{
    put_value(j, key, is_array ? "[" : "{");
    if (j->depth + 1 < JW_COUNT(j->first))
        j->depth++;
    else
        j->out->bad = true;
    j->first[j->depth] = true;
    j->is_array[j->depth] = is_array;
}

void jw_json_object(struct jw_json *j, const char *key)
{
    open_level(j, key, false);
}

void jw_json_array(struct jw_json *j, const char *key)
{
    open_level(j, key, true);
}

void jw_json_close(struct jw_json *j)
{
    bool empty = j->first[j->depth], is_array = j->is_array[j->depth];

    j->depth -= j->depth > 0;
    if (!empty)
        new_line(j);
    jw_buf_text(j->out, is_array ? "]" : "}");
}

bool jw_json_end(struct jw_json *j, struct jw_err *err)
{
    jw_buf_text(j->out, "\n");
    return jw_buf_ok(j->out, err) || jw_wrap(err, "json");
}

void jw_json_text(struct jw_json *j, const char *key, const char *value)
{
    if (!value)
        jw_json_null(j, key);
    else {
        lead(j, key);
        put_quoted(j, value);
    }
}

void jw_json_number(struct jw_json *j, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_value(j, key, text);
}

/* By integers, because printf writes the decimal point of the program's locale. JSON has no NaN: null. */
void jw_json_real(struct jw_json *j, const char *key, double value)
{
    double size = fabs(value);
    char text[340];

    if (!(size <= DBL_MAX)) { /* NaN too */
        jw_json_null(j, key);
        return;
    }
    if (size < 1e15) {
        unsigned long long scaled = (unsigned long long)(size * 1000 + 0.5);

        (void)snprintf(text, sizeof text, "%s%llu.%03llu", value < 0 && scaled ? "-" : "", scaled / 1000,
                       scaled % 1000);
    } else {
        (void)snprintf(text, sizeof text, "%.0f", value);
    }
    put_value(j, key, text);
}

void jw_json_bool(struct jw_json *j, const char *key, bool value)
{
    put_value(j, key, value ? "true" : "false");
}

void jw_json_null(struct jw_json *j, const char *key)
{
    put_value(j, key, "null");
}
