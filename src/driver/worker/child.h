/* The child side of the worker processes: for the driver and for NVRTC. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/machine/priority.h"

/* The command line of the child: this verb, then the fields of jw_worker_child in order;
 * the priority comes last where it is lower than the parent's. */
#define JW_WORKER_VERB "worker"
#define JW_WORKER_NONE "-"
#define JW_WORKER_BEHIND "behind"
#define JW_WORKER_IDLE "idle"

struct jw_worker_child {
    const char *driver;        /* path of the library; JW_WORKER_NONE: the system's library */
    const char *device;        /* UUID of the only device to report; JW_WORKER_NONE: all */
    enum jw_priority priority; /* JW_PRIORITY_NORMAL: the parent's */
};

/* Answers the parent's requests until it closes its pipe. False: the parent is not jitwarm, or sent
 * an invalid message. */
bool jw_worker_serve(const struct jw_worker_child *o, struct jw_err *err) JW_MUST;

/* The command line of a child for NVRTC, which compiles one source: this verb, then the fields of
 * jw_nvrtc_child in order. */
#define JW_NVRTC_VERB "worker-nvrtc"

struct jw_nvrtc_child {
    const char *library; /* an absolute path, or a file name for the loader ("libnvrtc.so.13") */
    const char *source;  /* an absolute path; its folder is searched for headers */
    const char *sm;      /* architecture of the GPU: "86" */
    /* CUDA version of the driver: "13010"; newer PTX is of no use here; "0": unknown */
    const char *cuda;
    const char *ptx; /* the file that it makes; JW_NVRTC_LOADS: it loads the library, and compiles
                        nothing */
};

#define JW_NVRTC_LOADS "-"

/* The child prints its answer, among what the library prints: this text, a letter of enum
 * jw_nvrtc_end, and a clause (MADE: "", or why the PTX is not for this GPU's architecture). */
#define JW_NVRTC_SAYS "\njitwarm-nvrtc: "

enum jw_nvrtc_end {
    JW_NVRTC_MADE = 'm',
    JW_NVRTC_REFUSED = 'r', /* the source cannot be read or compiled, or the PTX cannot be kept */
    JW_NVRTC_UNFIT = 'u',   /* the library does not compile for this GPU, or not for this driver */
    JW_NVRTC_BROKEN = 'b'   /* it cannot be loaded */
};

void jw_nvrtc_serve(const struct jw_nvrtc_child *o);
