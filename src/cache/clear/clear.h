/*
 * All that jitwarm wrote on this machine for this user, taken away: what it remembers, the packs of its store, and, when
 * that is asked for, what the driver keeps in its cache. Names that it does not give are left alone, and no link is
 * followed. Settings (env apply), startup tasks, keys and jitwarm.conf stay: they are the user's.
 */
#ifndef CACHE_CLEAR_CLEAR_H
#define CACHE_CLEAR_CLEAR_H

#include "base/arena.h"
#include "cache/status/status.h"
#include "jitwarm/end.h"
#include "machine/list.h"
#include "pack/store/store.h"

#include <stdatomic.h>

struct jw_clear_options {
    bool cache_too;
    const char *cache; /* --cache, or NULL */
    bool act;
    const atomic_bool *interrupted;
};

struct jw_clear_report {
    enum jw_end end;
    const char *why; /* NULL, or the sentence of the end */
    const char *state_dir;
    uint64_t drivers, roots, others; /* what is remembered: of drivers, of caches; logs and folders of work */
    uint64_t state_bytes;
    const char *store_dir;
    struct jw_store_cleared store;
    const char *root; /* of the cache; NULL: it was not asked for, or there is none */
    struct jw_status_sum cache;
    struct jw_notes notes; /* what was not removed, and why */
};

/* Run it without `act` first: then with it, after a yes. False only when nothing can be said. */
bool jw_clear(const struct jw_clear_options *o, struct jw_arena *a, struct jw_clear_report *out,
              struct jw_err *err) JW_MUST;

#endif
