/* The child side of the worker processes: for the driver and for NVRTC. */
#ifndef DRIVER_WORKER_CHILD_H
#define DRIVER_WORKER_CHILD_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The command line of the child: this verb, then the fields of jw_worker_child in order; JW_WORKER_IDLE comes
 * last when the child runs at idle priority. */
#define JW_WORKER_VERB "worker"
#define JW_WORKER_NONE "-"
#define JW_WORKER_IDLE "idle"

struct jw_worker_child {
    const char *driver; /* path of the library; JW_WORKER_NONE: the system's library */
    const char *device; /* UUID of the only device to report; JW_WORKER_NONE: all */
    bool idle;
};

/* Answers the parent's requests until it closes its pipe. False: the parent is not jitwarm, or sent an invalid
 * record. */
bool jw_worker_serve(const struct jw_worker_child *o, struct jw_err *err) JW_MUST;

/* The command line of a child for NVRTC: this verb, then the fields of jw_nvrtc_child in order. */
#define JW_NVRTC_VERB "worker-nvrtc"
#define JW_NVRTC_OLDER "older"

/* As in struct jw_nvrtc_job. */
struct jw_nvrtc_child {
    const char *library, *source, *digest;
    const char *arch; /* "compute_86" */
    const char *fit;  /* JW_NVRTC_OLDER: an older one will do */
    const char *cuda; /* the driver's, a number */
};

bool jw_nvrtc_serve(const struct jw_nvrtc_child *o, struct jw_err *err) JW_MUST;

#endif
