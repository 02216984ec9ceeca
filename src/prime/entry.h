/*
 * A job of an entry of the cache: its key has the PTX, and shows the call that made it. So modules that are in no file can be compiled
 * again, loaded to prove an entry, and known for another driver build.
 */
#ifndef PRIME_ENTRY_H
#define PRIME_ENTRY_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/module.h"

/*
 * `path`: the entry's file, or a kept one without its code (memory/roots.h). `name`: the entry's, which this driver must give it; 0: any,
 * as of an entry of another build. `sm`: for which the job is. `work`: a folder for the PTX, in a form that a worker loads; NULL: none is
 * written, and the place has no file.
 *
 * `*made` false: the file is gone or torn, no module's, of PTX that is too new for this driver, or its key shows no call that would make
 * it. The job's place is called "cache entry 4/2/3e06b9e6ec62aa", and without a `name` "PTX of KERNEL, in no file".
 */
bool jw_entry_job(struct jw_arena *a, const struct jw_scope *scope, const char *path, uint64_t name,
                  uint64_t key_size, uint16_t sm, const char *work, struct jw_job *out, bool *made,
                  struct jw_err *err) JW_MUST;

#endif
