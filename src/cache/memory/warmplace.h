/*
 * The files with jitwarm's records about one cache:
 *
 *   STATE/caches/DIGEST/warm.log      the records: cache/format/warmlog.h
 *                      lock          held by the process that works on the cache; one checked record says which; made after warm.log
 *                      progress      its progress: one checked record (base/fields.h)
 *                      index.backup  jw_warm_backup_index
 *                      *.kept        entries without their code: src/prime/commands/kept.c
 *                      asked         what a prime was asked for while another process held the lock; the next one takes it into warm.log
 *                      *.begun       commands whose start is recorded, or was not to its end: src/prime/memory/begun.h
 *
 * DIGEST: the first 32 hex digits of the BLAKE2b-256 of the cache's real path.
 */
#ifndef CACHE_MEMORY_WARMPLACE_H
#define CACHE_MEMORY_WARMPLACE_H

#include "base/arena.h"
#include "cache/format/warmlog.h"
#include "cache/memory/warmstate.h"
#include "os/files/file.h"

enum { JW_WARM_DIGEST = 32 };

struct jw_warm_place {
    const char *cache; /* its real path */
    const char *state, *roots, *dir;
    const char *log, *lock, *progress, *backup;
};

/* Finds the paths. Creates nothing. */
bool jw_warm_place_find(const char *folder, struct jw_arena *a, struct jw_warm_place *out,
                        struct jw_err *err) JW_MUST;

/* The same, where `real` is what once was the real path: the cache may be gone since, or a link. */
bool jw_warm_place_of_real(const char *real, struct jw_arena *a, struct jw_warm_place *out,
                           struct jw_err *err) JW_MUST;

/* False if other users may write there. */
bool jw_warm_place_check(const struct jw_warm_place *p, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Makes the folders; else the same. */
bool jw_warm_place_make(const struct jw_warm_place *p, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* The first file or folder of jitwarm's that is of another kind than it must be, so that nothing can be kept there: a
 * sentence, whose path is `*path`; NULL: none is. `cache`: of the cache; NULL: of none. */
const char *jw_warm_blocked(const char *folder, struct jw_arena *a, const char **path);

struct jw_warm_image {
    struct jw_file_info file; /* as it was before it was read */
    struct jw_bytes bytes;    /* lives in the arena */
    struct jw_warmlog log;
    const char *cache; /* the log's root, or NULL */
};

/* A missing log is empty. The caller frees `log`. */
bool jw_warm_image_read(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_image *out,
                        struct jw_err *err) JW_MUST;

/* The holder, as the lock file names it. */
void jw_warm_holder_put(struct jw_buf *out, const struct jw_warm_holder *holder);

/* `*held`: a process has the lock. Unknown fields of the holder stay 0. */
bool jw_warm_holder_ask(const struct jw_warm_place *p, bool *held, struct jw_warm_holder *holder,
                        struct jw_err *err) JW_MUST;

#endif
