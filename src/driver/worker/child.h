/* The inside of a worker process: loads the driver, tells what is there, and feeds it what it is told to. */
#ifndef DRIVER_WORKER_CHILD_H
#define DRIVER_WORKER_CHILD_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

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

#endif
