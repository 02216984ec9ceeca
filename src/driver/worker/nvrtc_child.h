/* The inside of a process that holds an NVRTC: loads it, tells what it is, and has it compile what it is
 * given. */
#ifndef DRIVER_WORKER_NVRTC_CHILD_H
#define DRIVER_WORKER_NVRTC_CHILD_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

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

#endif
