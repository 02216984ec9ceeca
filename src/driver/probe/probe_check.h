/* Compares the driver's files with the modules that it was given. */
#pragma once

#include "cache/place/listing.h"
#include "driver/probe/probe_set.h"

struct probe_findings {
    struct jw_arena *arena;
    enum jw_level level;
    const char *stamp; /* NULL below level 1 */
    const char *why;   /* a clause: why the next level was not reached; NULL: not known yet */
};

/* The name of the entry that a driver of this stamp makes of a module for an architecture. */
bool probe_predict(const struct probe_module *m, const char *stamp, unsigned sm, uint64_t *name,
                   struct jw_err *err) JW_MUST;

/* Finds the level, 0 to 2, from the first `n` modules of the set, compiled for `sm`, and the
 * checked listing of their cache. */
bool probe_check(struct probe_findings *f, const struct probe_module *set, size_t n, unsigned sm,
                 const struct jw_cache_listing *listing, struct jw_err *err) JW_MUST;
