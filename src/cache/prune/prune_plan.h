/*
 * Decides which entries of a cache to remove, and why. Pure. All other entries are kept.
 *
 *   damaged  does not match its header, name or checksums, and is not being written
 *   old      made by a driver build that is not on this machine, in a cache that no other machine shares
 *   all      every entry; only if asked for
 *
 * What NVRTC, nvJitLink or OpenCL store is never old: their build is not the driver's, and reading leaves no trace.
 */
#ifndef CACHE_PRUNE_PRUNE_PLAN_H
#define CACHE_PRUNE_PRUNE_PLAN_H

#include "cache/place/listing.h"

enum jw_prune_why { JW_PRUNE_KEEP, JW_PRUNE_DAMAGED, JW_PRUNE_OLD, JW_PRUNE_ALL, JW_PRUNE_WHYS };

extern const char *const jw_prune_why_names[JW_PRUNE_WHYS]; /* "keep" "damaged" "old" "all" */

struct jw_prune_facts {
    const char *const *stamps; /* of the driver builds that programs can load here, the usual one first */
    size_t n_stamps;           /* 0: not known, so no build is old */
    bool shared;               /* the cache is on a network disk */
    int64_t now;               /* seconds since 1970 */
    bool all;
};

/* Judges one file of the listing. */
enum jw_prune_why jw_prune_why_of(const struct jw_prune_facts *facts, const struct jw_cache_file *f);

#endif
