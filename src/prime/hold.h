/* The right to change a cache: its lock, a whole index, and a work folder in it. prime, import and
 * prune take it. */
#pragma once

#include "prime/look.h"

struct jw_hold {
    struct jw_run *run;
    /* set by jw_hold_lock: */
    const struct jw_cache_memory *memory; /* of the cache */
    struct jw_cache_lock *lock;           /* NULL: not taken */
    char *work;                           /* the work folder; NULL: not made yet */
};

/* Takes the lock; waits for another jitwarm that has it, until the deadline. May end the run. */
bool jw_hold_lock(struct jw_hold *h, const struct jw_cache_memory *memory,
                  struct jw_err *err) JW_MUST;
/* Repairs a damaged index, whose form has to be known (not at level 0), unless the run has ended.
 */
bool jw_hold_repair(struct jw_hold *h, struct jw_err *err) JW_MUST;
/* Makes h->work in the cache, so that an entry is moved to its name on one mount, within one quota.
 * A driver leaves the folder alone. Without the lock it is in the state folder, since nothing in
 * the cache may change. driver-fact: F83-damaged-index */
bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err) JW_MUST;
void jw_hold_end(struct jw_hold *h); /* accepts one that was not taken; it can be taken again */
