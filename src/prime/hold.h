/* The right to change a cache: its lock, a whole index, and a work folder beside it. prime, import and prune take it. And what changes the
 * list of its roots, under that lock. */
#ifndef PRIME_HOLD_H
#define PRIME_HOLD_H

#include "prime/look.h"

struct jw_hold {
    struct jw_run *run;
    bool removes; /* entries: an index that cannot be rebuilt is an error, and no note */
    /* set by jw_hold_begin: */
    const struct jw_cache_memory *memory; /* of the cache */
    struct jw_cache_lock *lock;           /* NULL: not taken */
    char *work;                           /* the work folder; NULL: not made yet */
};

/* Takes the lock, if need be after a wait, and repairs a damaged index; at level 0 its form is unknown, and it is left, as where the roots
 * alone change. May end the run. */
bool jw_hold_begin(struct jw_hold *h, const struct jw_cache_memory *memory, enum jw_level level,
                   struct jw_err *err) JW_MUST;
/* Makes h->work on the file system of the cache. Without the lock it is in the state folder, since nothing beside the cache may change. */
bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err) JW_MUST;
void jw_hold_end(struct jw_hold *h); /* also one that was not begun; it can begin again */

/* Adds `paths` to the roots, and saves them. */
bool jw_look_name_roots(struct jw_run *run, struct jw_look *l, struct jw_texts paths,
                        struct jw_err *err) JW_MUST;

/* Forgets these words as one command, else each as a path or command, also by its line in status, and leaves in `words` those that are not
 * remembered: if there are any, nothing is saved. Entries stay, as other programs may use them. JW_E_BUSY: another jitwarm
 * has the lock. */
bool jw_forget(struct jw_run *run, struct jw_texts *words, struct jw_err *err) JW_MUST;

#endif
