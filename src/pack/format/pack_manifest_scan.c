#include "pack/format/pack_manifest_scan.h"

#include "base/limits.h"

#include <string.h>

#define MOST 9007199254740991ULL /* 2^53 - 1 */

struct scan {
    struct jw_bytes in;
    size_t at;
    bool bad;
    struct jw_arena *a;
};

/* Is this what comes next? Then it is taken. */
static bool next(struct scan *s, const char *text)
{
    size_t n = strlen(text);

    if (s->bad || n > s->in.n - s->at || memcmp(s->in.p + s->at, text, n) != 0)
        return false;
    s->at += n;
    return true;
}

static void must(struct scan *s, const char *text)
{
    s->bad = !next(s, text);
}

static uint8_t peek(const struct scan *s)
{
    return !s->bad && s->at < s->in.n ? s->in.p[s->at] : 0;
}

static uint64_t take_number(struct scan *s)
{
    size_t from = s->at;
    uint64_t v = 0;

    for (uint8_t c = peek(s); c >= '0' && c <= '9' && v <= MOST; c = peek(s)) {
        v = v * 10 + (uint64_t)(c - '0');
        s->at++;
    }
    s->bad |= s->at == from || v > MOST || (s->at - from > 1 && s->in.p[from] == '0');
    return s->bad ? 0 : v;
}

static const char *take_text(struct scan *s)
{
    size_t from;
    char *text = NULL;

    must(s, "\"");
    from = s->at;
    for (uint8_t c = peek(s); c >= ' ' && c <= '~' && c != '"' && c != '\\'; c = peek(s))
        s->at++;
    if (!s->bad)
        text = jw_arena_text(s->a, (const char *)s->in.p + from, s->at - from);
    must(s, "\"");
    return text;
}

static const char *take_text_or_null(struct scan *s)
{
    return next(s, "null") ? NULL : take_text(s);
}

static void take_digest(struct scan *s, uint8_t out[JW_DIGEST])
{
    must(s, "\"");
    for (size_t i = 0; i < 2 * JW_DIGEST && !s->bad; i++, s->at++) {
        uint8_t c = peek(s);
        bool digit = c >= '0' && c <= '9';

        s->bad = !digit && !(c >= 'a' && c <= 'f');
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | (digit ? c - '0' : c - 'a' + 10));
    }
    must(s, "\"");
}

/* Once more in the text: as many as there can be of it. */
static size_t count(struct jw_bytes text, struct jw_bytes what, size_t most)
{
    size_t n = 0;

    for (size_t at; n <= most && (at = jw_find(text, what)) < text.n; n++)
        text = (struct jw_bytes){ text.p + at + what.n, text.n - at - what.n };
    return n;
}

/* For `n` items, of which there may be `most`. */
static void *room(struct scan *s, size_t n, size_t most, size_t each)
{
    void *v = n <= most ? jw_arena_alloc(s->a, (n + 1) * each) : NULL;

    s->bad |= !v;
    return v;
}

/* ---- origins ---- */

static void take_origin(struct scan *s, struct jw_pack_origin *o)
{
    must(s, "{\"name\":");
    o->name = take_text(s);
    must(s, ",\"version\":");
    o->version = take_text_or_null(s);
    must(s, ",\"build\":");
    o->build = take_text_or_null(s);
    must(s, ",\"digest\":");
    o->digested = !next(s, "null");
    if (o->digested)
        take_digest(s, o->digest);
    must(s, "}");
}

static void take_origins(struct scan *s, struct jw_pack_manifest *out)
{
    size_t most = count(s->in, JW_BYTES("\"version\":"), JW_MAX_PACK_ORIGINS), n = 0;
    struct jw_pack_origin *v = room(s, most, JW_MAX_PACK_ORIGINS, sizeof *v);

    while (!s->bad && peek(s) != ']') {
        if (n)
            must(s, ",");
        s->bad |= n == most;
        if (!s->bad)
            take_origin(s, &v[n++]);
    }
    out->origins = v;
    out->n_origins = n;
}

/* ---- entries ---- */

/* "4/2/3e06b9e6ec62aa" */
static uint64_t take_name(struct scan *s)
{
    char h0[2] = "", h1[2] = "", rest[15] = "";
    struct jw_bytes name;
    uint64_t hash = 0;

    must(s, "\"");
    s->bad |= !jw_slice(s->in, s->at, 18, &name);
    if (s->bad)
        return 0;
    h0[0] = (char)name.p[0];
    h1[0] = (char)name.p[2];
    memcpy(rest, name.p + 4, 14);
    s->bad = name.p[1] != '/' || name.p[3] != '/' || !jw_cache_name_parse(h0, h1, rest, &hash);
    s->at += name.n;
    must(s, "\"");
    return hash;
}

static enum jw_pack_made take_made(struct scan *s)
{
    for (unsigned m = JW_PACK_COMPILED; m <= JW_PACK_FORGED; m++)
        if (next(s, jw_pack_made_name((enum jw_pack_made)m)))
            return (enum jw_pack_made)m;
    s->bad = true;
    return JW_PACK_COMPILED;
}

static uint32_t take_origin_of(struct scan *s)
{
    uint64_t n;

    if (next(s, "null"))
        return JW_PACK_NO_ORIGIN;
    n = take_number(s);
    s->bad |= n > JW_MAX_PACK_ORIGINS;
    return (uint32_t)n;
}

static void take_entry(struct scan *s, struct jw_pack_entry *e)
{
    must(s, "{\"name\":");
    e->name = take_name(s);
    must(s, ",\"key_bytes\":");
    e->key_bytes = take_number(s);
    must(s, ",\"payload_bytes\":");
    e->payload_bytes = take_number(s);
    must(s, ",\"digest\":");
    take_digest(s, e->digest);
    must(s, ",\"origin\":");
    e->origin = take_origin_of(s);
    must(s, ",\"made\":\"");
    e->made = take_made(s);
    must(s, "\"}");
}

static void take_entries(struct scan *s, struct jw_pack_manifest *out)
{
    size_t most = count(s->in, JW_BYTES("\"made\":"), JW_MAX_PACK_ENTRIES), n = 0;
    struct jw_pack_entry *v = room(s, most, JW_MAX_PACK_ENTRIES, sizeof *v);

    while (!s->bad && peek(s) != ']') {
        if (n)
            must(s, ",");
        s->bad |= n == most;
        if (!s->bad)
            take_entry(s, &v[n++]);
    }
    out->entries = v;
    out->n_entries = n;
}

/* ---- all of it ---- */

static void take_head(struct scan *s, struct jw_pack_manifest *out)
{
    uint64_t sm, level;

    must(s, "{\"schema\":\"" JW_PACK_SCHEMA "\",\"tool\":");
    out->tool = take_text(s);
    out->simulated = next(s, ",\"simulated\":true");
    must(s, ",\"os\":");
    out->os = take_text(s);
    must(s, ",\"arch\":");
    out->arch = take_text(s);
    must(s, ",\"driver\":");
    out->driver = take_text_or_null(s);
    must(s, ",\"stamp\":");
    out->stamp = take_text(s);
    must(s, ",\"sm\":");
    sm = take_number(s);
    must(s, ",\"level\":");
    level = take_number(s);
    s->bad |= sm > UINT16_MAX || level > UINT8_MAX;
    out->sm = (uint16_t)sm;
    out->level = (uint8_t)level;
    if (next(s, ",\"date\":")) {
        out->date = take_number(s);
        must(s, ",\"counter\":");
        out->counter = take_number(s);
    }
    if (!next(s, ",\"compiler\":{\"name\":"))
        return;
    out->compiler = take_text(s);
    must(s, ",\"version\":");
    out->compiler_version = take_text(s);
    must(s, "}");
}

static bool are_totals(struct scan *s, const struct jw_pack_manifest *m)
{
    uint64_t keys = 0, payloads = 0;

    for (size_t i = 0; i < m->n_entries; i++) {
        keys += m->entries[i].key_bytes;
        payloads += m->entries[i].payload_bytes;
    }
    must(s, "],\"totals\":{\"entries\":");
    s->bad |= take_number(s) != m->n_entries;
    must(s, ",\"key_bytes\":");
    s->bad |= take_number(s) != keys;
    must(s, ",\"payload_bytes\":");
    s->bad |= take_number(s) != payloads;
    must(s, "}}\n");
    return !s->bad && s->at == s->in.n;
}

bool jw_pack_manifest_scan(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out)
{
    struct scan s = { .in = text, .a = a };
    struct jw_err ignored = { 0 };

    *out = (struct jw_pack_manifest){ 0 };
    take_head(&s, out);
    must(&s, ",\"origins\":[");
    if (!s.bad)
        take_origins(&s, out);
    must(&s, "],\"entries\":[");
    if (!s.bad)
        take_entries(&s, out);
    return !s.bad && jw_pack_manifest_check(out, &ignored) && are_totals(&s, out);
}
