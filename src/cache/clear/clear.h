/*
 * Removes what jitwarm stores for this user: its records, the packs of its store and, if asked, the entries of the
 * driver's cache. It removes only files with names that jitwarm gives, and follows no link. It keeps settings (env
 * apply), startup tasks, keys and jitwarm.conf.
 */
#ifndef CACHE_CLEAR_CLEAR_H
#define CACHE_CLEAR_CLEAR_H

#include "base/arena.h"
#include "cache/status/status.h"
#include "jitwarm/run.h"
#include "machine/list.h"
#include "pack/store/store.h"

#include <stdatomic.h>

struct jw_clear_options {
    bool cache_too;
    const char *cache; /* --cache, or NULL */
    bool act;
};

struct jw_clear_report {
    const struct jw_run *run; /* how it ended; notes: what was not removed, and why */
    const char *state_dir;
    uint64_t drivers, roots, others; /* records of drivers and of caches; logs and temporary folders */
    uint64_t state_bytes;
    const char *store_dir;
    struct jw_store_cleared store;
    const char *root; /* of the cache; NULL: not asked for, or there is none */
    struct jw_status_sum cache;
};

/* Without `act` it only lists. False only on an internal error. */
bool jw_clear(struct jw_run *run, const struct jw_clear_options *o, struct jw_clear_report *out,
              struct jw_err *err) JW_MUST;

#endif
