/*
 * Straight down, without a tree of its values: 100,000 entries in little more memory than they take. There is one spelling,
 * the writer's; what is spelled otherwise is refused where it begins to be.
 */
#include "base/limits.h"
#include "pack/format/pack_manifest.h"

#include <string.h>

#define MOST 9007199254740991ULL /* 2^53 - 1: what any reader of JSON takes exactly */

struct reader {
    struct jw_bytes in;
    size_t at;
    bool bad;     /* what is at `at` is not what the writer puts there */
    bool escapes; /* a character was read that the writer escapes, or not */
    struct jw_arena *a;
};

/* Is this what comes next? Then it is taken. */
static bool next(struct reader *r, const char *text)
{
    size_t n = strlen(text);

    if (r->bad || n > r->in.n - r->at || memcmp(r->in.p + r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static uint8_t peek(const struct reader *r)
{
    return !r->bad && r->at < r->in.n ? r->in.p[r->at] : 0;
}

static void must(struct reader *r, const char *text)
{
    for (; *text && !r->bad; text++) {
        r->bad = peek(r) != (uint8_t)*text;
        r->at += !r->bad;
    }
}

static uint64_t take_number(struct reader *r)
{
    size_t from = r->at;
    uint64_t v = 0;

    for (uint8_t c = peek(r); c >= '0' && c <= '9' && v <= MOST; c = peek(r)) {
        v = v * 10 + (uint64_t)(c - '0');
        r->at++;
    }
    r->bad |= r->at == from || v > MOST || (r->at - from > 1 && r->in.p[from] == '0');
    return r->bad ? 0 : v;
}

static uint64_t take_number_to(struct reader *r, uint64_t most)
{
    uint64_t n = take_number(r);

    return n < most ? n : most;
}

static uint8_t take_hex(struct reader *r)
{
    uint8_t c = peek(r);
    bool digit = c >= '0' && c <= '9';

    r->bad |= !digit && !(c >= 'a' && c <= 'f');
    r->at += !r->bad;
    return (uint8_t)(digit ? c - '0' : c - 'a' + 10);
}

static uint8_t take_byte(struct reader *r)
{
    uint8_t high = take_hex(r);

    return (uint8_t)(high << 4 | take_hex(r));
}

/* Of those that a name may have, the writer escapes " and the controls from U+0080 to U+009F. */
static void take_escaped(struct reader *r, struct jw_buf *out)
{
    if (next(r, "\\\"")) {
        jw_buf_text(out, "\"");
        return;
    }
    must(r, "\\u00");
    uint8_t c = take_byte(r);

    r->bad |= c < 0x80 || c > 0x9f;
    jw_buf_add(out, (uint8_t[]){ 0xc2, c }, 2);
}

static const char *take_text(struct reader *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    const char *out;

    must(r, "\"");
    for (uint8_t c = peek(r); c >= ' ' && c != '"'; c = peek(r)) {
        r->escapes |= c == '\\' || c > '~';
        if (c == '\\')
            take_escaped(r, &text);
        else
            jw_buf_add(&text, &r->in.p[r->at++], 1);
    }
    must(r, "\"");
    out = jw_arena_text(r->a, (const char *)text.p, text.n);
    jw_buf_free(&text);
    return out;
}

static const char *take_text_or_null(struct reader *r)
{
    return next(r, "null") ? NULL : take_text(r);
}

static void take_digest(struct reader *r, uint8_t out[JW_DIGEST])
{
    must(r, "\"");
    for (size_t i = 0; i < JW_DIGEST && !r->bad; i++)
        out[i] = take_byte(r);
    must(r, "\"");
}

/* How many there can be of something that has `what` in it, up to one more than there may be. */
static size_t count(struct jw_bytes text, struct jw_bytes what, size_t most)
{
    size_t n = 0;

    for (size_t at; n <= most && (at = jw_find(text, what)) < text.n; n++)
        text = (struct jw_bytes){ text.p + at + what.n, text.n - at - what.n };
    return n;
}

/* Is there another item? It has what is `n`th of `most`. */
static bool take_item(struct reader *r, size_t n, size_t most)
{
    if (peek(r) == ']')
        return false;
    if (n)
        must(r, ",");
    r->bad |= n == most;
    return !r->bad;
}

/* ---- origins ---- */

static void take_origin(struct reader *r, struct jw_pack_origin *o)
{
    must(r, "{\"name\":");
    o->name = take_text(r);
    must(r, ",\"version\":");
    o->version = take_text_or_null(r);
    must(r, ",\"build\":");
    o->build = take_text_or_null(r);
    must(r, ",\"digest\":");
    o->digested = !next(r, "null");
    if (o->digested)
        take_digest(r, o->digest);
    must(r, "}");
}

static bool take_origins(struct reader *r, struct jw_pack_manifest *out, struct jw_err *err)
{
    size_t most = count(r->in, JW_BYTES("\"build\":"), JW_MAX_PACK_ORIGINS);
    struct jw_pack_origin *v = jw_arena_alloc(r->a, (most + 1) * sizeof *v);

    if (most > JW_MAX_PACK_ORIGINS)
        return jw_fail(err, JW_E_LIMIT, "manifest: more than %zu origins", JW_MAX_PACK_ORIGINS);
    must(r, ",\"origins\":[");
    while (take_item(r, out->n_origins, most))
        take_origin(r, &v[out->n_origins++]);
    out->origins = v;
    return true;
}

/* ---- entries ---- */

/* "4/2/3e06b9e6ec62aa" */
static uint64_t take_name(struct reader *r)
{
    uint64_t hash = 0;

    must(r, "\"");
    for (size_t i = 0; i < 16 && !r->bad; i++) {
        if (i == 1 || i == 2)
            must(r, "/");
        hash = hash << 4 | take_hex(r);
    }
    must(r, "\"");
    return hash;
}

static enum jw_pack_made take_made(struct reader *r)
{
    for (unsigned m = JW_PACK_COMPILED; m <= JW_PACK_FORGED; m++)
        if (next(r, jw_pack_made_name((enum jw_pack_made)m)))
            return (enum jw_pack_made)m;
    r->bad = true;
    return JW_PACK_COMPILED;
}

static void take_entry(struct reader *r, struct jw_pack_entry *e)
{
    must(r, "{\"name\":");
    e->name = take_name(r);
    must(r, ",\"key_bytes\":");
    e->key_bytes = take_number(r);
    must(r, ",\"payload_bytes\":");
    e->payload_bytes = take_number(r);
    must(r, ",\"digest\":");
    take_digest(r, e->digest);
    must(r, ",\"origin\":");
    e->origin = next(r, "null") ? JW_PACK_NO_ORIGIN : (uint32_t)take_number_to(r, JW_PACK_NO_ORIGIN - 1);
    must(r, ",\"made\":\"");
    e->made = take_made(r);
    must(r, "\"}");
}

static bool take_entries(struct reader *r, struct jw_pack_manifest *out, struct jw_err *err)
{
    size_t most = count(r->in, JW_BYTES("\"made\":"), JW_MAX_PACK_ENTRIES);
    struct jw_pack_entry *v = jw_arena_alloc(r->a, (most + 1) * sizeof *v);

    if (most > JW_MAX_PACK_ENTRIES)
        return jw_fail(err, JW_E_LIMIT, "manifest: more than %zu entries", JW_MAX_PACK_ENTRIES);
    must(r, "],\"entries\":[");
    while (take_item(r, out->n_entries, most))
        take_entry(r, &v[out->n_entries++]);
    out->entries = v;
    return true;
}

/* ---- all of it ---- */

static void take_head(struct reader *r, struct jw_pack_manifest *out)
{
    must(r, ",\"tool\":");
    out->tool = take_text(r);
    out->simulated = next(r, ",\"simulated\":true");
    must(r, ",\"os\":");
    out->os = take_text(r);
    must(r, ",\"arch\":");
    out->arch = take_text(r);
    must(r, ",\"driver\":");
    out->driver = take_text_or_null(r);
    must(r, ",\"stamp\":");
    out->stamp = take_text(r);
    must(r, ",\"sm\":");
    out->sm = (uint16_t)take_number_to(r, UINT16_MAX);
    must(r, ",\"level\":");
    out->level = (uint8_t)take_number_to(r, UINT8_MAX);
    if (next(r, ",\"date\":")) {
        out->date = take_number(r);
        must(r, ",\"counter\":");
        out->counter = take_number(r);
    }
    if (!next(r, ",\"compiler\":{\"name\":"))
        return;
    out->compiler = take_text(r);
    must(r, ",\"version\":");
    out->compiler_version = take_text(r);
    must(r, "}");
}

/* Sums of entries that were checked, so that none can overflow. */
static bool take_totals(struct reader *r, const struct jw_pack_manifest *m, struct jw_err *err)
{
    static const char *const fields[] = { "],\"totals\":{\"entries\":", ",\"key_bytes\":",
                                          ",\"payload_bytes\":" },
                             *const names[] = { "entries", "key_bytes", "payload_bytes" };
    uint64_t sums[JW_COUNT(fields)] = { m->n_entries };

    for (size_t i = 0; i < m->n_entries; i++) {
        sums[1] += m->entries[i].key_bytes;
        sums[2] += m->entries[i].payload_bytes;
    }
    for (size_t i = 0; i < JW_COUNT(fields); i++) {
        must(r, fields[i]);
        uint64_t said = take_number(r);

        if (!r->bad && said != sums[i])
            return jw_fail(err, JW_E_FORMAT, "manifest: totals say %llu %s, its entries have %llu",
                           (unsigned long long)said, names[i], (unsigned long long)sums[i]);
    }
    must(r, "}}\n");
    return true;
}

static bool is_spelled(struct reader *r, struct jw_err *err)
{
    r->bad |= r->at != r->in.n;
    return !r->bad
           || jw_fail(err, JW_E_FORMAT, "manifest: not spelled as jitwarm does, from byte %zu on", r->at);
}

/* What the writer makes of names with such characters is its own to say. */
static bool is_written_so(struct reader *r, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct jw_buf ours = JW_BUF(JW_MAX_MANIFEST);
    bool ok = jw_pack_manifest_write(&ours, m, err);

    for (r->at = 0; r->at < r->in.n && r->at < ours.n && r->in.p[r->at] == ours.p[r->at];)
        r->at++;
    jw_buf_free(&ours);
    return ok && is_spelled(r, err);
}

bool jw_pack_manifest_read(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out,
                           struct jw_err *err)
{
    struct reader r = { .in = text, .a = a };

    *out = (struct jw_pack_manifest){ 0 };
    if (text.n > JW_MAX_MANIFEST)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu bytes, expected at most %zu", text.n, JW_MAX_MANIFEST);
    must(&r, "{\"schema\":");
    if (!r.bad && !next(&r, "\"" JW_PACK_SCHEMA "\""))
        return jw_fail(err, JW_E_FORMAT,
                       "manifest: schema is not \"" JW_PACK_SCHEMA
                       "\", which is all that this jitwarm knows");
    take_head(&r, out);
    return take_origins(&r, out, err) && take_entries(&r, out, err) && (!r.bad || is_spelled(&r, err))
           && jw_pack_manifest_check(out, err) && take_totals(&r, out, err) && is_spelled(&r, err)
           && (!r.escapes || is_written_so(&r, out, err));
}
