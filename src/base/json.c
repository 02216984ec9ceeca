#include "base/json.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what is read ---- */

/* At least as many as there are: a comma in a text counts, too. */
static size_t count_values(struct jw_bytes text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == ',' || text.p[i] == '[' || text.p[i] == '{';
    return n;
}

bool jw_json_parse(cJSON **root, struct jw_bytes text, struct jw_err *err)
{
    const char *behind;
    char *copy;

    *root = NULL;
    if (text.n > JW_MAX_JSON)
        return jw_fail(err, JW_E_LIMIT, "json: longer than %zu bytes", JW_MAX_JSON);
    if (!jw_utf8_valid(text))
        return jw_fail(err, JW_E_FORMAT, "json: not UTF-8");
    if (count_values(text) > JW_MAX_JSON_VALUES)
        return jw_fail(err, JW_E_LIMIT, "json: more than %zu values", JW_MAX_JSON_VALUES);
    /* cJSON before 1.7.18 may look at the byte behind a text that is cut off. */
    copy = jw_alloc(text.n + 1);
    if (text.n)
        memcpy(copy, text.p, text.n);
    behind = copy;
    *root = cJSON_ParseWithLengthOpts(copy, text.n, &behind, 0);
    size_t at = (size_t)(behind - copy);

    while (*root && behind < copy + text.n && jw_text_blank((uint8_t)*behind))
        behind++;
    bool whole = *root && behind == copy + text.n;

    jw_free(copy);
    if (whole)
        return true;
    cJSON_Delete(*root);
    *root = NULL;
    return jw_fail(err, JW_E_FORMAT, "json: damaged at byte %zu", at);
}

const cJSON *jw_json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *jw_json_get_text(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(jw_json_get(object, key));
}

/* ---- what is written ---- */

static bool is_plain(uint8_t c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* Writes one code point that is not plain; returns how many bytes it has. */
static size_t escape(struct jw_buf *out, struct jw_bytes left)
{
    static const char points[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    uint32_t point = 0;
    size_t n = jw_utf8_decode(left, false, &point);
    const char *at = point < 0x80 ? strchr(points, (int)point) : NULL;

    if (!n || (point >= 0x7f && point < 0xa0))
        jw_buf_text(out, "\xef\xbf\xbd");
    else if (n > 1)
        jw_buf_add(out, left.p, n);
    else
        jw_buf_printf(out, at ? "\\%c" : "\\u%04x", at ? (unsigned)letters[at - points] : point);
    return n + !n;
}

static void put_text(struct jw_buf *out, const char *text)
{
    struct jw_bytes left = { (const uint8_t *)text, strlen(text) };

    jw_buf_text(out, "\"");
    while (left.n) {
        size_t n = 0;

        while (n < left.n && is_plain(left.p[n]))
            n++;
        jw_buf_add(out, left.p, n);
        n = n ? n : escape(out, left);
        left = (struct jw_bytes){ left.p + n, left.n - n };
    }
    jw_buf_text(out, "\"");
}

static void new_line(struct jw_json *j)
{
    if (j->pretty) {
        jw_buf_text(j->out, "\n");
        jw_buf_fill(j->out, ' ', 2 * (size_t)j->depth);
    }
}

static void begin_value(struct jw_json *j, const char *key)
{
    if (j->filled)
        jw_buf_text(j->out, j->pretty && !key ? ", " : ",");
    if (key) {
        new_line(j);
        put_text(j->out, key);
        jw_buf_text(j->out, j->pretty ? ": " : ":");
    }
    j->filled = true;
}

static void open_level(struct jw_json *j, const char *key, const char *first, char last)
{
    begin_value(j, key);
    jw_buf_text(j->out, first);
    j->filled = false;
    if (j->depth < JW_COUNT(j->ends))
        j->ends[j->depth++] = last;
    else
        j->out->bad = true;
}

void jw_json_object(struct jw_json *j, const char *key)
{
    open_level(j, key, "{", '}');
}

void jw_json_array(struct jw_json *j, const char *key)
{
    open_level(j, key, "[", ']');
}

void jw_json_close(struct jw_json *j)
{
    char end = j->ends[--j->depth];

    if (j->filled && end == '}')
        new_line(j);
    jw_buf_add(j->out, &end, 1);
    jw_buf_text(j->out, j->depth ? "" : "\n");
    j->filled = true;
}

void jw_json_text(struct jw_json *j, const char *key, const char *value)
{
    begin_value(j, key);
    if (value)
        put_text(j->out, value);
    else
        jw_buf_text(j->out, "null");
}

void jw_json_number(struct jw_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    jw_buf_printf(j->out, "%llu", (unsigned long long)value);
}

void jw_json_real(struct jw_json *j, const char *key, double value)
{
    bool small = value >= 0 && value < 1e12;

    begin_value(j, key);
    if (fabs(value) <= DBL_MAX)
        jw_buf_printf(j->out, "%.15g", small ? (double)(uint64_t)(value * 1000 + .5) / 1000 : value);
    else
        jw_buf_text(j->out, "null");
}

void jw_json_bool(struct jw_json *j, const char *key, bool value)
{
    begin_value(j, key);
    jw_buf_text(j->out, value ? "true" : "false");
}
