/*
 * Modules that one driver build could not compile: prime does not ask it again before it changes. Lost: tried again.
 * One file for each cache, beside the roots, replaced as a whole under the lock.
 */
#ifndef MEMORY_BANS_H
#define MEMORY_BANS_H

#include "base/arena.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "memory/cache_folder.h"

struct jw_ban {
    uint8_t id[JW_DIGEST]; /* struct jw_job.id */
    uint16_t sm;
    const char *build, *compiler; /* of libcuda; of the library that it compiled with ("": not known) */
    /* in the driver's words: "CUDA_ERROR_INVALID_PTX (218)", "signal 11 (Segmentation fault)"; "": only stopped */
    const char *why;
    uint32_t stopped_ms; /* it was stopped after so long: it may take longer; 0: it was not */
};

struct jw_bans {
    struct jw_ban *v;
    size_t n, room; /* only jw_ban_put lets it grow */
};

void jw_bans_load(const struct jw_cache_folder *f, struct jw_arena *a,
                  struct jw_bans *out); /* unreadable: none */
bool jw_bans_save(const struct jw_cache_folder *f, const struct jw_bans *b, struct jw_err *err) JW_MUST;
/* The ban of this module with exactly this build and compiler, or NULL. */
const struct jw_ban *jw_ban_of(const struct jw_bans *b, const uint8_t id[JW_DIGEST], uint16_t sm,
                               const char *build, const char *compiler);
void jw_ban_put(struct jw_bans *b, const struct jw_ban *ban,
                struct jw_arena *a); /* replaces that of the same module and build; texts are borrowed */
void jw_ban_lift(struct jw_bans *b, const uint8_t id[JW_DIGEST], uint16_t sm);

#endif
