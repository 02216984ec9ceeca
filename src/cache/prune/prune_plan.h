/*
 * Which entries of a cache could go, and why. Pure: of what was listed, of which drivers are known here, of what is
 * remembered. What no rule names is kept.
 *
 *   damaged   it does not fit its own header, name or checksums, and is no longer being written
 *   outdated  made by a driver build that is not this machine's, and was not used here for 90 days (met, or compiling), in
 *             a cache that no other machine shares
 *   unindexed the index has had no record of it for a day, and no prime remembers it
 *   old       older than was asked for, whoever made it
 *   excess    more than was asked for: other builds first, then what was never primed, the oldest first
 */
#ifndef CACHE_PRUNE_PRUNE_PLAN_H
#define CACHE_PRUNE_PRUNE_PLAN_H

#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"

enum jw_prune_why {
    JW_PRUNE_KEEP,
    JW_PRUNE_DAMAGED,
    JW_PRUNE_OUTDATED,
    JW_PRUNE_UNINDEXED,
    JW_PRUNE_OLD,
    JW_PRUNE_EXCESS,
    JW_PRUNE_WHYS
};

const char *jw_prune_why_name(enum jw_prune_why w); /* "outdated" */

/* What is to be made of the entries of a build. */
enum jw_prune_fate {
    JW_PRUNE_CURRENT, /* of the driver that is here */
    JW_PRUNE_GONE,    /* outdated */
    JW_PRUNE_RECENT,  /* was used not long ago */
    JW_PRUNE_SHARED,  /* other machines use this cache, perhaps with that driver */
    JW_PRUNE_REAL,    /* the driver here is simulated, and this build is a real one */
    JW_PRUNE_UNKNOWN  /* which driver is here is not known */
};

const char *jw_prune_fate_name(
    enum jw_prune_fate f); /* "current" "outdated" "recent" "shared" "real" "unknown" */

struct jw_prune_build {
    const char *stamp;
    const struct jw_driver_state *driver; /* NULL: it was never met here */
    enum jw_prune_fate fate;
    int64_t used_at; /* seconds since 1970: when it was met, or compiled, last */
};

struct jw_prune_facts {
    const struct jw_cache_listing *list;
    const struct jw_driver_states *drivers;
    const struct jw_warm_state *memory;
    const char *current; /* stamp of the driver that is here; NULL: it is not known */
    bool simulated;      /* it is the simulated one */
    bool shared;         /* the cache is on another machine's disk */
    int64_t now;         /* seconds since 1970 */
    bool outdated_now;   /* every build but the current one is outdated */
    bool everything;     /* all that could be read is too much */
    uint64_t older_s;    /* 0: no age is too old */
    uint64_t most;       /* bytes; UINT64_MAX: no size is too large */
};

enum { JW_PRUNE_OUTDATED_DAYS = 90 };

struct jw_prune_plan {
    enum jw_prune_why *why; /* of each file of the listing */
    struct jw_prune_build *builds;
    size_t n_builds;
};

bool jw_prune_plan(const struct jw_prune_facts *facts, struct jw_arena *a, struct jw_prune_plan *out,
                   struct jw_err *err) JW_MUST;

const struct jw_prune_build *jw_prune_build_of(const struct jw_prune_plan *p,
                                               const char *stamp); /* or NULL */

#endif
