/*
 * Runs jobs on several workers in parallel. The supervisor (supervisor.h) decides; the pool executes. Each worker has a
 * thread of its own, because on Linux a child dies with the thread that started it. The calling thread makes all
 * callbacks.
 */
#ifndef DRIVER_WORKER_POOL_H
#define DRIVER_WORKER_POOL_H

#include "base/compiler.h"
#include "driver/worker/worker.h"

struct jw_pool_job {
    struct jw_worker_job what;
    unsigned group;      /* of devices that may run it */
    uint64_t ptx_bytes;  /* unpacked; memory use is predicted from it */
    double seconds;      /* predicted */
    unsigned timeout_ms; /* from when the driver has the module; 0: 30 minutes */
    unsigned rank;       /* lower ones begin first; among equals the longest, see supervisor.h */
};

struct jw_pool_device {
    const char *uuid; /* NULL: there is one device */
    unsigned index;   /* the driver's number, used when uuid is NULL */
    unsigned group;   /* jobs of this group run here */
    bool exclusive;   /* one context at a time */
    uint64_t memory;
};

enum jw_pool_outcome {
    JW_POOL_DONE,
    JW_POOL_REFUSED, /* the driver's CUresult: `code`, `name` */
    JW_POOL_TIMEOUT,
    JW_POOL_CRASHED, /* `name`: "signal 11 (SIGSEGV)", "exit 3" */
    JW_POOL_KILLED,  /* twice, by a signal from outside: `name` */
    JW_POOL_CHANGED, /* the file changed since it was scanned: `why` */
    JW_POOL_LEFT     /* not started, or cut off after `milliseconds` */
};

struct jw_pool_result {
    size_t job;
    enum jw_pool_outcome outcome;
    int code;
    const char *name, *why; /* live until the callback returns; "" and NULL: none */
    unsigned milliseconds;
    unsigned slot; /* the entry is in the private root of this slot; unset for LEFT */
};

struct jw_pool_slot_state {
    bool busy;
    size_t job;
    uint64_t since_ns; /* monotonic */
    unsigned long pid; /* of its worker, once the driver has the module; 0: not yet */
};

struct jw_pool_state {
    const struct jw_pool_slot_state *slots;
    size_t n_slots;
    size_t left, running; /* left includes running */
};

struct jw_pool_options {
    const struct jw_pool_job *jobs;
    size_t n_jobs;
    const struct jw_pool_device *devices;
    size_t n_devices;
    unsigned max_workers;
    uint64_t memory;                 /* budget of all workers; 0: no limit */
    const char *const *roots;        /* a private cache root for each slot; NULL: `root` for all */
    const char *root;                /* NULL: as inherited */
    struct jw_worker_options worker; /* exe, driver, timeout of the start, eager, inherit, edits */
    unsigned recycle_jobs;           /* replace a worker after this many jobs; 0: 200 */
    uint64_t recycle_bytes;          /* or when it has grown by this much; 0: 2 GiB */
    const atomic_bool *stop;         /* end at once; NULL: never */
    uint64_t
        deadline_ns; /* monotonic; what would end after it does not start, what runs is cut off; 0: none */
    bool (*pressed)(void *ctx); /* is memory short? Then no job starts; NULL: never */
    void (*done)(void *ctx, const struct jw_pool_result *r);
    void (*tick)(void *ctx, const struct jw_pool_state *s); /* ten times a second; NULL: not called */
    void *ctx; /* of the callbacks, which the calling thread makes one at a time */
};

struct jw_pool_report {
    unsigned most_workers; /* that ran in parallel */
    unsigned started, crashed, recycled;
    const char *why; /* NULL, or why the pool gave up: no worker starts */
    char why_text[384];
};

/* Returns when `done` was called once for each job. False: no thread could be started, and `done` was never called. */
bool jw_pool_run(const struct jw_pool_options *o, struct jw_pool_report *out, struct jw_err *err) JW_MUST;

#endif
