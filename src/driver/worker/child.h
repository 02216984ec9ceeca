/* The inside of a worker process: loads the driver, says what is there, and feeds it what it is asked to. */
#ifndef DRIVER_WORKER_CHILD_H
#define DRIVER_WORKER_CHILD_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What jw_worker_start gives its child to run, in this order: a verb of the program, and four arguments, with JW_WORKER_IDLE
 * before the last two when it is to be idle. */
#define JW_WORKER_VERB "worker"
#define JW_WORKER_NONE "-"
#define JW_WORKER_IDLE "idle"

struct jw_worker_child {
    const char *driver; /* path of the library; JW_WORKER_NONE: the system's */
    const char *device; /* UUID of the only device to tell of; JW_WORKER_NONE: all */
    const char *in, *out;
    bool idle;
};

/* Serves until the parent ends it. False: nobody that we know started this process, or the parent cannot
 * be understood. */
bool jw_worker_serve(const struct jw_worker_child *o, struct jw_err *err) JW_MUST;

/* The inside of a process that holds an NVRTC: loads it, says what it is, and has it compile what it is
 * given. */

/* What jw_nvrtc_worker_start gives its child to run, in this order: a verb of the program, and three
 * arguments. */
#define JW_NVRTC_VERB "worker-nvrtc"

struct jw_nvrtc_child {
    const char *library; /* an absolute path, or a file name for the loader */
    const char *in, *out;
};

/* Serves until the parent closes its pipe. False: nobody that we know started this process, or the parent
 * cannot be understood. */
bool jw_nvrtc_serve(const struct jw_nvrtc_child *o, struct jw_err *err) JW_MUST;

/* The inside of a process that holds an nvJitLink: it says what that is, or has it compile one file, and ends. */

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
