/*
 * Makes a job from an entry of the cache: the key of the entry has the PTX, and shows which call made it. So modules that no file has can
 * be compiled again, loaded to prove an entry, and recognized for another driver build.
 */
#ifndef PRIME_ENTRY_H
#define PRIME_ENTRY_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/module.h"

struct jw_entry_ask {
    const char *path; /* the entry's file, or a kept one without its code (prime/kept.h) */
    uint64_t name;    /* which this driver must give it; 0: any, as of an entry of another build */
    uint64_t key_size;
    uint16_t sm; /* for which the job is */
    /* a folder for the PTX as a worker loads it; NULL: none is written, and the place has no file */
    const char *work;
    uint16_t *needs; /* set where the PTX is too new: the driver's branch that takes it; NULL: not asked */
};

/*
 * A job without a place: the file is gone or torn, no module's, of PTX for a newer GPU, or its key shows no call that would make it; and,
 * unless `needs` is asked for, of PTX that is too new for this driver. The place is called "cache entry 4/2/3e06b9e6ec62aa", and without a
 * `name` "PTX of KERNEL, in no file".
 */
bool jw_entry_job(struct jw_arena *a, const struct jw_scope *scope, const struct jw_entry_ask *ask,
                  struct jw_job *out, struct jw_err *err) JW_MUST;

#endif
