/*
 * The driver, at arm's length. This process never loads libcuda: a child of our own program does, and tells
 * over two inherited pipes what it finds (protocol: driver/worker/proto.h). A child that crashes, hangs or prints
 * costs the child.
 */
#ifndef DRIVER_WORKER_WORKER_H
#define DRIVER_WORKER_WORKER_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "os/process/child.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a child found out about the driver before and after cuInit. */
struct jw_worker_driver {
    int init_result; /* CUresult of cuInit; 0: usable. -1: no driver library was found */
    const char
        *init_name; /* "CUDA_ERROR_NO_DEVICE"; of -1 the sentence why: the loader's own, or what it lacks */
    unsigned cuda_version; /* 13010; 0 unknown */
    const char *library;   /* path of the library that was loaded, links resolved; NULL: none */
    const char
        *build; /* its identity: "gnu:<build-id hex>", "pe:<timestamp+size hex>", or "" when it has none */
    const char *version; /* "580.126.09" from its file name or the kernel; NULL: unknown */
    bool simulated;      /* it carries the marker of the project's own simulated driver */
    bool wsl, container, mps;
};

struct jw_worker_device {
    unsigned index;
    char uuid[48]; /* "GPU-...", "MIG-..." */
    char name[96];
    char pci[20]; /* "0000:01:00.0"; "" unknown */
    uint16_t sm;
    uint64_t memory;
    unsigned compute_mode; /* 0 default, 2 prohibited, 3 exclusive process */
    bool mig, integrated;
};

/* One module for the driver to load, and with that, to compile and cache. */
struct jw_worker_job {
    const char *path; /* read again by the child */
    uint64_t at, size;
    uint8_t digest[32]; /* BLAKE2b-256 of these bytes; the child refuses others */
    bool text;          /* PTX text (a NUL is added); else a fatbin container, given whole and unchanged */
    uint16_t target;    /* an architecture that this device need not have: compiled for it; 0: the device's */
    unsigned timeout_ms; /* once the driver has it; 0: that of the worker */
};

struct jw_worker_result {
    bool ok;
    int code; /* CUresult */
    const char *
        name; /* "CUDA_ERROR_INVALID_PTX"; for a child that died "signal 11 (SIGSEGV)", "exit 3", "timeout" */
    bool died, timeout;
    bool killed;  /* it died of a signal that others sent: not of the module */
    bool started; /* the driver was given the module: whatever happened then is of its doing */
    bool refused; /* the child itself would not give it to the driver; the sentence says why */
    unsigned milliseconds;
    uint64_t gpu_free, gpu_total; /* bytes of the device, with the child's context on it; 0: not known */
    uint64_t memory;              /* that the child holds now; 0: not known */
    uint32_t number;              /* of jw_worker_launch: what the kernel wrote */
    const char *log; /* of jw_worker_explain: the driver's own words, as it wrote them; else "" */
};

struct jw_worker_options {
    const char *exe;        /* NULL: this program */
    const char *driver;     /* path of the driver library; NULL: the system's, or $JITWARM_DRIVER (Linux) */
    const char *cache_root; /* CUDA_CACHE_PATH of the child; NULL: as inherited */
    const char *device;     /* UUID of the only device that it may see; NULL: all that the caller may */
    unsigned timeout_ms;    /* for the start, and for each job; 0: 60 s and 30 min */
    bool eager;             /* CUDA_MODULE_LOADING=EAGER */
    bool idle;              /* it gets only what nobody else wants, at the processors and at the disk */
    const atomic_bool *interrupted; /* NULL: never. Once it is set, waiting ends with JW_E_INTERRUPTED */
    bool inherit; /* the caller's environment unmodified, but for EAGER where it is asked for */
    const struct jw_child_edit *edits; /* of the environment, after all of the above */
    size_t n_edits;
    /* Called in jw_worker_load when the driver is about to be given the module; NULL: nobody asks. */
    void (*started)(void *ctx, uint64_t gpu_free, uint64_t gpu_total);
    void *ctx;
};

struct jw_worker;

/* Starts a child and waits for its word about the driver. True also when there is no driver: look at
 * `driver`. False, with a sentence, when the driver crashes or hangs in its start. On Linux the child dies
 * with the calling thread. */
bool jw_worker_start(struct jw_worker **out, const struct jw_worker_options *o, struct jw_err *err);
const struct jw_worker_driver *jw_worker_driver(const struct jw_worker *w);
const struct jw_worker_device *jw_worker_devices(const struct jw_worker *w, size_t *n);

/* Gives it a job for the device with this `index` and waits. What `out` names lives until the next call.
 * False only when nothing can be said of the module; one that fails, and a child that dies of it, are
 * results. After a death the worker is used up; after false it is, too, unless `refused` is set. */
bool jw_worker_load(struct jw_worker *w, unsigned device, const struct jw_worker_job *job,
                    struct jw_worker_result *out, struct jw_err *err);

/* The same for the sake of the driver's words about it: with log buffers, which may make another entry than
 * programs look for. So let the worker's `cache_root` be one that is thrown away. */
bool jw_worker_explain(struct jw_worker *w, unsigned device, const struct jw_worker_job *job,
                       struct jw_worker_result *out, struct jw_err *err);

/* Loads a canary (ptx/canary.ptx) as it is and runs its kernel on four bytes of the GPU's memory. */
bool jw_worker_launch(struct jw_worker *w, unsigned device, const struct jw_worker_job *job, uint32_t x,
                      struct jw_worker_result *out, struct jw_err *err);

unsigned long jw_worker_pid(const struct jw_worker *w); /* 0: it has ended */
uint64_t jw_worker_memory(const struct jw_worker *w);   /* that the child holds now; 0: not known */

void jw_worker_stop(struct jw_worker *w); /* ends the child; accepts NULL */

#endif
