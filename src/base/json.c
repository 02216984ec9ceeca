#include "base/json.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>

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

/* cJSON sets tabs, and only there: in a text they are escaped. It escapes no controls behind ASCII,
 * such as U+202E and U+2028, which would turn a line around or break it. */
static void print(struct jw_json *j)
{
    char *text = NULL;

    if (!j->bad)
        text = j->pretty ? cJSON_Print(j->root) : cJSON_PrintUnformatted(j->root);

    struct jw_bytes left = {(const uint8_t *)text, text ? strlen(text) : 0};

    for (size_t n; left.n; left.p += n, left.n -= n) {
        uint32_t point = 0;

        n = jw_utf8_decode(left, true, &point);
        n += !n;
        if (point == '\t')
            jw_buf_text(j->out, left.p[-1] == ':' ? " " : "  ");
        else if (n > 1 && jw_text_is_control(point))
            jw_buf_printf(j->out, "\\u%04x", (unsigned)point);
        else
            jw_buf_add(j->out, left.p, n);
    }
    jw_buf_text(j->out, "\n");
    j->out->bad |= !text;
    cJSON_free(text);
    jw_json_free(j);
}

/* Takes the value. */
static bool add_value(struct jw_json *j, const char *key, cJSON *value)
{
    cJSON *in = j->depth && !j->bad ? j->at[j->depth - 1] : NULL;
    bool ok = value && !j->bad && (in || !j->root);

    if (ok && in)
        ok = key ? cJSON_AddItemToObject(in, key, value) : cJSON_AddItemToArray(in, value);
    else if (ok)
        j->root = value;
    if (!ok)
        cJSON_Delete(value);
    j->bad |= !ok;
    return ok;
}

static void open_level(struct jw_json *j, const char *key, cJSON *value)
{
    j->bad |= j->depth == JW_COUNT(j->at);
    if (add_value(j, key, value))
        j->at[j->depth] = value;
    j->depth++;
}

static void add_leaf(struct jw_json *j, const char *key, cJSON *value)
{
    (void)add_value(j, key, value);
    if (!j->depth)
        print(j);
}

void jw_json_object(struct jw_json *j, const char *key)
{
    open_level(j, key, cJSON_CreateObject());
}

void jw_json_array(struct jw_json *j, const char *key) { open_level(j, key, cJSON_CreateArray()); }

void jw_json_close(struct jw_json *j)
{
    if (!--j->depth)
        print(j);
}

static cJSON *make_text(const char *value)
{
    struct jw_bytes left = {(const uint8_t *)value, value ? strlen(value) : 0};
    struct jw_buf repaired = JW_BUF(3 * left.n + 1);
    cJSON *text;
    size_t n;

    for (; left.n; left.p += n, left.n -= n) {
        uint32_t point = 0;

        n = jw_utf8_decode(left, false, &point);
        if (!n || (point >= 0x7f && point < 0xa0))
            jw_buf_text(&repaired, "\xef\xbf\xbd");
        else
            jw_buf_add(&repaired, left.p, n);
        n += !n;
    }
    text = value ? cJSON_CreateString(jw_buf_cstr(&repaired)) : cJSON_CreateNull();
    jw_buf_free(&repaired);
    return text;
}

void jw_json_text(struct jw_json *j, const char *key, const char *value)
{
    add_leaf(j, key, make_text(value));
}

void jw_json_replace(struct jw_json *j, const char *key, const char *value)
{
    cJSON *text = make_text(value);

    if (text && cJSON_ReplaceItemInObjectCaseSensitive(j->root, key, text))
        return;
    cJSON_Delete(text);
    j->bad = true;
}

void jw_json_number(struct jw_json *j, const char *key, uint64_t value)
{
    add_leaf(j, key, cJSON_CreateNumber((double)value));
}

void jw_json_real(struct jw_json *j, const char *key, double value)
{
    bool small = value >= 0 && value < 1e12;

    add_leaf(j, key,
             cJSON_CreateNumber(small ? (double)(uint64_t)(value * 1000 + .5) / 1000 : value));
}

void jw_json_bool(struct jw_json *j, const char *key, bool value)
{
    add_leaf(j, key, cJSON_CreateBool(value));
}

void jw_json_free(struct jw_json *j)
{
    cJSON_Delete(j->root);
    j->root = NULL;
    j->depth = 0;
}
