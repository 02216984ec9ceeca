/* The inside of compile. */
#ifndef PACK_COMPILE_OFFLINE_WORK_H
#define PACK_COMPILE_OFFLINE_WORK_H

#include "machine/list.h"
#include "os/machine/thread.h"
#include "pack/compile/offline.h"
#include "software/scan/targets.h"

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

/* The compiler that `asked` means: "ptxas", "nvjitlink", or an absolute path. False: JW_E_USAGE, there is none, or it is none;
 * JW_E_INTERRUPTED. */
bool offline_compiler_find(const char *asked, const atomic_bool *interrupted, struct jw_arena *a,
                           struct jw_compiler *out, struct jw_err *err) JW_MUST;

struct offline_call {
    const char *in, *out; /* files */
    const char *options;  /* as the module's file stores them */
    struct jw_arena *a;
};

/* Has it make `out` of `in`, for `x->o->sm`. False: the reason; of the module alone, but for JW_E_INTERRUPTED. */
bool offline_compiler_run(const struct offline *x, const struct offline_call *call,
                          struct jw_err *err) JW_MUST;

/* The entry that proves the compiler's code on the target. `*why`: the compiler makes nothing for this architecture. */
bool offline_canary(struct offline *x, const char **why, struct jw_err *err) JW_MUST;

#endif
