/* The inside of a process that holds an nvJitLink: it tells what that is, or has it compile one file, and ends. */
#ifndef DRIVER_WORKER_NVJITLINK_CHILD_H
#define DRIVER_WORKER_NVJITLINK_CHILD_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A verb of the program; what follows it is jw_nvjitlink_child. */
#define JW_NVJITLINK_VERB "worker-nvjitlink"

struct jw_nvjitlink_child {
    const char *library;  /* an absolute path */
    const char *in, *out; /* files: PTX, machine code; NULL: what is the library? */
    const char *const *options;
    size_t n_options;
};

/*
 * What it has to say begins with this, on a line of its own behind whatever the library may have printed, as one of
 *     version 13.0.88 13 0 1       the last: it is the project's own simulated one
 *     made                         `out` is there
 *     refused WHY                  one line; nothing is made
 */
#define JW_NVJITLINK_MARK "\njitwarm-nvjitlink: "

/* Appends that. False: the library cannot be used, or files cannot be read or written. */
bool jw_nvjitlink_serve(const struct jw_nvjitlink_child *o, struct jw_buf *said, struct jw_err *err) JW_MUST;

#endif
