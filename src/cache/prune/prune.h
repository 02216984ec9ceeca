/* Lists cache entries that no driver here can use, has them saved, and removes them if asked. Follows no link. A kill at any time loses no
 * other entry (cache/change/prune_remove.h). */
#ifndef CACHE_PRUNE_PRUNE_H
#define CACHE_PRUNE_PRUNE_H

#include "cache/prune/prune_plan.h"
#include "jitwarm/run.h"

struct jw_prune_options {
    bool all; /* all entries of all programs count */
    bool act; /* remove them; else only list them */
    /* Saves these entries, which are sorted and whole as far as headers show, before anything is removed; false: nothing is. NULL: they are
     * not saved. */
    bool (*save)(void *ctx, const uint64_t *names, size_t n, struct jw_err *err);
    void *ctx;
};

struct jw_prune_sum {
    uint64_t entries, bytes; /* bytes on the disk */
};

/* Entries of one build and architecture that are removed for one reason. */
struct jw_prune_group {
    enum jw_prune_why why;
    const char *stamp, *arch, *maker; /* "": none; maker "": the driver */
    struct jw_prune_sum sum;
};

struct jw_prune_report {
    const struct jw_run *run;  /* how it ended, and notes */
    const char *cache;         /* folder of the cache, or NULL */
    const char *const *stamps; /* stamps of the driver builds here */
    size_t n_stamps;
    struct jw_prune_sum before, plan, removed; /* all of the cache; what can be removed; what was */
    uint64_t stale;                            /* records without a file; they are removed, too */
    struct jw_prune_group *groups;
    size_t n_groups;
    uint64_t changed; /* entries that changed while prune ran, and are kept */
};

/* False only on an internal error. */
bool jw_prune(struct jw_run *run, const struct jw_prune_options *o, struct jw_prune_report *out,
              struct jw_err *err) JW_MUST;

#endif
