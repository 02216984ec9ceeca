/* The driver in a child process, so that a crash or a hang of libcuda only ends the child. The
 * child is this program; it reports over inherited streams (protocol: driver/worker/proto.h). */
#pragma once

#include "jitwarm/err.h"
#include "jitwarm/gpu.h"
#include "jitwarm/module.h"
#include "os/machine/priority.h"
#include "os/process/process.h"

#include <stdatomic.h>

/* What the child found out about the driver, before and after cuInit. */
struct jw_worker_driver {
    int init_result;       /* CUresult of cuInit; 0: usable. -1: no driver library was found */
    const char *init_name; /* "CUDA_ERROR_NO_DEVICE"; for -1 why the library cannot be used */
    unsigned cuda_version; /* 13010; 0: unknown */
    const char *library;   /* path of the loaded file, links resolved; NULL: none */
    const char *build;     /* its build id (identity.h); "": none */
    const char *version; /* "580.126.09", from its file name or the kernel module; NULL: unknown */
    bool preloads;       /* cuInit loaded the driver's compiler */
};

/* How a module is loaded: the driver then compiles and caches it. */
struct jw_load {
    uint16_t sm;         /* architecture to compile for; 0: the device's */
    unsigned timeout_ms; /* from when the driver has it; 0: the worker's timeout */
    /* give the driver buffers for its log. They may change the entry's key, so `cache_folder`
     * should be a temporary one */
    bool explain;
};

/* How an attempt to load a module ended. */
struct jw_worker_result {
    /* TODO: interrupted; CHANGED: the child rejected it before the driver got it */
    enum jw_outcome outcome;
    int code; /* CUresult */
    /* "CUDA_ERROR_INVALID_PTX"; of a child that died "signal 11 (Segmentation fault)", "exit 3",
     * "timeout" */
    const char *name;
    unsigned milliseconds;
    uint64_t memory; /* bytes of the child now; 0: unknown */
    const char *log; /* if `explain` was set, the driver's log, unchecked; else "" */
};

enum { JW_WORKER_START_MS = 60 * 1000 };

struct jw_worker_options {
    const char *exe; /* NULL: this program */
    /* path of the driver library; NULL: the system's, or $JITWARM_DRIVER (Linux) */
    const char *driver;
    const char *cache_folder; /* CUDA_CACHE_PATH of the child; NULL: as inherited */
    /* the device that loads modules; if it has a UUID, the child sees no other device; NULL: the
     * first */
    const struct jw_device *device;
    unsigned timeout_ms; /* limit of the start and of each job; 0: JW_WORKER_START_MS and 30 min */
    enum jw_priority priority;
    const atomic_bool *interrupted; /* set: waiting ends with JW_E_INTERRUPTED; NULL: never */
    /* the caller's environment, but `cache_folder` and CUDA_MODULE_LOADING=EAGER; false: also
     * without what forbids compiling */
    bool inherit;
    /* with `inherit`: the driver may not compile (before 460 it does all the same) */
    bool no_compile;
    bool asks; /* it tells what the driver is, in the caller's environment, and makes no folder for
                  a cache */
    bool asks_preload; /* with `asks`: what the driver preloads if no variable says so */
    /* Called by jw_worker_load before the driver gets the module; may be NULL. */
    void (*started)(void *ctx, uint64_t gpu_free, uint64_t gpu_total);
    void *ctx;
};

struct jw_worker;

/* Starts a child and waits until it reports the driver. True also when there is no driver: see
 * jw_worker_driver. False when the driver crashes or hangs in its start. On Linux the child dies
 * with the calling thread. */
bool jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o, struct jw_err *err);
const struct jw_worker_driver *jw_worker_driver(const struct jw_worker *w);
const struct jw_device *jw_worker_devices(const struct jw_worker *w, size_t *n);

/* Loads a module and waits; the child reads it again from `module->disk`. Texts of `out` live until
 * the next call. A module that fails and a child that dies are results, not errors. A worker cannot
 * be used again after its child died, nor after false, unless the module has CHANGED. */
bool jw_worker_load(struct jw_worker *w, const struct jw_place *module, const struct jw_load *how,
                    struct jw_worker_result *out, struct jw_err *err);

uint64_t jw_worker_memory(const struct jw_worker *w); /* bytes of the child now; 0: unknown */

void jw_worker_stop(struct jw_worker *w); /* ends the child; accepts NULL */
