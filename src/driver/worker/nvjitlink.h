/*
 * nvJitLink in a child process. Each call starts a child of this program (driver/worker/child.h), so a crash or a hang
 * of the library only fails that call.
 */
#ifndef DRIVER_WORKER_NVJITLINK_H
#define DRIVER_WORKER_NVJITLINK_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct jw_nvjitlink {
    const char *path, *version; /* "13.0.88", or "13.0" when its file has no more */
    unsigned major, minor;
};

struct jw_nvjitlink_job {
    const char *in, *out; /* files: PTX in, machine code out */
    const char *const *options;
    size_t n_options;
    unsigned timeout_ms;
    const atomic_bool *interrupted; /* NULL: never */
};

/* Reads the version of the library at the absolute `path`. Texts live in `a`. Fails with JW_E_DRIVER when the library
 * cannot be loaded, is no nvJitLink, crashes or hangs, and with JW_E_INTERRUPTED. */
bool jw_nvjitlink_ask(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                      struct jw_nvjitlink *out, struct jw_err *err) JW_MUST;

/* Fails with JW_E_FORMAT when the library rejects the PTX, JW_E_DRIVER when it gives no answer, or JW_E_INTERRUPTED. */
bool jw_nvjitlink_compile(const struct jw_nvjitlink *by, const struct jw_nvjitlink_job *job,
                          struct jw_err *err) JW_MUST;

#endif
