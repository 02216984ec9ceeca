/*
 * Decides which entries of a cache to remove, and why. Pure. All other entries are kept.
 *
 *   damaged   does not match its header, name or checksums, and is not being written
 *   outdated  made by another driver build that was not used here for 90 days, in a cache that no other machine shares
 *   unindexed not in the index for a day, and not recorded by a prime
 *   excess    beyond --max-size: other builds first, then entries that were never primed, oldest first
 *   all       every entry; only if asked for
 *
 * What NVRTC, nvJitLink or OpenCL store is never outdated: their build is not the driver's, and reading leaves no trace.
 */
#ifndef CACHE_PRUNE_PRUNE_PLAN_H
#define CACHE_PRUNE_PRUNE_PLAN_H

#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/listing.h"

enum jw_prune_why {
    JW_PRUNE_KEEP,
    JW_PRUNE_DAMAGED,
    JW_PRUNE_OUTDATED,
    JW_PRUNE_UNINDEXED,
    JW_PRUNE_EXCESS,
    JW_PRUNE_ALL,
    JW_PRUNE_WHYS
};

extern const char *const jw_prune_why_names[JW_PRUNE_WHYS]; /* "outdated" */

/* The fate of a build's entries. */
enum jw_prune_fate {
    JW_PRUNE_CURRENT, /* the driver here */
    JW_PRUNE_GONE,    /* outdated */
    JW_PRUNE_RECENT,  /* used in the last 90 days */
    JW_PRUNE_SHARED,  /* other machines may use this cache with that driver */
    JW_PRUNE_REAL,    /* made by a real driver, and the driver here is none */
    JW_PRUNE_UNKNOWN  /* the driver here is unknown */
};

/* "current" "outdated" "recent" "shared" "real" "unknown" */
extern const char *const jw_prune_fate_names[JW_PRUNE_UNKNOWN + 1];

struct jw_prune_build {
    const char *stamp;
    const struct jw_driver_state *driver; /* NULL: never found here */
    enum jw_prune_fate fate;
    int64_t used_at; /* seconds since 1970: last found here, or last compiled */
};

struct jw_prune_facts {
    const struct jw_cache_listing *list;
    const struct jw_driver_states *drivers;
    const struct jw_warm_state *memory;
    const char *current; /* stamp of the driver here; NULL: unknown */
    bool shared;         /* the cache is on a network disk */
    int64_t now;         /* seconds since 1970 */
    bool outdated_now;   /* all builds but the current one are outdated */
    bool all;            /* remove all entries that could be read */
    uint64_t max;        /* bytes; UINT64_MAX: any size is kept */
};

enum { JW_PRUNE_OUTDATED_DAYS = 90 };

struct jw_prune_plan {
    enum jw_prune_why *why; /* of each file of the listing */
    struct jw_prune_build *builds;
    size_t n_builds;
};

bool jw_prune_plan(const struct jw_prune_facts *facts, struct jw_arena *a, struct jw_prune_plan *out,
                   struct jw_err *err) JW_MUST;

/* May return NULL. */
const struct jw_prune_build *jw_prune_build_of(const struct jw_prune_plan *p, const char *stamp);

/* The build that compiled this entry. NULL: it is another compiler's, or damaged, or names none. */
const struct jw_prune_build *jw_prune_build_of_file(const struct jw_prune_plan *p,
                                                    const struct jw_cache_file *f);

#endif
