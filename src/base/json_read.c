#include "base/json_read.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <cjson/cJSON.h>
#include <string.h>

struct jw_jdoc {
    cJSON *root;
};

/* At least as many as there are: a comma in a text counts, too. */
static size_t count_values(struct jw_bytes text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == ',' || text.p[i] == '[' || text.p[i] == '{';
    return n;
}

static bool only_blanks(const char *p, const char *end)
{
    while (p < end && jw_text_blank((uint8_t)*p))
        p++;
    return p == end;
}

bool jw_jdoc_parse(struct jw_jdoc **doc, struct jw_bytes text, struct jw_err *err)
{
    const char *behind;
    char *first;
    cJSON *root;

    *doc = NULL;
    if (text.n > JW_MAX_JSON)
        return jw_fail(err, JW_E_LIMIT, "json: longer than %zu bytes", JW_MAX_JSON);
    if (!jw_utf8_valid(text))
        return jw_fail(err, JW_E_FORMAT, "json: not UTF-8");
    if (count_values(text) > JW_MAX_JSON_VALUES)
        return jw_fail(err, JW_E_LIMIT, "json: more than %zu values", JW_MAX_JSON_VALUES);
    /* cJSON before 1.7.18 may look at the byte behind a text that is cut off. */
    first = jw_alloc(text.n + 1);
    if (text.n)
        memcpy(first, text.p, text.n);
    behind = first;
    root = cJSON_ParseWithLengthOpts(first, text.n, &behind, 0);
    size_t at = (size_t)(behind - first);
    bool whole = root && only_blanks(behind, first + text.n);

    jw_free(first);
    if (!whole) {
        cJSON_Delete(root);
        return jw_fail(err, JW_E_FORMAT, "json: damaged at byte %zu", at);
    }
    *doc = jw_alloc(sizeof **doc);
    (*doc)->root = root;
    return true;
}

void jw_jdoc_free(struct jw_jdoc *doc)
{
    if (!doc)
        return;
    cJSON_Delete(doc->root);
    jw_free(doc);
}

/* A jw_jval is a cJSON that only this file can look into. */
static const cJSON *in(const struct jw_jval *v)
{
    return (const cJSON *)(const void *)v;
}

static const struct jw_jval *out_of(const cJSON *v)
{
    return (const struct jw_jval *)(const void *)v;
}

const struct jw_jval *jw_jdoc_root(const struct jw_jdoc *doc)
{
    return doc ? out_of(doc->root) : NULL;
}

const struct jw_jval *jw_jget(const struct jw_jval *object, const char *key)
{
    return cJSON_IsObject(in(object)) ? out_of(cJSON_GetObjectItemCaseSensitive(in(object), key)) : NULL;
}

const char *jw_jtext(const struct jw_jval *v)
{
    return cJSON_IsString(in(v)) ? in(v)->valuestring : NULL;
}

bool jw_jnumber(const struct jw_jval *v, double *out)
{
    if (!cJSON_IsNumber(in(v)))
        return false;
    *out = in(v)->valuedouble;
    return true;
}

bool jw_jnull(const struct jw_jval *v)
{
    return cJSON_IsNull(in(v));
}

bool jw_jarray(const struct jw_jval *v)
{
    return cJSON_IsArray(in(v));
}

const struct jw_jval *jw_jfirst(const struct jw_jval *array_or_object)
{
    const cJSON *v = in(array_or_object);

    return cJSON_IsArray(v) || cJSON_IsObject(v) ? out_of(v->child) : NULL;
}

const struct jw_jval *jw_jnext(const struct jw_jval *item)
{
    return item ? out_of(in(item)->next) : NULL;
}

const char *jw_jkey(const struct jw_jval *item)
{
    return item ? in(item)->string : NULL;
}
