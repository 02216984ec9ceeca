#include "base/json_read.h"
#include "base/limits.h"
#include "base/mem.h"
#include "pack/format/pack_manifest.h"
#include "pack/format/pack_manifest_scan.h"

#include <stdio.h>
#include <string.h>

#define MOST 9007199254740991.0 /* 2^53 - 1: exact in a double */

struct reader {
    struct jw_arena *a;
    struct jw_err *err;
    const char *of; /* "" at the top, or what the fields are of */
    size_t i;       /* which of these */
};

static bool refuse(struct reader *r, const char *field, const char *why)
{
    return *r->of ? jw_fail(r->err, JW_E_FORMAT, "manifest: %s of %s %zu %s", field, r->of, r->i, why)
                  : jw_fail(r->err, JW_E_FORMAT, "manifest: %s %s", field, why);
}

/* An object of these fields and no others. What each must be is asked when it is read. */
static bool check_fields(struct reader *r, const struct jw_jval *object, const char *const *fields, size_t n)
{
    for (const struct jw_jval *v = jw_jfirst(object); v; v = jw_jnext(v)) {
        const char *key = jw_jkey(v);
        size_t i = 0;

        while (key && i < n && strcmp(key, fields[i]) != 0)
            i++;
        if (!key || i == n)
            return refuse(r, key ? "a field" : "an item", "is not known to this jitwarm");
    }
    return true;
}

static bool take_text(struct reader *r, const struct jw_jval *in, const char *field, const char **out)
{
    const char *text = jw_jtext(jw_jget(in, field));

    if (!text)
        return refuse(r, field, "is not a text");
    *out = jw_arena_str(r->a, text);
    return true;
}

static bool take_text_or_null(struct reader *r, const struct jw_jval *in, const char *field, const char **out)
{
    *out = NULL;
    return jw_jnull(jw_jget(in, field)) || take_text(r, in, field, out);
}

static bool take_number(struct reader *r, const struct jw_jval *in, const char *field, uint64_t most,
                        uint64_t *out)
{
    double n;

    if (!jw_jnumber(jw_jget(in, field), &n) || !(n >= 0 && n <= MOST) || (double)(uint64_t)n != n)
        return refuse(r, field, "is not a whole number from 0 to 9007199254740991");
    *out = (uint64_t)n;
    return *out <= most || refuse(r, field, "is too large");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_digest(struct reader *r, const struct jw_jval *in, uint8_t out[JW_DIGEST])
{
    const char *text = jw_jtext(jw_jget(in, "digest"));
    size_t n = 0;

    while (text && n < 2 * JW_DIGEST && hex_digit(text[n]) >= 0) {
        out[n / 2] = (uint8_t)(out[n / 2] << 4 | hex_digit(text[n]));
        n++;
    }
    return (n == 2 * JW_DIGEST && !text[n])
           || refuse(r, "digest", "is not of 64 lower-case hexadecimal digits");
}

static bool take_digest_or_null(struct reader *r, const struct jw_jval *in, struct jw_pack_origin *out)
{
    out->digested = !jw_jnull(jw_jget(in, "digest"));
    return !out->digested || take_digest(r, in, out->digest);
}

static bool count_items(struct reader *r, const struct jw_jval *list, const char *field, size_t most,
                        size_t *n)
{
    *n = 0;
    if (!jw_jarray(list))
        return refuse(r, field, "is not an array");
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v))
        ++*n;
    return *n <= most
           || jw_fail(r->err, JW_E_LIMIT, "manifest: %zu %s, expected at most %zu", *n, field, most);
}

/* ---- origins ---- */

static bool take_origin(struct reader *r, const struct jw_jval *in, struct jw_pack_origin *out)
{
    static const char *const fields[] = { "name", "version", "build", "digest" };

    return check_fields(r, in, fields, JW_COUNT(fields)) && take_text(r, in, "name", &out->name)
           && take_text_or_null(r, in, "version", &out->version)
           && take_text_or_null(r, in, "build", &out->build) && take_digest_or_null(r, in, out);
}

static bool take_origins(struct reader *r, const struct jw_jval *list, struct jw_pack_manifest *out)
{
    struct jw_pack_origin *origins;
    size_t n;

    if (!count_items(r, list, "origins", JW_MAX_PACK_ORIGINS, &n))
        return false;
    origins = jw_arena_alloc(r->a, (n + 1) * sizeof *origins);
    out->origins = origins;
    out->n_origins = n;
    r->of = "origin";
    r->i = 0;
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v), r->i++)
        if (!take_origin(r, v, &origins[r->i]))
            return false;
    r->of = "";
    return true;
}

/* ---- entries ---- */

/* "4/2/3e06b9e6ec62aa" */
static bool take_name(struct reader *r, const struct jw_jval *in, uint64_t *out)
{
    const char *text = jw_jtext(jw_jget(in, "name"));
    char h0[2] = "", h1[2] = "";

    if (!text || strlen(text) != 18 || text[1] != '/' || text[3] != '/')
        return refuse(r, "name", "is not that of an entry");
    h0[0] = text[0];
    h1[0] = text[2];
    return jw_cache_name_parse(h0, h1, text + 4, out) || refuse(r, "name", "is not that of an entry");
}

static bool take_origin_of(struct reader *r, const struct jw_jval *in, uint32_t *out)
{
    uint64_t n;

    *out = JW_PACK_NO_ORIGIN;
    if (jw_jnull(jw_jget(in, "origin")))
        return true;
    if (!take_number(r, in, "origin", JW_MAX_PACK_ORIGINS, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

static bool take_made(struct reader *r, const struct jw_jval *in, enum jw_pack_made *out)
{
    const char *text = jw_jtext(jw_jget(in, "made"));

    for (unsigned m = JW_PACK_COMPILED; text && m <= JW_PACK_FORGED; m++)
        if (strcmp(text, jw_pack_made_name((enum jw_pack_made)m)) == 0) {
            *out = (enum jw_pack_made)m;
            return true;
        }
    return refuse(r, "made", "is none that this jitwarm knows");
}

static bool take_entry(struct reader *r, const struct jw_jval *in, struct jw_pack_entry *out)
{
    static const char *const fields[] = { "name", "key_bytes", "payload_bytes", "digest", "origin", "made" };

    return check_fields(r, in, fields, JW_COUNT(fields)) && take_name(r, in, &out->name)
           && take_number(r, in, "key_bytes", UINT64_MAX, &out->key_bytes)
           && take_number(r, in, "payload_bytes", UINT64_MAX, &out->payload_bytes)
           && take_digest(r, in, out->digest) && take_origin_of(r, in, &out->origin)
           && take_made(r, in, &out->made);
}

static bool take_entries(struct reader *r, const struct jw_jval *list, struct jw_pack_manifest *out)
{
    struct jw_pack_entry *entries;
    size_t n;

    if (!count_items(r, list, "entries", JW_MAX_PACK_ENTRIES, &n))
        return false;
    entries = jw_arena_alloc(r->a, (n + 1) * sizeof *entries);
    out->entries = entries;
    out->n_entries = n;
    r->of = "entry";
    r->i = 0;
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v), r->i++)
        if (!take_entry(r, v, &entries[r->i]))
            return false;
    r->of = "";
    return true;
}

/* Sums of entries that were checked, so that none can overflow. */
static bool check_totals(struct reader *r, const struct jw_jval *in, const struct jw_pack_manifest *m)
{
    static const char *const fields[] = { "entries", "key_bytes", "payload_bytes" };
    uint64_t said[JW_COUNT(fields)], sums[JW_COUNT(fields)] = { m->n_entries };

    for (size_t i = 0; i < m->n_entries; i++) {
        sums[1] += m->entries[i].key_bytes;
        sums[2] += m->entries[i].payload_bytes;
    }
    if (!check_fields(r, in, fields, JW_COUNT(fields)))
        return false;
    for (size_t i = 0; i < JW_COUNT(fields); i++) {
        if (!take_number(r, in, fields[i], UINT64_MAX, &said[i]))
            return jw_wrap(r->err, "totals");
        if (said[i] != sums[i])
            return jw_fail(r->err, JW_E_FORMAT, "manifest: totals say %llu %s, its entries have %llu",
                           (unsigned long long)said[i], fields[i], (unsigned long long)sums[i]);
    }
    return true;
}

/* ---- all of it ---- */

static bool check_schema(struct reader *r, const struct jw_jval *in)
{
    const char *schema = jw_jtext(jw_jget(in, "schema"));

    return (schema && strcmp(schema, JW_PACK_SCHEMA) == 0)
           || refuse(r, "schema", "is not \"" JW_PACK_SCHEMA "\", which is all that this jitwarm knows");
}

static bool take_compiler(struct reader *r, const struct jw_jval *in, struct jw_pack_manifest *out)
{
    static const char *const fields[] = { "name", "version" };
    bool ok = check_fields(r, in, fields, JW_COUNT(fields)) && take_text(r, in, "name", &out->compiler)
              && take_text(r, in, "version", &out->compiler_version);

    return ok || jw_wrap(r->err, "compiler");
}

static bool take_date(struct reader *r, const struct jw_jval *in, struct jw_pack_manifest *out)
{
    return take_number(r, in, "date", JW_MAX_PACK_DATE, &out->date)
           && take_number(r, in, "counter", JW_MAX_PACK_DATE, &out->counter);
}

static bool take_head(struct reader *r, const struct jw_jval *in, struct jw_pack_manifest *out)
{
    uint64_t sm, level;

    if (!take_text(r, in, "tool", &out->tool) || !take_text(r, in, "os", &out->os)
        || !take_text(r, in, "arch", &out->arch) || !take_text_or_null(r, in, "driver", &out->driver)
        || !take_text(r, in, "stamp", &out->stamp) || !take_number(r, in, "sm", UINT16_MAX, &sm)
        || !take_number(r, in, "level", UINT8_MAX, &level))
        return false;
    out->sm = (uint16_t)sm;
    out->level = (uint8_t)level;
    if ((jw_jget(in, "date") || jw_jget(in, "counter")) && !take_date(r, in, out))
        return false;
    if (jw_jget(in, "simulated") && !jw_jbool(jw_jget(in, "simulated"), &out->simulated))
        return refuse(r, "simulated", "is neither true nor absent");
    return !jw_jget(in, "compiler") || take_compiler(r, jw_jget(in, "compiler"), out);
}

static bool take_all(struct reader *r, const struct jw_jval *in, struct jw_pack_manifest *out)
{
    static const char *const fields[] = { "schema",  "tool",     "simulated", "os",      "arch",
                                          "driver",  "stamp",    "sm",        "level",   "date",
                                          "counter", "compiler", "origins",   "entries", "totals" };

    return check_schema(r, in) && check_fields(r, in, fields, JW_COUNT(fields)) && take_head(r, in, out)
           && take_origins(r, jw_jget(in, "origins"), out) && take_entries(r, jw_jget(in, "entries"), out)
           && jw_pack_manifest_check(out, r->err) && check_totals(r, jw_jget(in, "totals"), out);
}

/* The order of fields, blanks, escapes, 86.0 for 86: there is one spelling. */
static bool check_spelling(struct jw_bytes text, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct jw_buf ours = JW_BUF(JW_MAX_MANIFEST);
    bool ok = jw_pack_manifest_write(&ours, m, err);
    size_t i = 0;

    if (ok) {
        while (i < text.n && i < ours.n && text.p[i] == ours.p[i])
            i++;
        ok = (i == text.n && i == ours.n)
             || jw_fail(err, JW_E_FORMAT, "manifest: not spelled as jitwarm does, from byte %zu on", i);
    }
    jw_buf_free(&ours);
    return ok;
}

bool jw_pack_manifest_read(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out,
                           struct jw_err *err)
{
    struct reader r = { .a = a, .err = err, .of = "" };
    struct jw_jdoc *doc = NULL;
    bool ok;

    *out = (struct jw_pack_manifest){ 0 };
    if (text.n > JW_MAX_MANIFEST)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu bytes, expected at most %zu", text.n, JW_MAX_MANIFEST);
    if (jw_pack_manifest_scan(text, a, out))
        return true;
    *out = (struct jw_pack_manifest){ 0 };
    if (!jw_jdoc_parse(&doc, text, err))
        return jw_wrap(err, "manifest");
    ok = take_all(&r, jw_jdoc_root(doc), out);
    jw_jdoc_free(doc);
    return ok && check_spelling(text, out, err);
}
