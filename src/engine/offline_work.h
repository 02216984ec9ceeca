/* The inside of prime --offline. */
#ifndef ENGINE_OFFLINE_WORK_H
#define ENGINE_OFFLINE_WORK_H

#include "engine/offline.h"
#include "engine/targets.h"
#include "host/list.h"
#include "os/thread.h"

struct offline_job {
    const struct target *of;
    const char *why; /* NULL: it is compiled */
};

struct offline {
    const struct jw_offline_options *o;
    struct jw_offline_report *out;
    struct jw_arena *a; /* of one thread; of several under `lock` */
    struct targets found;
    struct offline_job *jobs; /* each module once, the largest first */
    size_t n_jobs;
    char *work, *root; /* folders of ours; root: laid out like a cache */
    struct jw_notes notes;

    struct jw_lock *lock; /* of what follows */
    atomic_size_t next;
    uint64_t done, total; /* bytes of PTX */
    struct jw_err failed; /* what ends it all */
};

bool offline_interrupted(const struct offline *x, struct jw_err *err); /* false once it is */

/* Into `root`. `*why` is set, and true: this one module cannot be had. `worker`: whose folder it may use. */
bool offline_compile(struct offline *x, const struct target *t, unsigned worker, const char **why,
                     struct jw_err *err) JW_MUST;

/* The entry that proves the compiler's code on the target. `*why`: the compiler makes nothing for this architecture. */
bool offline_canary(struct offline *x, const char **why, struct jw_err *err) JW_MUST;

#endif
