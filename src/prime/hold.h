/* The right to change a cache: its lock, a whole index, the roots, and a folder for work beside it. prime and import take it. */
#ifndef PRIME_HOLD_H
#define PRIME_HOLD_H

#include "prime/look.h"

struct jw_hold {
    struct jw_run *run;
    struct jw_look *look;       /* its scope is known */
    struct jw_texts paths;      /* that become roots */
    unsigned wait_s;            /* for another jitwarm to end; UINT_MAX: without limit */
    struct jw_cache_lock *lock; /* NULL: not taken */
    char *work;                 /* the folder; NULL: none yet */
};

/* Takes the lock, waits as long as it may, and makes a damaged index whole. May end the run. */
bool jw_hold_begin(struct jw_hold *h, struct jw_err *err) JW_MUST;
/* Reads the roots once more, to add to them; a note says where they could not be read. */
void jw_hold_load_roots(struct jw_hold *h);
/* Adds the paths to the roots, and saves them. */
bool jw_hold_name_roots(struct jw_hold *h, struct jw_err *err) JW_MUST;
/* Makes h->work on the file system of the cache; without the lock in the state folder, for nothing beside the cache may change. */
bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err) JW_MUST;
void jw_hold_end(struct jw_hold *h); /* accepts one that was not begun; it can begin again */

#endif
