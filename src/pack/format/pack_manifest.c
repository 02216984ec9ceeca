#include "pack/format/pack_manifest.h"

#include "base/json.h"
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
    return (word && jw_pack_is_word(word))
           || refuse_field(err, what,
                           "is not a word of 1 to 80 of the characters A-Z a-z 0-9 . + - _ : ~");
}

static bool check_either(const char *what, const char *word, const char *one, const char *other,
                         struct jw_err *err)
{
    return jw_text_same(word, one) || jw_text_same(word, other)
           || refuse_field(err, what, "is none that this jitwarm knows");
}

static bool is_digest(const char *text)
{
    size_t n = strlen(text);

    return n == (size_t)2 * JW_DIGEST && strspn(text, "0123456789abcdef") == n;
}

static bool check_head(const struct jw_pack_manifest *m, struct jw_err *err)
{
    if (!check_word("tool", m->tool, err) || !check_either("os", m->os, "linux", "windows", err)
        || !check_either("arch", m->arch, "x86_64", "aarch64", err)
        || (m->driver && !check_word("driver", m->driver, err)))
        return false;
    if (!jw_stamp_time(m->stamp))
        return refuse_field(err, "stamp", "is not like \"Jan  7 202622:51:46\"");
    if (m->compiler && !is_digest(m->compiler))
        return refuse_field(err, "compiler", "is not 64 digits 0-9 a-f");
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
    if (!jw_utf8_valid((struct jw_bytes){(const uint8_t *)name, n}))
        return refuse_field(err, what, "is not UTF-8");
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)name[i] < 0x20 || name[i] == 0x7f)
            return refuse_field(err, what, "has a control character in it");
    return true;
}

static bool check_software(const struct jw_pack_manifest *m, struct jw_err *err)
{
    if (m->n_software > JW_MAX_PACK_SOFTWARE)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu names of software, expected at most %zu",
                       m->n_software, JW_MAX_PACK_SOFTWARE);
    for (size_t i = 0; i < m->n_software; i++) {
        if (!check_base_name("a name of software", m->software[i], err))
            return false;
        if (i && strcmp(m->software[i - 1], m->software[i]) >= 0)
            return refuse_field(err, m->software[i], "is not behind the name before it");
    }
    return true;
}

static bool size_fits(size_t i, const char *what, uint64_t n, uint64_t max, struct jw_err *err)
{
    return (n && n <= max)
           || jw_fail(err, JW_E_LIMIT, "manifest: %s of entry %zu is %llu, expected 1 to %llu",
                      what, i, (unsigned long long)n, (unsigned long long)max);
}

static bool check_entry(const struct jw_pack_manifest *m, size_t i, struct jw_err *err)
{
    const struct jw_pack_entry *e = &m->entries[i];

    if (i && e[-1].name >= e->name)
        return jw_fail(err, JW_E_FORMAT,
                       "manifest: entry %zu, %s, is not behind the one before it, by name", i,
                       jw_cache_name(e->name).text);
    return size_fits(i, "key_bytes", e->key_bytes, JW_MAX_CACHE_KEY, err)
           && size_fits(i, "payload_bytes", e->payload_bytes, JW_MAX_CACHE_PAYLOAD, err);
}

bool jw_pack_manifest_check(const struct jw_pack_manifest *m, struct jw_err *err)
{
    if (!check_head(m, err) || !check_software(m, err))
        return false;
    if (!m->n_entries || m->n_entries > JW_MAX_PACK_ENTRIES)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu entries, expected 1 to %zu", m->n_entries,
                       JW_MAX_PACK_ENTRIES);
    for (size_t i = 0; i < m->n_entries; i++)
        if (!check_entry(m, i, err))
            return false;
    return true;
}

static void write_entries(struct jw_json *j, const struct jw_pack_manifest *m)
{
    jw_json_array(j, "entries");
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "name", jw_cache_name(e->name).text);
        jw_json_number(j, "key_bytes", e->key_bytes);
        jw_json_number(j, "payload_bytes", e->payload_bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool jw_pack_manifest_write(struct jw_buf *text, const struct jw_pack_manifest *m,
                            struct jw_err *err)
{
    struct jw_json j = {.out = text};

    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", JW_PACK_SCHEMA);
    jw_json_text(&j, "tool", m->tool);
    jw_json_text(&j, "os", m->os);
    jw_json_text(&j, "arch", m->arch);
    jw_json_text(&j, "driver", m->driver);
    jw_json_text(&j, "stamp", m->stamp);
    jw_json_text(&j, "compiler", m->compiler);
    jw_json_number(&j, "sm", m->sm);
    jw_json_array(&j, "software");
    for (size_t i = 0; i < m->n_software; i++)
        jw_json_text(&j, NULL, m->software[i]);
    jw_json_close(&j);
    jw_json_number(&j, "nameless", m->nameless);
    write_entries(&j, m);
    jw_json_close(&j);
    return jw_buf_ok(text, err) || jw_wrap(err, "manifest of %zu entries", m->n_entries);
}

/* ---- reading ----
 *
 * What is missing or of another type becomes empty or 0, and what is spelled otherwise is read as
 * something: the checks refuse it, or writing the result does not give the same text. */

static bool is_written_so(struct jw_bytes text, const struct jw_pack_manifest *m,
                          struct jw_err *err)
{
    struct jw_buf ours = JW_BUF(JW_MAX_MANIFEST);
    size_t at = 0;
    bool ok = jw_pack_manifest_write(&ours, m, err);

    while (at < text.n && at < ours.n && text.p[at] == ours.p[at])
        at++;
    if (ok && (at < text.n || at < ours.n))
        ok = jw_fail(err, JW_E_FORMAT, "manifest: not spelled as jitwarm does, from byte %zu on",
                     at);
    jw_buf_free(&ours);
    return ok;
}

static uint64_t read_name(const char *text)
{
    uint64_t hash = 0;

    for (; text && *text; text++)
        if (*text != '/')
            hash = hash << 4 | ((unsigned)*text + (*text > '9' ? 9U : 0)) % 16;
    return hash;
}

/* Above what a double counts exactly it is too large for every field. */
static uint64_t read_number(const cJSON *v)
{
    double d = cJSON_IsNumber(v) ? v->valuedouble : 0;

    if (d < 0)
        return 0;
    return d < 9007199254740992.0 ? (uint64_t)d : UINT64_MAX;
}

static const char *read_text(const cJSON *object, const char *key, struct jw_arena *a)
{
    return jw_arena_str_or_null(a, jw_json_get_text(object, key));
}

static void read_software(const cJSON *array, struct jw_arena *a, struct jw_pack_manifest *out)
{
    const char **to = jw_arena_alloc(a, ((size_t)cJSON_GetArraySize(array) + 1) * sizeof *to);
    const cJSON *v;

    out->software = to;
    cJSON_ArrayForEach(v, array) *to++ = jw_arena_str_or_null(a, cJSON_GetStringValue(v));
    out->n_software = (size_t)(to - out->software);
}

static void read_entries(const cJSON *array, struct jw_arena *a, struct jw_pack_manifest *out)
{
    struct jw_pack_entry *list =
        jw_arena_alloc(a, ((size_t)cJSON_GetArraySize(array) + 1) * sizeof *list);
    struct jw_pack_entry *to = list;
    const cJSON *v;

    cJSON_ArrayForEach(v, array)
    {
        to->name = read_name(jw_json_get_text(v, "name"));
        to->key_bytes = read_number(jw_json_get(v, "key_bytes"));
        to->payload_bytes = read_number(jw_json_get(v, "payload_bytes"));
        to++;
    }
    out->entries = list;
    out->n_entries = (size_t)(to - list);
}

static void read_fields(const cJSON *root, struct jw_arena *a, struct jw_pack_manifest *out)
{
    out->tool = read_text(root, "tool", a);
    out->os = read_text(root, "os", a);
    out->arch = read_text(root, "arch", a);
    out->driver = read_text(root, "driver", a);
    out->stamp = read_text(root, "stamp", a);
    out->compiler = read_text(root, "compiler", a);
    out->sm = (uint16_t)jw_min(read_number(jw_json_get(root, "sm")), UINT16_MAX);
    read_software(jw_json_get(root, "software"), a, out);
    out->nameless = read_number(jw_json_get(root, "nameless"));
    read_entries(jw_json_get(root, "entries"), a, out);
}

bool jw_pack_manifest_read(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out,
                           struct jw_err *err)
{
    cJSON *doc = NULL;

    *out = (struct jw_pack_manifest){0};
    if (text.n > JW_MAX_MANIFEST)
        return jw_fail(err, JW_E_LIMIT, "manifest: %zu bytes, expected at most %zu", text.n,
                       JW_MAX_MANIFEST);
    if (!jw_json_parse(&doc, text, err))
        return jw_wrap(err, "manifest");
    read_fields(doc, a, out);
    cJSON_Delete(doc);
    return jw_pack_manifest_check(out, err) && is_written_so(text, out, err);
}
