/*
 * Where the memory of one cache root lies, for the files that read it and write it:
 *
 *   STATE/roots/DIGEST/warm.log      what is remembered: cache/format/warmlog.h
 *                      lock          held by the one process that works on the root: "PID SINCE\n"
 *                      status.json   how far it is
 *                      stop          it was asked to end
 *                      index.backup  what the holder must not lose: jw_warm_backup_index
 *                      *.new         what is about to replace a file
 *
 * DIGEST: the first 32 hex digits of the BLAKE2b-256 of the root's real path.
 */
#ifndef CACHE_MEMORY_WARMPLACE_H
#define CACHE_MEMORY_WARMPLACE_H

#include "base/arena.h"
#include "cache/format/warmlog.h"
#include "cache/memory/warmstate.h"

enum { JW_WARM_DIGEST = 32 };

struct jw_warm_place {
    const char *root; /* its real path */
    const char *state, *roots, *dir;
    const char *log, *lock, *status, *stop, *backup;
};

/* Asks only for the root's real path; makes nothing. */
bool jw_warm_place_find(const char *root, struct jw_arena *a, struct jw_warm_place *out,
                        struct jw_err *err) JW_MUST;

/* False, and a sentence, when others could have written there. */
bool jw_warm_place_believe(const struct jw_warm_place *p, struct jw_arena *a, struct jw_err *err) JW_MUST;

void jw_warm_digest(const char *real, char out[JW_WARM_DIGEST + 1]);

struct jw_warm_image {
    struct jw_bytes bytes; /* lives in the arena */
    struct jw_warmlog log;
    const char *root; /* that it is of; NULL: it does not say, or there is none */
};

/* No log is an empty one. The caller frees `log`. */
bool jw_warm_image_read(const struct jw_warm_place *p, struct jw_arena *a, struct jw_warm_image *out,
                        struct jw_err *err) JW_MUST;

/* `*held`: somebody has the lock; what is not known of the holder stays 0. */
bool jw_warm_holder_ask(const struct jw_warm_place *p, bool *held, struct jw_warm_holder *holder,
                        struct jw_err *err) JW_MUST;

#endif
