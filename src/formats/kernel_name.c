#include "formats/kernel_name.h"

#include "base/limits.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum { MAX_COLUMNS = 48, MAX_NESTED = 64 };

struct part {
    const char *at;
    size_t n; /* 0: none */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "5relu6": a length and so many characters. False: the text has another form, and `*at` stays. */
static bool take_counted(const char **at, struct part *out)
{
    const char *p = *at;
    size_t n = 0;

    while (is_digit(*p) && n < JW_MAX_LINE)
        n = n * 10 + (size_t)(*p++ - '0');
    if (!n || strnlen(p, n) < n)
        return false;
    *out = (struct part){ p, n };
    *at = p + n;
    return true;
}

/* S_, S1A_, T_, T0_ and the two letters of std. */
static void skip_again(const char **at)
{
    const char *p = *at + 1;

    if (**at == 'S' && islower((unsigned char)*p)) {
        *at = p + 1;
        return;
    }
    while (is_digit(*p) || (*p >= 'A' && *p <= 'Z'))
        p++;
    *at = *p == '_' ? p + 1 : p;
}

/* "Li256E", "Lb1E", "LN2at4EnumE3E": behind the type stands a number, which is no length. */
static void skip_literal_number(const char **at)
{
    while (**at && **at != 'E')
        (*at)++;
    *at += **at == 'E';
}

static bool skip_arguments(const char **at, unsigned depth);

static bool skip_one(const char **at, unsigned depth)
{
    struct part ignored;

    if (!**at || depth > MAX_NESTED)
        return false;
    if (is_digit(**at))
        return take_counted(at, &ignored);
    switch (**at) {
    case 'S':
    case 'T': skip_again(at); return true;
    case 'I':
    case 'N':
    case 'J':
    case 'F': ++*at; return skip_arguments(at, depth + 1);
    case 'L':
        ++*at;
        if (!skip_one(at, depth + 1))
            return false;
        skip_literal_number(at);
        return true;
    case 'X': return false; /* an expression: the text before it is enough */
    default: ++*at; return true;
    }
}

/* Up to and with the E that ends what was opened. */
static bool skip_arguments(const char **at, unsigned depth)
{
    while (**at != 'E')
        if (!skip_one(at, depth))
            return false;
    ++*at;
    return true;
}

/* The last name of a nested one, the only one of a plain one. */
static struct part itanium(const char *at)
{
    bool nested = *at == 'N';
    struct part last = { NULL, 0 };

    at += nested;
    while (*at && *at != 'E') {
        if (*at == 'L' || *at == 'K' || *at == 'V' || *at == 'r') { /* static, const, volatile */
            at++;
        } else if (is_digit(*at)) {
            if (!take_counted(&at, &last) || !nested)
                break;
        } else if (*at == 'S') {
            skip_again(&at);
        } else if (*at == 'I') {
            at++;
            if (!skip_arguments(&at, 0))
                break;
        } else if (*at == 'B') { /* an ABI tag */
            struct part tag;

            at++;
            if (!take_counted(&at, &tag))
                break;
        } else {
            break;
        }
    }
    return last;
}

/* "?scale@@YAXPEAMM@Z", "??$scale@M@ns@@YAXPEAM@Z" */
static struct part msvc(const char *at)
{
    at += strncmp(at, "?$", 2) == 0 ? 2 : 0;
    return (struct part){ at, isalpha((unsigned char)*at) || *at == '_' ? strcspn(at, "@") : 0 };
}

void jw_kernel_plain(struct jw_buf *out, const char *name)
{
    struct part part = { NULL, 0 };
    struct jw_buf plain = JW_BUF(JW_MAX_LINE);
    size_t width;

    if (strncmp(name, "_Z", 2) == 0)
        part = itanium(name + 2);
    else if (name[0] == '?')
        part = msvc(name + 1);
    if (!part.n)
        part = (struct part){ name, strnlen(name, JW_MAX_LINE / 8) };
    struct jw_buf raw = JW_BUF(JW_MAX_LINE);

    jw_buf_add(&raw, part.at, part.n);
    jw_text_clean(&plain, jw_buf_cstr(&raw));
    width = jw_text_width(jw_buf_cstr(&plain));
    jw_text_fit(out, jw_buf_cstr(&plain), width < MAX_COLUMNS ? width : MAX_COLUMNS);
    jw_buf_free(&raw);
    jw_buf_free(&plain);
}
