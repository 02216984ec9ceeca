/*
 * nvJitLink, at arm's length. This process never loads it: a child of our own program does, one for each question
 * (driver/worker/child.h). One that crashes, hangs, exits or prints costs that question.
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
    const char *path, *version; /* "13.0.88"; "13.0" of one that does not tell more */
    unsigned major, minor;
    bool simulated; /* it carries the marker of the project's own simulated nvJitLink */
};

struct jw_nvjitlink_job {
    const char *in, *out; /* files: PTX, and where the machine code goes */
    const char *const *options;
    size_t n_options;
    unsigned timeout_ms;
    const atomic_bool *interrupted; /* NULL: never */
};

/* What the library at `path` (absolute) is. Texts live in `a`. False: JW_E_DRIVER, with a sentence that names it, when it
 * cannot be loaded, is no nvJitLink, crashes or hangs; JW_E_INTERRUPTED. */
bool jw_nvjitlink_ask(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                      struct jw_nvjitlink *out, struct jw_err *err) JW_MUST;

/* False: JW_E_FORMAT, it makes nothing of this one, and why; JW_E_DRIVER, it came to no answer; JW_E_INTERRUPTED. */
bool jw_nvjitlink_compile(const struct jw_nvjitlink *by, const struct jw_nvjitlink_job *job,
                          struct jw_err *err) JW_MUST;

#endif
