/* What jitwarm remembers of one cache, in a folder, and the lock on that cache:
 *
 *   STATE/caches/DIGEST/roots.*    what a person asked for (memory/roots.h)
 *                      bans       modules that a driver could not compile (memory/bans.h)
 *                      sound      entries that were read (memory/sound.h)
 *                      *.kept     PTX of recorded commands that is in no file (prime/kept.h)
 *   STATE/caches/REAL/lock         held by the process that works on the cache
 *                     holder       its number and jw_boot_id, and when it began
 *
 * DIGEST: the first 32 hex digits of the BLAKE2b-256 of the cache's path as it is named, so that a
 * cache that moves behind a link keeps what is remembered. REAL: that of its real path, so that one
 * process at a time works on a folder of two names. */
#pragma once

#include "base/arena.h"
#include "base/fields.h"
#include "jitwarm/err.h"

struct jw_cache_memory {
    const char *cache; /* the cache's real path */
    const char *dir;   /* its folder in the state folder, by its name */
    const char *lock;  /* the folder of its lock, by its real path */
    /* why nothing is remembered there, a sentence: others may write to it, or it is another user's;
     * NULL: it is used */
    const char *unusable;
};

/* Gives the form of a path in which it is remembered: absolute, with the links by which it was
 * named, as these may lead elsewhere later. A path with "." or ".." is resolved, so that one folder
 * has one form. */
bool jw_named_path(const char *path, struct jw_arena *a, const char **out,
                   struct jw_err *err) JW_MUST;

/* Finds the paths and creates nothing. False: the cache's real path cannot be found. Without a
 * state folder it is unusable. */
bool jw_cache_memory_find(const char *cache, struct jw_arena *a, struct jw_cache_memory *out,
                          struct jw_err *err) JW_MUST;

/* ---- the lock: one process works on a cache at a time ---- */

struct jw_cache_lock;

struct jw_lock_holder {
    unsigned long pid; /* 0: unknown, as that of a holder in another container */
    int64_t since;     /* seconds since 1970 */
    uint32_t system;   /* jw_boot_id of the holder: where `pid` is its number */
};

/* Makes its folder and takes the lock. True with `*out` NULL: another process has the lock, and
 * `holder` says which. */
bool jw_cache_lock(const struct jw_cache_memory *f, struct jw_cache_lock **out,
                   struct jw_lock_holder *holder, struct jw_err *err) JW_MUST;
void jw_cache_unlock(struct jw_cache_lock *l); /* accepts NULL */
/* "another jitwarm (process 12, for 3 s now) is using CACHE" */
const char *jw_lock_holder_text(const struct jw_lock_holder *h, const char *cache,
                                struct jw_arena *a);
/* Does any process have the lock? Then `holder` says which. */
bool jw_cache_lock_ask(const struct jw_cache_memory *f, bool *held, struct jw_lock_holder *holder,
                       struct jw_err *err) JW_MUST;
/* Does any process have the lock of any cache of this user? */
bool jw_cache_lock_any(struct jw_arena *a, struct jw_lock_holder *holder);

/* ---- files of the folder ----
 * Each is one checked record (machine/trust.h). An unusable folder has none, and writing fails with
 * JW_E_IO. */

struct jw_memory_file {
    const char *name;
    uint16_t kind;
    const struct jw_field *fields;
    size_t size; /* of the struct that they fill */
};

/* `of` is all zero where there is no file, or it cannot be read. `found` may be NULL. */
bool jw_cache_memory_load(const struct jw_cache_memory *f, const struct jw_memory_file *file,
                          struct jw_arena *a, void *of, bool *found, struct jw_err *err) JW_MUST;
bool jw_cache_memory_save(const struct jw_cache_memory *f, const struct jw_memory_file *file,
                          const void *of, struct jw_err *err) JW_MUST;

/* Kinds of records; earlier versions of jitwarm used other numbers. */
enum {
    JW_RECORD_FILE = 56,
    JW_RECORD_ROOTS,
    JW_RECORD_BANS = 59,
    JW_RECORD_SOUND,
    JW_RECORD_HOLDER,
    JW_RECORD_DRIVER /* in another folder */
};
