/* The entries of one outdated build and architecture become a pack in the store before they go. */
#ifndef CACHE_PRUNE_PRUNE_SAVE_H
#define CACHE_PRUNE_PRUNE_SAVE_H

#include "cache/change/publish_place.h"
#include "cache/prune/prune.h"

struct prune_saving {
    const struct publish_root *root;
    const struct jw_warm_state *memory;
    const char *current; /* stamp of this machine's driver, whose packs are not evicted; or NULL */
    const struct jw_cache_file *const *files; /* sound ones of this build and architecture, by name */
    size_t n;
    const struct jw_prune_build *build;
    const char *arch;
    const atomic_bool *interrupted;
};

/* `*path`: of the pack in the store. False: it is not saved. */
bool prune_save(const struct prune_saving *s, struct jw_arena *a, const char **path,
                struct jw_err *err) JW_MUST;

#endif
