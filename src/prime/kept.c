#include "prime/kept.h"

#include "base/path.h"
#include "cache/format/digest_set.h"
#include "cache/format/jitcache.h"
#include "machine/paths.h"
#include "os/files/file.h"

const char *jw_kept_path(const struct jw_cache_memory *f, const uint8_t id[JW_DIGEST],
                         struct jw_arena *a)
{
    return jw_arena_printf(a, "%s/%s." JW_ROOTS_FORM ".kept", f->dir, jw_digest_text(id).text);
}

static bool put(const char *entry, const char *path, size_t size, struct jw_arena *a,
                struct jw_err *err)
{
    uint8_t *bytes = jw_arena_alloc(a, size);

    return (jw_file_read_part(entry, 0, bytes, size, err) || jw_wrap(err, "%s", entry))
           && (jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){bytes, size}, err)
               || jw_wrap(err, "%s", path));
}

bool jw_kept_put(const struct jw_cache_memory *f, const char *entry, uint64_t key_size,
                 const uint8_t id[JW_DIGEST], uint64_t *room, struct jw_err *err)
{
    struct jw_arena a = {0};
    const char *path = jw_kept_path(f, id, &a);
    uint64_t size = JW_CACHE_HEADER + key_size;
    bool there = jw_is_file(path);
    bool ok = there
              || ((size <= *room
                   || jw_fail(err, JW_E_LIMIT, "more than %llu MiB of PTX that is in no file",
                              (unsigned long long)JW_MAX_KEPT >> 20))
                  && put(entry, path, (size_t)size, &a, err));

    if (ok && !there)
        *room -= size;
    jw_arena_free(&a);
    return ok;
}

static struct jw_digest_set needed_by(const struct jw_roots *roots, struct jw_arena *a)
{
    struct jw_digest_set ids = {0};

    for (size_t i = 0; i < roots->n; i++)
        for (size_t k = 0; k < roots->v[i].n_modules; k++)
            if (!roots->v[i].modules[k].file)
                jw_digest_set_add(&ids, a, roots->v[i].modules[k].id);
    jw_digest_set_sort(&ids);
    return ids;
}

uint64_t jw_kept_sweep(const struct jw_cache_memory *f, const struct jw_roots *roots)
{
    struct jw_arena a = {0};
    struct jw_texts ignored = {0};
    const struct jw_digest_set needed = needed_by(roots, &a);
    struct jw_listing kept = jw_listing_read(f->dir, "*." JW_ROOTS_FORM ".kept", &a, &ignored);
    uint64_t sum = 0;

    for (size_t i = 0; i < kept.n; i++) {
        const char *path = jw_path_join(&a, f->dir, kept.names[i]);
        struct jw_file_info info;
        uint8_t id[JW_DIGEST];
        const char *hex = kept.names[i];
        bool is_id = !sodium_hex2bin(id, sizeof id, hex, 2 * sizeof id, NULL, NULL, NULL);
        bool is_needed = is_id && jw_digest_set_has(&needed, id);

        if (!roots->damaged && !is_needed && jw_file_remove(path, JW_IGNORED))
            continue;
        sum += jw_file_stat(path, &info, JW_IGNORED) ? info.size : 0;
    }
    jw_arena_free(&a);
    return sum;
}

bool jw_kept_save(const struct jw_cache_memory *f, const struct jw_roots *roots, struct jw_err *err)
{
    if (!jw_roots_save(f, roots, err))
        return false;
    (void)jw_kept_sweep(f, roots);
    return true;
}
