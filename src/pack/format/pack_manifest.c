#include "pack/format/pack_manifest.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct jw_pack_member jw_pack_member(uint64_t name)
{
    struct jw_pack_member m;

    (void)snprintf(m.text, sizeof m.text, "cache/%s", jw_cache_name(name).text);
    return m;
}

/* ---- what must hold ---- */

static bool refuse_field(struct jw_err *err, const char *what, const char *why)
{
    return jw_fail(err, JW_E_FORMAT, "manifest: %s %s", what, why);
}

/* Too plain for a path, a host's name and a user's at it, or a variable's value. */
bool jw_pack_is_word(const char *text)
{
    size_t n = 0;

    while (jw_is_digit(text[n]) || jw_is_letter(text[n]) || (text[n] && strchr(".+-_:~", text[n])))
        n++;
    return n && !text[n] && n <= JW_MAX_PACK_WORD;
}

static bool check_word(const char *what, const char *word, struct jw_err *err)
{
    if (!word)
        return refuse_field(err, what, "is missing");
    return jw_pack_is_word(word)
           || refuse_field(err, what, "is not a word of 1 to 80 of the characters A-Z a-z 0-9 . + - _ : ~");
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
    return refuse_field(err, what, "is none that this jitwarm knows");
}

static bool check_stamp(const char *stamp, struct jw_err *err)
{
    return (stamp && jw_cache_stamp_time(stamp))
           || refuse_field(err, "stamp", "is not like \"Jan  7 202622:51:46\"");
}

static bool check_head(const struct jw_pack_manifest *m, struct jw_err *err)
{
    static const char *const systems[] = { "linux", "windows" }, *const hosts[] = { "x86_64", "aarch64" };

    if (!check_word("tool", m->tool, err) || !check_one_of("os", m->os, systems, JW_COUNT(systems), err)
        || !check_one_of("arch", m->arch, hosts, JW_COUNT(hosts), err)
        || !check_word_if("driver", m->driver, err) || !check_stamp(m->stamp, err))
        return false;
    return (m->sm >= 10 && m->sm <= 999) || refuse_field(err, "sm", "is not from 10 to 999");
}

/* The base name of a file: nothing in it can lead anywhere, or move a cursor. */
static bool check_base_name(const char *what, const char *name, struct jw_err *err)
{
    size_t n = name ? strlen(name) : 0;

    if (!n || n > JW_MAX_PACK_NAME || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return refuse_field(err, what, "is not the name of a file");
    if (strpbrk(name, "/\\:"))
        return refuse_field(err, what, "has a / \\ or : in it, expected a base name");
    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)name, n }))
        return refuse_field(err, what, "is not UTF-8");
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)name[i] < 0x20 || name[i] == 0x7f)
            return refuse_field(err, what, "has a control character in it");
    return true;
}

static bool check_command(const struct jw_pack_manifest *m, struct jw_err *err)
{
    return !m->command || check_base_name("command", m->command, err);
}

static int order_of(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

int jw_pack_origin_order(const void *a, const void *b)
{
    const struct jw_pack_origin *x = a, *y = b;
    int order = order_of(x->name, y->name);

    order = order ? order : order_of(x->version, y->version);
    order = order ? order : order_of(x->build, y->build);
    if (order || x->digested != y->digested)
        return order ? order : (int)x->digested - (int)y->digested;
    return x->digested ? memcmp(x->digest, y->digest, JW_DIGEST) : 0;
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
        if (i && jw_pack_origin_order(o - 1, o) >= 0)
            return refuse_field(err, what,
                                "is not behind the one before it, by name, version, build and digest");
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
    return e->origin == JW_PACK_NO_ORIGIN || e->origin < m->n_origins
           || jw_fail(err, JW_E_FORMAT, "manifest: origin of entry %zu is %lu of %zu", i,
                      (unsigned long)e->origin, m->n_origins);
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

bool jw_pack_manifest_check(const struct jw_pack_manifest *m, struct jw_err *err)
{
    if (!check_head(m, err) || !check_command(m, err) || !check_origins(m, err))
        return false;
    if (!m->n_entries || m->n_entries > JW_MAX_PACK_ENTRIES)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu entries, expected 1 to %zu", m->n_entries,
                       JW_MAX_PACK_ENTRIES);
    for (size_t i = 0; i < m->n_entries; i++)
        if (!check_entry(m, i, err))
            return false;
    return check_used(m, err);
}

/* ---- the fields, of which its text, its reader and its schema are made ---- */

#define M struct jw_pack_manifest
#define O struct jw_pack_origin
#define E struct jw_pack_entry
#define T struct page
#define WORD "^[A-Za-z0-9.+_:~-]{1,80}$"

/* Beside the manifest its totals, as computed or as read. */
struct page {
    M m;
    uint64_t entries, key_bytes, payload_bytes;
};

static const char *digest_text(const void *at, char out[80])
{
    jw_digest_hex(out, at);
    return out;
}

static const char *name_text(const void *at, char out[80])
{
    uint64_t name;

    memcpy(&name, at, sizeof name);
    (void)snprintf(out, 80, "%s", jw_cache_name(name).text);
    return out;
}

static const struct jw_spelling digest = { "^[0-9a-f]{64}$", digest_text },
                                name = { "^[0-9a-f]/[0-9a-f]/[0-9a-f]{14}$", name_text };

static const struct jw_row origins[] = {
    { JW_ROW("name", O, name), JW_PATTERN("^[^/\\\\:]{1,255}$"),
      JW_ABOUT("a package, or the base name of a library") },
    { JW_ROW("version", O, version), JW_NULLABLE, JW_PATTERN(WORD), JW_ABOUT("null: not known") },
    { JW_ROW("build", O, build), JW_NULLABLE, JW_PATTERN(WORD),
      JW_ABOUT("GNU build id or PE identity; null: not known") },
    { JW_SPELT("digest", O, digest, &digest), JW_IF(O, digested), JW_NULLABLE,
      JW_ABOUT("BLAKE2b-256 of the library; null: not known, or not one file") },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_SPELT("name", E, name, &name), JW_ABOUT("its member is cache/NAME") },
    { JW_ROW("key_bytes", E, key_bytes), .most = JW_MAX_CACHE_KEY },
    { JW_ROW("payload_bytes", E, payload_bytes), .most = JW_MAX_CACHE_PAYLOAD },
    { JW_SPELT("digest", E, digest, &digest), JW_ABOUT("BLAKE2b-256 of the entry's file") },
    { JW_ROW_AT("origin", E, origin), .kind = JW_ROW_SIGNED, JW_NULLABLE, .most = JW_MAX_PACK_ORIGINS - 1,
      JW_ABOUT("index into origins; null: not known") },
    { 0 },
};

static const struct jw_row totals[] = {
    { JW_ROW("entries", T, entries), .most = JW_MAX_PACK_ENTRIES },
    { JW_ROW("key_bytes", T, key_bytes) },
    { JW_ROW("payload_bytes", T, payload_bytes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_ROW("tool", T, m.tool), JW_PATTERN(WORD), JW_ABOUT("version of jitwarm that made the pack") },
    { JW_ROW("os", T, m.os), JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", T, m.arch), JW_PATTERN("^(x86_64|aarch64)$"), JW_ABOUT("of the host") },
    { JW_ROW("driver", T, m.driver), JW_NULLABLE, JW_PATTERN(WORD),
      JW_ABOUT("version of the driver; null: not known") },
    { JW_ROW("stamp", T, m.stamp), JW_PATTERN("^[A-Za-z]{3} [ 0-9][0-9] [0-9]{6}:[0-9]{2}:[0-9]{2}$"),
      JW_ABOUT("of libcuda, as it stands in the keys of the cache") },
    { JW_ROW("sm", T, m.sm), .most = 999 },
    { JW_ROW("command", T, m.command), JW_IF(T, m.command), JW_PATTERN("^[^/\\\\:]{1,255}$"),
      JW_ABOUT("all of it is what this command loads: the name of its program, and a part of the digest of "
               "its words") },
    { JW_LIST("origins", T, m.origins, m.n_origins, origins), .most = JW_MAX_PACK_ORIGINS },
    { JW_LIST("entries", T, m.entries, m.n_entries, entries), .most = JW_MAX_PACK_ENTRIES },
    { JW_SUB_OF("totals", totals), JW_ABOUT("sums over the entries") },
    { 0 },
};

const struct jw_form jw_pack_form = {
    "pack",
    "What a pack holds, and for which driver and GPU. Read strictly: what is not here is refused, and so "
    "is another spelling.",
    rows
};

/* ---- to text ---- */

static T page_of(const M *m)
{
    T page = { .m = *m, .entries = m->n_entries };

    for (size_t i = 0; i < m->n_entries; i++) {
        page.key_bytes += m->entries[i].key_bytes;
        page.payload_bytes += m->entries[i].payload_bytes;
    }
    return page;
}

bool jw_pack_manifest_write(struct jw_buf *out, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_json j;
    T page;
    bool ok;

    if (!jw_pack_manifest_check(m, err))
        return false;
    page = page_of(m);
    jw_json_begin(&j, jw_sink_buf(&text), false, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", JW_PACK_SCHEMA);
    jw_rows_write(&j, rows, &page);
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
    bool bad;                  /* what is at `at` is not what the writer puts there */
    bool escapes;              /* a character was read that the writer escapes, or not */
    const struct jw_row *many; /* the list that has more than it may */
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

static uint8_t peek_byte(const struct reader *r)
{
    return !r->bad && r->at < r->in.n ? r->in.p[r->at] : 0;
}

static void must(struct reader *r, const char *text)
{
    for (; *text && !r->bad; text++) {
        r->bad = peek_byte(r) != (uint8_t)*text;
        r->at += !r->bad;
    }
}

static uint64_t take_number(struct reader *r)
{
    size_t from = r->at;
    uint64_t v = 0;

    for (uint8_t c = peek_byte(r); c >= '0' && c <= '9' && v <= MOST; c = peek_byte(r)) {
        v = v * 10 + (uint64_t)(c - '0');
        r->at++;
    }
    r->bad |= r->at == from || v > MOST || (r->at - from > 1 && r->in.p[from] == '0');
    return r->bad ? 0 : v;
}

/* A number of so many bytes; of one that is too large all bits but the last, for with that it would be null. */
static void take_number_into(struct reader *r, void *to, size_t size)
{
    uint64_t n = jw_min(take_number(r), (UINT64_MAX >> (64 - 8 * size)) - 1);
    uint32_t n32 = (uint32_t)n;
    uint16_t n16 = (uint16_t)n;
    uint8_t n8 = (uint8_t)n;

    memcpy(to, size == 8 ? (void *)&n : size == 4 ? (void *)&n32 : size == 2 ? (void *)&n16 : &n8, size);
}

static uint8_t take_hex_digit(struct reader *r)
{
    uint8_t c = peek_byte(r);
    bool digit = c >= '0' && c <= '9';

    r->bad |= !digit && !(c >= 'a' && c <= 'f');
    r->at += !r->bad;
    return (uint8_t)(digit ? c - '0' : c - 'a' + 10);
}

static uint8_t take_byte(struct reader *r)
{
    uint8_t high = take_hex_digit(r);

    return (uint8_t)(high << 4 | take_hex_digit(r));
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
    for (uint8_t c = peek_byte(r); c >= ' ' && c != '"'; c = peek_byte(r)) {
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

static void take_digest(struct reader *r, uint8_t out[JW_DIGEST])
{
    must(r, "\"");
    for (size_t i = 0; i < JW_DIGEST && !r->bad; i++)
        out[i] = take_byte(r);
    must(r, "\"");
}

/* "4/2/3e06b9e6ec62aa" */
static void take_entry_name(struct reader *r, void *to)
{
    uint64_t hash = 0;

    must(r, "\"");
    for (size_t i = 0; i < 16 && !r->bad; i++) {
        if (i == 1 || i == 2)
            must(r, "/");
        hash = hash << 4 | take_hex_digit(r);
    }
    must(r, "\"");
    memcpy(to, &hash, sizeof hash);
}

static void take_enum(struct reader *r, const struct jw_row *row, void *to)
{
    must(r, "\"");
    for (unsigned v = row->first; v < row->names; v++)
        if (next(r, row->name(v))) {
            memcpy(to, &v, sizeof v);
            must(r, "\"");
            return;
        }
    r->bad = true;
}

/* ---- by rows ---- */

static void take_rows(struct reader *r, const struct jw_row *row, uint8_t *to, bool first);

/* How many objects can begin from here on, up to so many. */
static size_t count_objects(const struct reader *r, size_t most)
{
    size_t n = 0;

    for (size_t at = r->at; n < most && at < r->in.n; at++)
        n += r->in.p[at] == '{';
    return n;
}

static void take_list(struct reader *r, const struct jw_row *row, uint8_t *to)
{
    size_t n = 0, most = count_objects(r, row->most);
    uint8_t *v = jw_arena_alloc(r->a, (most + 1) * row->stride);

    must(r, "[");
    for (; !r->bad && peek_byte(r) != ']'; n++) {
        if (n)
            must(r, ",");
        if (n == row->most)
            r->many = row;
        r->bad |= n == most;
        must(r, "{");
        if (!r->bad)
            take_rows(r, row->rows, v + n * row->stride, true);
        must(r, "}");
    }
    must(r, "]");
    memcpy(to + row->at, &v, sizeof v);
    memcpy(to + row->n_at, &n, sizeof n);
}

static void take_spelt(struct reader *r, const struct jw_row *row, uint8_t *to)
{
    if (row->may && next(r, "null"))
        return;
    if (row->spelling == &name)
        take_entry_name(r, to + row->at);
    else
        take_digest(r, to + row->at);
    if (row->if_size)
        to[row->if_at] = true;
}

static void take_row(struct reader *r, const struct jw_row *row, uint8_t *to)
{
    uint8_t *at = to + row->at;
    const char *text;

    switch ((enum jw_row_kind)row->kind) {
    case JW_ROW_TEXT:
        text = row->may && next(r, "null") ? NULL : take_text(r);
        memcpy(at, &text, sizeof text);
        break;
    case JW_ROW_NUMBER:
    case JW_ROW_SIGNED:
        if (row->may && next(r, "null"))
            memset(at, 0xff, row->size);
        else
            take_number_into(r, at, row->size);
        break;
    case JW_ROW_NAME: take_enum(r, row, at); break;
    case JW_ROW_SPELT: take_spelt(r, row, to); break;
    case JW_ROW_LIST: take_list(r, row, to); break;
    case JW_ROW_OBJECT:
        must(r, "{");
        take_rows(r, row->rows, at, true);
        must(r, "}");
        break;
    default: r->bad = true;
    }
}

static bool next_key(struct reader *r, const char *key, bool first)
{
    size_t before = r->at;

    if (next(r, first ? "\"" : ",\"") && next(r, key) && next(r, "\":"))
        return true;
    r->at = before;
    return false;
}

static void must_key(struct reader *r, const char *key, bool first)
{
    must(r, first ? "\"" : ",\"");
    must(r, key);
    must(r, "\":");
}

/* The rows of an object, each behind its key; `first`: nothing stands before them. What may be absent is so where its
 * key is not next. */
static void take_rows(struct reader *r, const struct jw_row *row, uint8_t *to, bool first)
{
    for (; row->kind && !r->bad; row++, first = false) {
        bool part = row->kind == JW_ROW_PART;
        size_t before = r->at;

        if (part || (row->if_size && !row->may)) {
            if (!next_key(r, part ? row->rows->key : row->key, first)) {
                r->at = before;
                continue;
            }
        } else {
            must_key(r, row->key, first);
        }
        if (part) {
            r->at = before;
            take_rows(r, row->rows, to + row->at, first);
        } else {
            take_row(r, row, to);
        }
    }
}

/* ---- all of it ---- */

/* Sums of entries that were checked, so that none can overflow. */
static bool check_totals(const T *said, struct jw_err *err)
{
    T sums = page_of(&said->m);
    const struct {
        const char *what;
        uint64_t said, is;
    } all[] = { { "entries", said->entries, sums.entries },
                { "key_bytes", said->key_bytes, sums.key_bytes },
                { "payload_bytes", said->payload_bytes, sums.payload_bytes } };

    for (size_t i = 0; i < JW_COUNT(all); i++)
        if (all[i].said != all[i].is)
            return jw_fail(err, JW_E_FORMAT, "manifest: totals say %llu %s, its entries have %llu",
                           (unsigned long long)all[i].said, all[i].what, (unsigned long long)all[i].is);
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
    T page = { 0 };

    *out = (struct jw_pack_manifest){ 0 };
    if (text.n > JW_MAX_MANIFEST)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu bytes, expected at most %zu", text.n, JW_MAX_MANIFEST);
    must(&r, "{\"schema\":");
    if (!r.bad && !next(&r, "\"" JW_PACK_SCHEMA "\""))
        return jw_fail(err, JW_E_FORMAT,
                       "manifest: schema is not \"" JW_PACK_SCHEMA
                       "\", which is all that this jitwarm knows");
    take_rows(&r, rows, (uint8_t *)&page, false);
    must(&r, "}\n");
    if (r.many)
        return jw_fail(err, JW_E_LIMIT, "manifest: more than %llu %s", (unsigned long long)r.many->most,
                       r.many->key);
    *out = page.m;
    return is_spelled(&r, err) && jw_pack_manifest_check(out, err) && check_totals(&page, err)
           && (!r.escapes || is_written_so(&r, out, err));
}
