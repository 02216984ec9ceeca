/*
 * What a driver build could not compile: prime does not do the same again with that build. If the
 * file is lost, it is tried again. One file for each cache, beside the roots, replaced as a whole.
 */
#pragma once

#include "base/arena.h"
#include "base/digest.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/module.h"
#include "memory/cache_memory.h"

struct jw_ban {
    uint8_t id[JW_DIGEST]; /* struct jw_job.id */
    uint16_t sm;
    const char *build,
        *compiler; /* identities of libcuda and of its compiler's library ("": unknown) */
    /* How it ended. FAILED, CRASHED, TIMEOUT: it is skipped. TODO: it was stopped, and may need
     * longer. LOADED: no ban. */
    enum jw_outcome how;
    const char *why; /* in words: "CUDA_ERROR_INVALID_PTX (218)", "signal 11 (Segmentation fault)";
                        else "" */
    uint32_t stopped_ms; /* it was stopped after this time; 0: it was not */
};

struct jw_bans {
    struct jw_ban *v;
    size_t n;
};

void jw_bans_load(const struct jw_cache_memory *f, struct jw_arena *a,
                  struct jw_bans *out); /* empty if the file cannot be read */
/* Returns the ban of this module for exactly this build and compiler, or NULL. */
const struct jw_ban *jw_ban_of(const struct jw_bans *b, const struct jw_job *j,
                               const struct jw_scope *driver);
/* Replaces bans of the same modules and builds, in the list as it is now, since runs without the
 * lock change it, too. */
bool jw_bans_change(const struct jw_cache_memory *f, const struct jw_bans *changed,
                    struct jw_err *err) JW_MUST;
