#include "driver/probe/probe_check.h"

#include "cache/change/publish.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KEY = 1 << 20 };

/* Why level 1 is not reached; NULL: it is. Each module has an entry that is understood, of one
 * stamp and architecture, in an index that fits. driver-fact: F06-stamp-is-build */
static const char *why_unreadable(const struct jw_cache_listing *l, size_t n, struct jw_arena *a)
{
    size_t lost = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];
        const struct jw_cache_file *first = &l->files[0];
        const struct jw_cache_name name = jw_cache_name(f->name);

        if (f->damage)
            return jw_arena_printf(a, "file %s is not as expected: %s", name.text, f->damage);
        if (f->kind != JW_CACHE_CUDA)
            return jw_arena_printf(
                a, "file %s is of the known format, but what it is about cannot be read off it",
                name.text);
        if (strcmp(f->stamp, first->stamp) != 0 || strcmp(f->arch, first->arch) != 0)
            return jw_arena_printf(
                a, "the files name different drivers or GPUs: \"%s\" %s and \"%s\" %s",
                first->stamp, first->arch, f->stamp, f->arch);
        lost += !f->indexed;
    }
    if (l->index_trouble == JW_INDEX_NONE)
        return "the driver wrote no index of its files";
    if (l->index_damage)
        return jw_arena_printf(a, "the index is not as expected: %s", l->index_damage);
    if (lost || l->missing)
        return jw_arena_printf(a,
                               "the index does not fit the files: %zu of %zu files are not in it, "
                               "and %zu in it are no files",
                               lost, l->n, l->missing);
    return l->n == n
               ? NULL
               : jw_arena_printf(a, "the driver loaded %zu modules, but cached %zu files", n, l->n);
}

/* driver-fact: F02-name-is-fnv, F05-key-parts, F13-nuls */
bool probe_predict(const struct probe_module *m, const char *stamp, unsigned sm, uint64_t *name,
                   struct jw_err *err)
{
    struct jw_buf key = JW_BUF(MAX_KEY);
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", sm);
    jw_cache_key_make(&key, stamp, arch, jw_buf_bytes(&m->ptx), m->nuls, m->options);
    bool ok = jw_buf_ok(&key, err);

    *name = ok ? jw_fnv1a(JW_FNV_START, key.p, key.n) : 0;
    jw_buf_free(&key);
    return ok;
}

/* Level 2. A checked entry's name is the hash of its key, so the name that was computed proves all
 * of the key. */
static bool check_predictable(struct probe_findings *f, const struct probe_module *set, size_t n,
                              unsigned sm, const struct jw_cache_listing *l, struct jw_err *err)
{
    uint64_t name, example = 0;
    size_t wrong = 0;
    size_t which = 0;

    for (size_t i = 0; i < n; i++) {
        if (!probe_predict(&set[i], f->stamp, sm, &name, err))
            return false;
        if (!jw_cache_file_find(l, name) && !wrong++) {
            which = i;
            example = name;
        }
    }
    if (!wrong)
        f->level = JW_LEVEL_PREDICTABLE;
    else
        f->why = jw_arena_printf(
            f->arena,
            "%zu of %zu files have another name than was computed (%s: not %s; they are "
            "for %s, and the GPU is sm_%u)",
            wrong, n, set[which].what, jw_cache_name(example).text, l->files[0].arch, sm);
    return true;
}

bool probe_check(struct probe_findings *f, const struct probe_module *set, size_t n, unsigned sm,
                 const struct jw_cache_listing *l, struct jw_err *err)
{
    f->level = l->n + l->foreign ? JW_LEVEL_OPAQUE : JW_LEVEL_NONE;
    if (l->n)
        f->why = why_unreadable(l, n, f->arena);
    else if (l->foreign)
        f->why = "none of the files is named as jitwarm knows it";
    else
        f->why = jw_arena_printf(f->arena,
                                 "the driver compiled %zu tiny modules, but cached no file", n);
    if (f->why)
        return true;
    f->level = JW_LEVEL_READABLE;
    f->stamp = jw_arena_str(f->arena, l->files[0].stamp);
    return check_predictable(f, set, n, sm, l, err);
}

const char *probe_payload(const struct jw_cache_listing *made, const struct probe_module *set,
                          size_t n, const char *stamp, unsigned sm, struct jw_arena *a)
{
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    jw_digest_init(&s);
    for (size_t i = 0; i < n; i++) {
        const struct jw_cache_file *f = NULL;
        uint64_t name;

        if (probe_predict(&set[i], stamp, sm, &name, JW_IGNORED))
            f = jw_cache_file_find(made, name);
        if (!f || f->damage)
            return NULL;
        jw_digest_update(&s, &f->entry.payload_hash, sizeof f->entry.payload_hash);
        jw_digest_update(&s, &f->entry.payload_size, sizeof f->entry.payload_size);
    }
    jw_digest_final(&s, digest);
    return jw_arena_printf(a, "sm_%u %s", sm, jw_digest_text(digest).text);
}

/* Why a part of the listing could not be read; NULL: it is whole. */
static const char *why_partly(const struct jw_cache_listing *l, struct jw_arena *a)
{
    if (l->refused || l->index_trouble == JW_INDEX_UNREAD)
        return l->refused ? l->refused : jw_arena_printf(a, "index: %s", l->index_damage);
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].unread)
            return jw_arena_printf(a, "%s: %s", jw_cache_name(l->files[i].name).text,
                                   l->files[i].damage);
    return l->notes.n ? l->notes.v[0] : NULL;
}

bool probe_list(const char *cache, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err)
{
    const char *why;

    if (!jw_cache_list(cache, true, NULL, a, out, err))
        return false;
    why = why_partly(out, a);
    if (why)
        jw_cache_listing_free(out);
    return !why || jw_fail(err, JW_E_IO, "%s: %s", cache, why);
}

/* driver-fact: F27-merge-copy-append, F28-index-needed */
bool probe_place(const char *from, const struct jw_cache_file *entry, const char *to,
                 struct jw_arena *a, struct jw_err *err)
{
    struct jw_publish_entry e = {
        .name = entry->name,
        .from = jw_cache_entry_path(from, entry->name, a),
        .checked = true,
        .synced = true, /* after a crash of the machine nobody needs this folder */
        .size = jw_cache_weight(&entry->entry)};
    struct jw_publisher *p = NULL;
    bool ok = jw_publisher_open(&p, to, err) && jw_publisher_add(p, &e, 1, a, err);

    jw_publisher_close(p);
    return ok;
}

size_t probe_whole(const struct jw_cache_listing *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += !l->files[i].damage && l->files[i].indexed;
    return n;
}

bool probe_same(const struct jw_cache_listing *before, const struct jw_cache_listing *after)
{
    bool same = before->n == after->n && before->index.n == after->index.n
                && before->missing == after->missing && before->foreign == after->foreign;

    for (size_t i = 0; same && i < before->n; i++) {
        const struct jw_cache_file *b = &before->files[i];
        const struct jw_cache_file *f = &after->files[i];

        same = b->name == f->name && b->identity == f->identity && b->recorded == f->recorded;
    }
    return same;
}
