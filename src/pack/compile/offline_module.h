/* One module and a toolkit's compiler: makes the entry that the target's driver will look for. */
#ifndef PACK_COMPILE_OFFLINE_MODULE_H
#define PACK_COMPILE_OFFLINE_MODULE_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "software/find/toolkit.h"
#include "software/scan/targets.h"

#include <stdatomic.h>

/* `asked`: "ptxas", "nvjitlink" or an absolute path. */
bool offline_find_compiler(const char *asked, const atomic_bool *interrupted, struct jw_arena *a,
                           struct jw_compiler *out, struct jw_err *err) JW_MUST;

struct offline_way {
    const char *stamp;
    uint16_t sm;
    const struct jw_compiler *by;
    unsigned timeout_ms;
    const atomic_bool *interrupted;
    const char *work, *root; /* temporary folders; `root` has the layout of a cache */
};

/*
 * Compiles a module (NULL: the canary) into `root`. `why` has the reason if it could not be compiled; false ends the
 * run. Each thread has its own number, for its files.
 */
bool offline_compile(const struct offline_way *way, const struct target *t, unsigned thread,
                     struct jw_err *why, struct jw_err *err) JW_MUST;

#endif
