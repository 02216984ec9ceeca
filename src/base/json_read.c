/*
 * cJSON builds the tree but is a lenient reader, so the text is first held against the grammar of RFC 8259
 * here: what the checks below let through, cJSON reads in exactly one way.
 */
#include "base/json_read.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct jw_jdoc {
    cJSON *root;
};

struct checker {
    const uint8_t *p;
    size_t at, n;
    size_t values;
    struct jw_err *err;
};

static bool refuse_json(struct checker *c, const char *why)
{
    return jw_fail(c->err, JW_E_FORMAT, "json: %s at byte %zu", why, c->at);
}

static int next_byte(const struct checker *c)
{
    return c->at < c->n ? c->p[c->at] : -1;
}

static bool eat(struct checker *c, int byte)
{
    if (next_byte(c) != byte)
        return false;
    c->at++;
    return true;
}

static void skip_blanks(struct checker *c)
{
    while (next_byte(c) == ' ' || next_byte(c) == '\n' || next_byte(c) == '\r' || next_byte(c) == '\t')
        c->at++;
}

static size_t skip_digits(struct checker *c)
{
    size_t from = c->at;

    while (next_byte(c) >= '0' && next_byte(c) <= '9')
        c->at++;
    return c->at - from;
}

static bool check_number(struct checker *c)
{
    (void)eat(c, '-');
    if (!eat(c, '0') && skip_digits(c) == 0)
        return refuse_json(c, "a value expected");
    if (eat(c, '.') && skip_digits(c) == 0)
        return refuse_json(c, "a digit expected");
    if (eat(c, 'e') || eat(c, 'E')) {
        if (!eat(c, '+'))
            (void)eat(c, '-');
        if (skip_digits(c) == 0)
            return refuse_json(c, "a digit expected");
    }
    return true;
}

static bool read_hex4(struct checker *c, unsigned *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        int b = next_byte(c);
        bool letter = b >= 0 && (b | 0x20) >= 'a' && (b | 0x20) <= 'f';

        if (!letter && (b < '0' || b > '9'))
            return refuse_json(c, "four hexadecimal digits expected");
        *out = *out << 4 | (unsigned)(letter ? (b | 0x20) - 'a' + 10 : b - '0');
    }
    return true;
}

/* Behind the backslash. A NUL would cut the text short for C readers, half a surrogate pair is not UTF-8. */
static bool check_escape(struct checker *c)
{
    unsigned high, low;

    if (next_byte(c) > 0 && strchr("\"\\/bfnrt", next_byte(c))) {
        c->at++;
        return true;
    }
    if (!eat(c, 'u'))
        return refuse_json(c, "an unknown escape");
    if (!read_hex4(c, &high))
        return false;
    if (high == 0)
        return refuse_json(c, "a NUL in a text");
    if (high < 0xd800 || high > 0xdfff)
        return true;
    if (high > 0xdbff || !eat(c, '\\') || !eat(c, 'u'))
        return refuse_json(c, "half a surrogate pair");
    return read_hex4(c, &low)
           && ((low >= 0xdc00 && low <= 0xdfff) || refuse_json(c, "half a surrogate pair"));
}

static bool check_text(struct checker *c)
{
    if (!eat(c, '"'))
        return refuse_json(c, "a text expected");
    while (!eat(c, '"')) {
        if (next_byte(c) < 0)
            return refuse_json(c, "a text without end");
        if (next_byte(c) < 0x20)
            return refuse_json(c, "a control character in a text");
        if (!eat(c, '\\'))
            c->at++;
        else if (!check_escape(c))
            return false;
    }
    return true;
}

static bool check_word(struct checker *c, const char *word)
{
    size_t n = strlen(word);

    if (c->n - c->at < n || memcmp(c->p + c->at, word, n) != 0)
        return refuse_json(c, "a value expected");
    c->at += n;
    return true;
}

static bool check_value(struct checker *c, unsigned depth);

/* The fields of an object or the items of an array, behind its opening bracket. */
static bool check_members(struct checker *c, unsigned depth, bool object)
{
    int close = object ? '}' : ']';

    if (depth >= JW_MAX_JSON_DEPTH)
        return jw_fail(c->err, JW_E_LIMIT, "json: nested deeper than %u at byte %zu", JW_MAX_JSON_DEPTH,
                       c->at);
    skip_blanks(c);
    if (eat(c, close))
        return true;
    for (;;) {
        skip_blanks(c);
        if (object) {
            if (!check_text(c))
                return false;
            skip_blanks(c);
            if (!eat(c, ':'))
                return refuse_json(c, "a colon expected");
        }
        if (!check_value(c, depth + 1))
            return false;
        if (eat(c, close))
            return true;
        if (!eat(c, ','))
            return refuse_json(c, object ? "a comma or } expected" : "a comma or ] expected");
    }
}

static bool check_value(struct checker *c, unsigned depth)
{
    bool ok;

    skip_blanks(c);
    if (++c->values > JW_MAX_JSON_VALUES)
        return jw_fail(c->err, JW_E_LIMIT, "json: more than %zu values", JW_MAX_JSON_VALUES);
    if (eat(c, '{'))
        ok = check_members(c, depth, true);
    else if (eat(c, '['))
        ok = check_members(c, depth, false);
    else if (next_byte(c) == '"')
        ok = check_text(c);
    else if (next_byte(c) == 't')
        ok = check_word(c, "true");
    else if (next_byte(c) == 'f')
        ok = check_word(c, "false");
    else if (next_byte(c) == 'n')
        ok = check_word(c, "null");
    else
        ok = check_number(c);
    skip_blanks(c);
    return ok;
}

static bool check_grammar(struct jw_bytes text, struct jw_err *err)
{
    struct checker c = { .p = text.p, .n = text.n, .err = err };

    if (text.n > JW_MAX_JSON)
        return jw_fail(err, JW_E_LIMIT, "json: longer than %zu bytes", JW_MAX_JSON);
    if (!jw_utf8_valid(text))
        return jw_fail(err, JW_E_FORMAT, "json: not UTF-8");
    return check_value(&c, 0) && (c.at == c.n || refuse_json(&c, "text behind the value"));
}

static int by_key(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

static bool check_keys(const cJSON *object, struct jw_err *err)
{
    size_t n = 0, twice = 0;

    for (const cJSON *item = object->child; item; item = item->next)
        n++;
    if (n < 2)
        return true;

    const char **keys = jw_alloc(n * sizeof *keys);
    n = 0;
    for (const cJSON *item = object->child; item; item = item->next)
        keys[n++] = item->string;
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 1; i < n && !twice; i++)
        twice = strcmp(keys[i - 1], keys[i]) == 0 ? i : 0;
    bool ok = !twice || jw_fail(err, JW_E_FORMAT, "json: the key \"%.80s\" is there twice", keys[twice]);
    jw_free(keys);
    return ok;
}

/* Checks what the grammar cannot. The depth is already limited. */
static bool check_tree(const cJSON *v, struct jw_err *err)
{
    if (cJSON_IsNumber(v) && !(fabs(v->valuedouble) <= DBL_MAX))
        return jw_fail(err, JW_E_FORMAT, "json: a number out of range");
    if (cJSON_IsObject(v) && !check_keys(v, err))
        return false;
    for (const cJSON *item = v->child; item; item = item->next) {
        if (!check_tree(item, err))
            return false;
    }
    return true;
}

bool jw_jdoc_parse(struct jw_jdoc **doc, struct jw_bytes text, struct jw_err *err)
{
    *doc = NULL;
    if (!check_grammar(text, err))
        return false;

    struct jw_jdoc *made = jw_alloc(sizeof *made);
    made->root = cJSON_ParseWithLengthOpts((const char *)text.p, text.n, NULL, 0);
    if (!made->root)
        jw_out_of_memory(text.n);
    if (!check_tree(made->root, err)) {
        jw_jdoc_free(made);
        return false;
    }
    *doc = made;
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
