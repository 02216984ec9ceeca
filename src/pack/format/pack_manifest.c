#include "pack/format/pack_manifest.h"

#include "base/json_write.h"
#include "base/limits.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *const made_names[] = { "compiled", "carried", "forged" };

const char *jw_pack_made_name(enum jw_pack_made made)
{
    return made_names[made];
}

struct jw_pack_member jw_pack_member(uint64_t name)
{
    struct jw_pack_member m;

    (void)snprintf(m.text, sizeof m.text, "cache/%s", jw_cache_name(name).text);
    return m;
}

/* ---- what must hold ---- */

static bool refuse(struct jw_err *err, const char *what, const char *why)
{
    return jw_fail(err, JW_E_FORMAT, "manifest: %s %s", what, why);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A version or a build id: too plain for a path, a host's name and a user's at it, or a variable's value. */
static bool check_word(const char *what, const char *word, struct jw_err *err)
{
    size_t n = 0;

    if (!word)
        return refuse(err, what, "is missing");
    while (is_digit(word[n]) || is_letter(word[n]) || (word[n] && strchr(".+-_:~", word[n])))
        n++;
    return (n && !word[n] && n <= JW_MAX_PACK_WORD)
           || refuse(err, what, "is not a word of 1 to 80 of the characters A-Z a-z 0-9 . + - _ : ~");
}

static bool check_word_if(const char *what, const char *word, struct jw_err *err)
{
    return !word || check_word(what, word, err);
}

static bool check_one_of(const char *what, const char *word, const char *const *words, size_t n,
                         struct jw_err *err)
{
    for (size_t i = 0; word && i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return refuse(err, what, "is none that this jitwarm knows");
}

/* "Jan  7 202622:51:46": a letter stands for letters, 9 for a digit, a blank for a blank or a digit. */
static bool check_stamp(const char *stamp, struct jw_err *err)
{
    static const char shape[] = "aaa  9 999999:99:99";
    size_t i = 0;

    for (; stamp && stamp[i] && shape[i]; i++) {
        char c = stamp[i];
        bool fits = shape[i] == 'a'   ? is_letter(c)
                    : shape[i] == '9' ? is_digit(c)
                    : shape[i] == ' ' ? c == ' ' || (i == 4 && is_digit(c))
                                      : c == shape[i];

        if (!fits)
            break;
    }
    return (stamp && !stamp[i] && !shape[i]) || refuse(err, "stamp", "is not like \"Jan  7 202622:51:46\"");
}

static bool check_head(const struct jw_pack_manifest *m, struct jw_err *err)
{
    static const char *const systems[] = { "linux", "windows" }, *const hosts[] = { "x86_64", "aarch64" };

    if (!check_word("tool", m->tool, err) || !check_one_of("os", m->os, systems, JW_COUNT(systems), err)
        || !check_one_of("arch", m->arch, hosts, JW_COUNT(hosts), err)
        || !check_word_if("driver", m->driver, err) || !check_stamp(m->stamp, err))
        return false;
    if (m->sm < 10 || m->sm > 999)
        return refuse(err, "sm", "is not from 10 to 999");
    if (m->level < 3 || m->level > 5)
        return refuse(err, "level", "is not from 3 to 5");
    if (m->date > JW_MAX_PACK_DATE)
        return refuse(err, "date", "is past any clock");
    if (!m->date != !m->counter || m->counter > JW_MAX_PACK_DATE)
        return refuse(err, "counter", "is not a number from 1 on, beside a date");
    return !m->compiler
           || (check_word("name of the compiler", m->compiler, err)
               && check_word("version of the compiler", m->compiler_version, err));
}

/* The base name of a file: nothing in it can lead anywhere, or move a cursor. */
static bool check_base_name(const char *what, const char *name, struct jw_err *err)
{
    size_t n = name ? strlen(name) : 0;

    if (!n || n > JW_MAX_PACK_NAME || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return refuse(err, what, "is not the name of a file");
    if (strpbrk(name, "/\\:"))
        return refuse(err, what, "has a / \\ or : in it, expected a base name");
    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)name, n }))
        return refuse(err, what, "is not UTF-8");
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)name[i] < 0x20 || name[i] == 0x7f)
            return refuse(err, what, "has a control character in it");
    return true;
}

static int order_of(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* By name, version, build, digest; what is not known comes first. */
static bool in_order(const struct jw_pack_origin *a, const struct jw_pack_origin *b)
{
    int order = order_of(a->name, b->name);

    order = order ? order : order_of(a->version, b->version);
    order = order ? order : order_of(a->build, b->build);
    if (order || !a->digested || !b->digested)
        return order ? order < 0 : a->digested < b->digested;
    return memcmp(a->digest, b->digest, JW_DIGEST) < 0;
}

static bool check_origins(const struct jw_pack_manifest *m, struct jw_err *err)
{
    char what[64];

    if (m->n_origins > JW_MAX_PACK_ORIGINS)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu origins, expected at most %zu", m->n_origins,
                       JW_MAX_PACK_ORIGINS);
    for (size_t i = 0; i < m->n_origins; i++) {
        const struct jw_pack_origin *o = &m->origins[i];

        (void)snprintf(what, sizeof what, "name of origin %zu", i);
        if (!check_base_name(what, o->name, err))
            return false;
        (void)snprintf(what, sizeof what, "version of origin %zu", i);
        if (!check_word_if(what, o->version, err))
            return false;
        (void)snprintf(what, sizeof what, "build of origin %zu", i);
        if (!check_word_if(what, o->build, err))
            return false;
        (void)snprintf(what, sizeof what, "origin %zu", i);
        if (i && !in_order(o - 1, o))
            return refuse(err, what, "is not behind the one before it, by name, version, build and digest");
    }
    return true;
}

static bool size_fits(size_t i, const char *what, uint64_t n, uint64_t most, struct jw_err *err)
{
    return (n && n <= most)
           || jw_fail(err, JW_E_LIMIT, "manifest: %s of entry %zu is %llu, expected 1 to %llu", what, i,
                      (unsigned long long)n, (unsigned long long)most);
}

static bool check_entry(const struct jw_pack_manifest *m, size_t i, struct jw_err *err)
{
    const struct jw_pack_entry *e = &m->entries[i];

    if (i && e[-1].name >= e->name)
        return jw_fail(err, JW_E_FORMAT, "manifest: entry %zu, %s, is not behind the one before it, by name",
                       i, jw_cache_name(e->name).text);
    if (!size_fits(i, "key_bytes", e->key_bytes, JW_MAX_CACHE_KEY, err)
        || !size_fits(i, "payload_bytes", e->payload_bytes, JW_MAX_CACHE_PAYLOAD, err))
        return false;
    if (e->origin != JW_PACK_NO_ORIGIN && e->origin >= m->n_origins)
        return jw_fail(err, JW_E_FORMAT, "manifest: origin of entry %zu is %lu of %zu", i,
                       (unsigned long)e->origin, m->n_origins);
    return (unsigned)e->made < JW_COUNT(made_names)
           || jw_fail(err, JW_E_FORMAT, "manifest: made of entry %zu is none that this jitwarm knows", i);
}

/* An origin without entries would only reveal software on the machine that made the pack. */
static bool check_used(const struct jw_pack_manifest *m, struct jw_err *err)
{
    bool used[JW_MAX_PACK_ORIGINS] = { false };

    for (size_t i = 0; i < m->n_entries; i++)
        if (m->entries[i].origin != JW_PACK_NO_ORIGIN)
            used[m->entries[i].origin] = true;
    for (size_t i = 0; i < m->n_origins; i++)
        if (!used[i])
            return jw_fail(err, JW_E_FORMAT, "manifest: no entry is from origin %zu", i);
    return true;
}

/* A compiler that made nothing of it is no business of the pack's. */
static bool check_compiler(const struct jw_pack_manifest *m, struct jw_err *err)
{
    bool forged = !m->compiler;

    for (size_t i = 0; !forged && i < m->n_entries; i++)
        forged = m->entries[i].made == JW_PACK_FORGED;
    return forged || refuse(err, "compiler", "is named, and no entry is forged");
}

bool jw_pack_manifest_check(const struct jw_pack_manifest *m, struct jw_err *err)
{
    if (!check_head(m, err) || !check_origins(m, err))
        return false;
    if (!m->n_entries || m->n_entries > JW_MAX_PACK_ENTRIES)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu entries, expected 1 to %zu", m->n_entries,
                       JW_MAX_PACK_ENTRIES);
    for (size_t i = 0; i < m->n_entries; i++)
        if (!check_entry(m, i, err))
            return false;
    return check_used(m, err) && check_compiler(m, err);
}

/* ---- to text ---- */

static void put_digest(struct jw_json *j, const uint8_t digest[JW_DIGEST])
{
    char hex[2 * JW_DIGEST + 1];

    jw_digest_hex(hex, digest);
    jw_json_text(j, "digest", hex);
}

static void put_head(struct jw_json *j, const struct jw_pack_manifest *m)
{
    jw_json_text(j, "schema", JW_PACK_SCHEMA);
    jw_json_text(j, "tool", m->tool);
    jw_json_flag(j, "simulated", m->simulated);
    jw_json_text(j, "os", m->os);
    jw_json_text(j, "arch", m->arch);
    jw_json_text(j, "driver", m->driver);
    jw_json_text(j, "stamp", m->stamp);
    jw_json_number(j, "sm", m->sm);
    jw_json_number(j, "level", m->level);
    if (m->date) {
        jw_json_number(j, "date", m->date);
        jw_json_number(j, "counter", m->counter);
    }
    if (!m->compiler)
        return;
    jw_json_object(j, "compiler");
    jw_json_text(j, "name", m->compiler);
    jw_json_text(j, "version", m->compiler_version);
    jw_json_close(j);
}

static void put_origin(struct jw_json *j, const struct jw_pack_origin *o)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "name", o->name);
    jw_json_text(j, "version", o->version);
    jw_json_text(j, "build", o->build);
    if (o->digested)
        put_digest(j, o->digest);
    else
        jw_json_null(j, "digest");
    jw_json_close(j);
}

static void put_entry(struct jw_json *j, const struct jw_pack_entry *e)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "name", jw_cache_name(e->name).text);
    jw_json_number(j, "key_bytes", e->key_bytes);
    jw_json_number(j, "payload_bytes", e->payload_bytes);
    put_digest(j, e->digest);
    if (e->origin == JW_PACK_NO_ORIGIN)
        jw_json_null(j, "origin");
    else
        jw_json_number(j, "origin", e->origin);
    jw_json_text(j, "made", jw_pack_made_name(e->made));
    jw_json_close(j);
}

static void put_totals(struct jw_json *j, const struct jw_pack_manifest *m)
{
    uint64_t keys = 0, payloads = 0;

    for (size_t i = 0; i < m->n_entries; i++) {
        keys += m->entries[i].key_bytes;
        payloads += m->entries[i].payload_bytes;
    }
    jw_json_object(j, "totals");
    jw_json_number(j, "entries", m->n_entries);
    jw_json_number(j, "key_bytes", keys);
    jw_json_number(j, "payload_bytes", payloads);
    jw_json_close(j);
}

bool jw_pack_manifest_write(struct jw_buf *out, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_json j;
    bool ok;

    if (!jw_pack_manifest_check(m, err))
        return false;
    jw_json_begin(&j, jw_sink_buf(&text), false, err);
    jw_json_object(&j, NULL);
    put_head(&j, m);
    jw_json_array(&j, "origins");
    for (size_t i = 0; i < m->n_origins; i++)
        put_origin(&j, &m->origins[i]);
    jw_json_close(&j);
    jw_json_array(&j, "entries");
    for (size_t i = 0; i < m->n_entries; i++)
        put_entry(&j, &m->entries[i]);
    jw_json_close(&j);
    put_totals(&j, m);
    jw_json_close(&j);
    ok = jw_json_end(&j) || jw_wrap(err, "manifest of %zu entries", m->n_entries);
    if (ok) {
        jw_buf_add(out, text.p, text.n);
        ok = jw_buf_ok(out, err);
    }
    jw_buf_free(&text);
    return ok;
}

/* ---- reading ---- */

/*
 * Straight down, without a tree of its values: 100,000 entries in little more memory than they take. There is one
 * spelling, the writer's; what is spelled otherwise is refused where it begins to be.
 */

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
