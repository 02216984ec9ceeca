/* Makes a job from an entry of the cache: the key of the entry has the PTX, and shows which call
 * made it. So modules that no file has can be compiled again, loaded to prove an entry, and
 * recognized for another driver build. */
#pragma once

#include "base/arena.h"
#include "jitwarm/answer.h"
#include "jitwarm/module.h"

/* Completes a job from the file of its entry, or from a kept file without the code (prime/kept.h).
 * The caller has set its architecture, the size of the file's key, and the name that this driver
 * must give it (0: any, as of an entry of another build). If the PTX is too new for this driver,
 * `needs` becomes the branch that takes it; NULL: such an entry is refused.
 *
 * False, and the job gets no place: the file is gone or torn, is no module's, has PTX for a newer
 * GPU, or its key shows no call that would make it. The place is called "cache entry
 * 4/2/3e06b9e6ec62aa", and without a name "PTX of KERNEL, in no file". No worker can read it: see
 * jw_entry_spool. */
bool jw_entry_job(struct jw_arena *a, const struct jw_scope *scope, const char *path,
                  uint16_t *needs, struct jw_job *j);
/* Writes the PTX of such a job as a worker loads it into the folder `work`, for its place. No file:
 * the entry is gone by now. */
bool jw_entry_spool(struct jw_arena *a, const char *work, const struct jw_job *j,
                    struct jw_err *err) JW_MUST;
