/* Compares the driver's files with the modules that it was given. */
#ifndef DRIVER_PROBE_PROBE_CHECK_H
#define DRIVER_PROBE_PROBE_CHECK_H

#include "cache/place/listing.h"
#include "driver/probe/probe_set.h"
#include "memory/drivers.h"

struct probe_findings {
    struct jw_arena *arena;
    const char *gpu; /* its name */
    unsigned sm;
    enum jw_level level;
    char stamp[JW_CACHE_STAMP + 1];
    char arch[12];
    uint64_t names[JW_PROBE_MAX]; /* of each module's entry; 0: not found */
    const char *why;              /* the next level was not reached: a clause; NULL: not known yet */
};

/* Says why. */
void probe_say(struct probe_findings *f, const char *fmt, ...) JW_PRINTF(2, 3);

/* Finds the level, 0 to 2, from the first `n` modules of the set and the checked listing of their cache folder
 * `cache`. */
bool probe_check(struct probe_findings *f, const struct probe_module *set, size_t n, const char *cache,
                 const struct jw_cache_listing *listing, struct jw_err *err) JW_MUST;

#endif
