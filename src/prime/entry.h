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

/*
 * Completes a job, which has no place, from the file of its entry, or from a kept one without its code (prime/kept.h). Before, it has its architecture, the size
 * of the file's key, and the name that this driver must give it; 0: any, as of an entry of another build. Where the PTX is too new, `needs`
 * becomes the driver's branch that takes it; NULL: not asked.
 *
 * False, and no place: the file is gone or torn, no module's, of PTX for a newer GPU, or its key shows no call that would make it; and,
 * unless `needs` is asked for, of PTX that is too new for this driver. The place is called "cache entry 4/2/3e06b9e6ec62aa", and without a
 * name "PTX of KERNEL, in no file". It has no file that a worker reads.
 */
bool jw_entry_job(struct jw_arena *a, const struct jw_scope *scope, const char *path, uint16_t *needs,
                  struct jw_job *j);
/* Gives the place of such a job its file: the PTX as a worker loads it, in the folder `work`. None, if the entry went meanwhile. */
bool jw_entry_spool(struct jw_arena *a, const char *work, const struct jw_job *j, struct jw_err *err) JW_MUST;

#endif
