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

/* An origin that nothing came from would only tell what is installed where the pack was made. */
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
    return forged || refuse(err, "compiler", "is told, and no entry is forged");
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
