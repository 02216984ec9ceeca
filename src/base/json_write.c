#include "base/json_write.h"

#include "base/compiler.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void flush_output(struct jw_json *j)
{
    if (!j->failed && j->n && !j->sink.put(j->sink.ctx, j->out, j->n, j->err))
        j->failed = true;
    j->n = 0;
}

static void put_bytes(struct jw_json *j, const void *p, size_t n)
{
    const uint8_t *from = p;

    while (n && !j->failed) {
        size_t part = sizeof j->out - j->n;

        if (part > n)
            part = n;
        memcpy(j->out + j->n, from, part);
        j->n += part;
        from += part;
        n -= part;
        if (j->n == sizeof j->out)
            flush_output(j);
    }
}

static void put_word(struct jw_json *j, const char *text)
{
    put_bytes(j, text, strlen(text));
}

static void refuse_call(struct jw_json *j, enum jw_code code, const char *why)
{
    if (!j->failed)
        j->failed = !jw_fail(j->err, code, "json: %s", why);
}

void jw_json_begin(struct jw_json *j, struct jw_sink sink, bool pretty, struct jw_err *err)
{
    *j = (struct jw_json){ .sink = sink, .err = err, .pretty = pretty };
    j->first[0] = true;
}

static void new_line(struct jw_json *j)
{
    if (!j->pretty)
        return;
    put_word(j, "\n");
    for (unsigned i = 0; i < j->depth; i++)
        put_word(j, "  ");
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
    put_word(j, text);
}

static void put_quoted(struct jw_json *j, const char *text)
{
    const uint8_t *p = (const uint8_t *)text;

    put_word(j, "\"");
    while (*p) {
        const uint8_t *run = p;

        while (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
            p++;
        put_bytes(j, run, (size_t)(p - run));
        if (!*p)
            break;
        size_t n = *p < 0x80 ? 0 : utf8_length(p);

        if (*p < 0x80)
            put_escaped(j, *p);
        else if (n == 0)
            put_word(j, "\xef\xbf\xbd");
        else if (n == 2 && p[0] == 0xc2 && p[1] < 0xa0) /* C1 controls */
            put_escaped(j, p[1]);
        else
            put_bytes(j, p, n);
        p += n ? n : 1;
    }
    put_word(j, "\"");
}

/* Everything before a value: comma, line, key. False when the value may not be written. */
static bool lead(struct jw_json *j, const char *key)
{
    bool in_object = j->depth && !j->is_array[j->depth];

    if (j->failed)
        return false;
    if ((key != NULL) != in_object)
        refuse_call(j, JW_E_USAGE, in_object ? "a field without a key" : "a key outside of an object");
    else if (!j->depth && !j->first[0])
        refuse_call(j, JW_E_USAGE, "a second value at the top");
    if (j->failed)
        return false;
    if (!j->first[j->depth])
        put_word(j, ",");
    j->first[j->depth] = false;
    if (j->depth)
        new_line(j);
    if (key) {
        put_quoted(j, key);
        put_word(j, j->pretty ? ": " : ":");
    }
    return !j->failed;
}

static void open_level(struct jw_json *j, const char *key, bool is_array)
{
    if (!lead(j, key))
        return;
    if (j->depth + 1 >= JW_COUNT(j->first)) {
        refuse_call(j, JW_E_LIMIT, "nested too deep");
        return;
    }
    put_word(j, is_array ? "[" : "{");
    j->depth++;
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
    if (j->failed)
        return;
    if (!j->depth) {
        refuse_call(j, JW_E_USAGE, "nothing is open");
        return;
    }
    bool empty = j->first[j->depth], is_array = j->is_array[j->depth];

    j->depth--;
    if (!empty)
        new_line(j);
    put_word(j, is_array ? "]" : "}");
}

bool jw_json_end(struct jw_json *j)
{
    if (j->depth)
        refuse_call(j, JW_E_USAGE, "ended with something open");
    put_word(j, "\n");
    flush_output(j);
    return !j->failed;
}

void jw_json_text(struct jw_json *j, const char *key, const char *value)
{
    if (!value)
        jw_json_null(j, key);
    else if (lead(j, key))
        put_quoted(j, value);
}

void jw_json_number(struct jw_json *j, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    if (lead(j, key))
        put_word(j, text);
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
    if (lead(j, key))
        put_word(j, text);
}

void jw_json_bool(struct jw_json *j, const char *key, bool value)
{
    if (lead(j, key))
        put_word(j, value ? "true" : "false");
}

void jw_json_null(struct jw_json *j, const char *key)
{
    if (lead(j, key))
        put_word(j, "null");
}

void jw_json_maybe(struct jw_json *j, const char *key, bool known, uint64_t value)
{
    if (known)
        jw_json_number(j, key, value);
    else
        jw_json_null(j, key);
}
