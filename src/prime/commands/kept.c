/* Keeps the PTX that a recorded command made while it ran: no file holds it, so it would be lost with the cache. The
 * head and the key of each entry, without the code, are kept beside jitwarm's records about the cache, under the module's
 * id. */
#include "prime/commands/command.h"

#include "base/limits.h"
#include "base/path.h"
#include "cache/memory/warmplace.h"
#include "machine/listing.h"
#include "os/files/file.h"

#include <stdio.h>

#define MAX_KEPT ((uint64_t)256 << 20) /* bytes that are kept for one cache */

static const char ending[] = ".kept";

/* Returns NULL where there are no records that can be believed. */
static const char *folder_of(struct jw_run *run, const char *cache)
{
    struct jw_warm_place place;
    struct jw_err ignored;

    return cache && jw_warm_place_find(cache, run->a, &place, &ignored)
                   && jw_warm_place_check(&place, run->a, &ignored)
               ? place.dir
               : NULL;
}

const char *const *prime_kept_list(struct jw_run *run, const char *cache, size_t *n)
{
    const char *folder = folder_of(run, cache);
    struct jw_listing names;

    *n = 0;
    if (!folder)
        return NULL;
    names = jw_listing_read(folder, "*.kept", run->a, &run->notes);
    for (size_t i = 0; i < names.n; i++)
        names.names[i] = jw_path_join(run->a, folder, names.names[i]);
    *n = names.n;
    return names.names;
}

bool prime_kept_read(const char *path, struct prime_entry *out, struct jw_err *err)
{
    struct jw_file_info info;
    struct jw_err gone;
    bool there = jw_file_stat(path, &info, &gone) && info.size > JW_CACHE_HEADER;

    return prime_entry_file(path, there ? info.size - JW_CACHE_HEADER : 0, out, err);
}

/* ---- keeping ---- */

/* A job whose PTX was found in the cache alone was made by the command itself. */
static bool is_made(const struct jw_job *j)
{
    return jw_job_is_warm(j) && j->predicted && j->module.n_places == 1
           && prime_place_is_entry(j->module.places);
}

static uint64_t size_of_all(struct jw_run *run, const char *cache)
{
    size_t n;
    const char *const *paths = prime_kept_list(run, cache, &n);
    struct jw_file_info info;
    struct jw_err ignored;
    uint64_t sum = 0;

    for (size_t i = 0; paths && i < n; i++)
        sum += jw_file_stat(paths[i], &info, &ignored) ? info.size : 0;
    return sum;
}

/* An entry that is gone meanwhile is not kept. */
static bool keep(const char *entry, const char *path, uint64_t size, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(JW_CACHE_HEADER + JW_MAX_CACHE_KEY);
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err gone;
    size_t got = 0;
    bool ok = true;

    jw_buf_fill(&bytes, 0, (size_t)size);
    if (!bytes.bad && jw_file_open(&f, entry, &gone)
        && jw_file_read(&f, 0, bytes.p, (size_t)size, &got, &gone) && got == size)
        ok = jw_file_put(path, JW_OUT_NEW, jw_buf_bytes(&bytes), err);
    jw_file_close(&f);
    jw_buf_free(&bytes);
    return ok || jw_wrap(err, "%s", path);
}

bool prime_keep_made(struct prime *p, struct jw_err *err)
{
    const char *cache = p->ctx.cache.folder, *folder = p->reuse.profile ? folder_of(p->run, cache) : NULL;
    uint64_t sum = folder ? size_of_all(p->run, cache) : 0;
    struct jw_err why = { 0 };

    (void)err;
    for (size_t i = 0; folder && i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];
        uint64_t size = JW_CACHE_HEADER + j->key_size;
        char id[2 * JW_DIGEST + sizeof ending];

        if (!is_made(j) || j->key_size > JW_MAX_CACHE_KEY)
            continue;
        jw_digest_hex(id, j->id);
        (void)snprintf(id + JW_DIGEST, sizeof ending, "%s", ending);

        const char *path = jw_path_join(p->run->a, folder, id);

        if (jw_is_file(path))
            continue;
        if (sum + size > MAX_KEPT) {
            prime_note(
                p,
                "the PTX that the command makes while it runs is more than %llu MiB: not all of it is kept",
                (unsigned long long)MAX_KEPT >> 20);
            break;
        }
        if (!keep(jw_path_join(p->run->a, cache, jw_cache_name(j->name).text), path, size, &why)) {
            prime_note(p, "the PTX that the command makes while it runs could not be kept: %s", why.msg);
            break;
        }
        sum += size;
    }
    return true;
}
