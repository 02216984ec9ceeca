#include "driver/probe/probe_check.h"

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
