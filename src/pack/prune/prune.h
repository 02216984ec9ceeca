/* Lists cache entries that no driver here can use, has them saved, and removes them if asked.
 * Follows no link. A kill at any time loses no other entry (cache/change/prune_remove.h). */
#pragma once

#include "cache/place/listing.h"
#include "jitwarm/run.h"
#include "pack/export/export.h"

/* ---- which entries, and why. All others are kept ----
 *
 *   damaged  does not match its header, name or checksums, and is not being written
 *   old      made by a driver build that is not here, in a cache that no other machine shares
 *   all      every entry; only if asked for
 *
 * What NVRTC, nvJitLink or OpenCL store is never old: their build is not the driver's, and reading
 * leaves no trace. */
enum jw_prune_why { JW_PRUNE_KEEP, JW_PRUNE_DAMAGED, JW_PRUNE_OLD, JW_PRUNE_ALL, JW_PRUNE_WHYS };

extern const char *const jw_prune_why_names[JW_PRUNE_WHYS]; /* "keep" "damaged" "old" "all" */

struct jw_prune_facts {
    const struct jw_driver_state **here; /* builds that programs load here, the usual one first */
    size_t n_here;                       /* 0: not known, so no build is old */
    bool shared;                         /* the cache may be on a network disk */
    int64_t now;                         /* seconds since 1970 */
    bool all;
};

/* Judges one file of the listing. */
enum jw_prune_why jw_prune_why_of(const struct jw_prune_facts *facts,
                                  const struct jw_cache_file *f);

/* ---- their removal ---- */

struct jw_prune_options {
    bool all;  /* all entries of all programs count */
    bool act;  /* remove them; else only list them */
    bool save; /* those that are whole as packs of this user first; where that fails, nothing is
                  removed */
};

struct jw_prune_sum {
    uint64_t entries, bytes; /* bytes on the disk */
};

/* Entries of one build and architecture that are removed for one reason, or kept. */
struct jw_prune_group {
    enum jw_prune_why why;
    enum jw_cache_kind kind;
    const char *stamp, *version, *arch; /* as in struct jw_cache_key; of damaged ones "" */
    struct jw_prune_sum sum;
};

/* Groups the entries that have a reason, sorted; without `why`, which has one for each, those that
 * are whole. */
struct jw_prune_group *jw_prune_groups(const struct jw_cache_listing *l,
                                       const enum jw_prune_why *why, struct jw_arena *a, size_t *n);

struct jw_prune_report {
    const char *cache;                         /* folder of the cache, or NULL */
    struct jw_prune_sum before, plan, removed; /* all of the cache; what can be removed; what was */
    uint64_t stale;                            /* records without a file; they are removed, too */
    uint64_t young; /* damaged, and kept while they may still be being written */
    struct jw_prune_group *groups;
    size_t n_groups;
    struct jw_export_report saved; /* the packs, */
    uint64_t not_saved; /* and removed entries that are in none: no pack can be for them */
};

/* False only on an internal error. */
bool jw_prune(struct jw_run *run, const struct jw_prune_options *o, struct jw_prune_report *out,
              struct jw_err *err) JW_MUST;
