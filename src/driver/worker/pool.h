/*
 * Runs jobs on several workers in parallel. The supervisor (supervisor.h) decides; the pool executes. Each worker has a
 * thread of its own, because on Linux a child dies with the thread that started it. The calling thread makes all
 * callbacks.
 */
#ifndef DRIVER_WORKER_POOL_H
#define DRIVER_WORKER_POOL_H

#include "base/compiler.h"
#include "driver/worker/worker.h"

struct jw_pool_slot_state {
    bool busy;
    size_t job;        /* index of the pool's jobs */
    uint64_t since_ns; /* monotonic */
    unsigned long pid; /* of its worker, once the driver has the module; 0: not yet */
};

struct jw_pool_state {
    const struct jw_pool_slot_state *slots;
    size_t n_slots;
    size_t left, running; /* left includes running */
};

struct jw_pool_options {
    const struct jw_job *jobs; /* the first place of each is what the driver gets */
    size_t n_jobs;
    const size_t *run; /* indexes of those to run; NULL: all */
    size_t n_run;
    const struct jw_device *devices; /* those that are chosen run the jobs of their architecture */
    size_t n_devices;
    bool absent_gpus; /* no GPU here has the jobs' architectures: each device compiles for all */
    bool as_listed;   /* in the order of `jobs`; they are warm, and take no time to speak of */
    bool unmeasured;  /* how fast this machine compiles is not known: one of middle length starts first */
    /* of each job, from when the driver has it; 0: jw_sv_timeout_ms of the prediction */
    unsigned timeout_ms;
    unsigned max_workers;
    uint64_t memory;                 /* budget of all workers; 0: no limit */
    const char *const *caches;       /* a private cache for each slot; NULL: `cache` for all */
    const char *cache;               /* NULL: as inherited */
    struct jw_worker_options worker; /* exe, driver, timeout of the start, eager, inherit, edits */
    unsigned recycle_jobs; /* replace a worker after this many jobs, or when it has grown by 2 GiB; 0: 200 */
    const atomic_bool *stop; /* end at once; NULL: never */
    /* monotonic; a job that would end after it does not start, and one that runs is stopped; 0: none */
    uint64_t deadline_ns;
    bool (*pressed)(void *ctx); /* is memory short? Then no job starts; NULL: never */
    /* Gets the result of a job. TODO: it was not started, or cut off after `milliseconds`. KILLED, CRASHED: twice.
     * CHANGED: `name` is a sentence. The entry is in the private cache of this slot, which is unset for TODO. */
    void (*done)(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r);
    void (*tick)(void *ctx, const struct jw_pool_state *s); /* ten times a second; NULL: not called */
    void *ctx; /* of the callbacks, which the calling thread makes one at a time */
};

struct jw_pool_report {
    unsigned peak_workers; /* that ran in parallel */
    unsigned started;      /* workers in all */
    const char *why;       /* NULL, or why the pool gave up: no worker starts */
    char why_text[384];
};

/* Returns when `done` was called once for each job. False: no thread could be started, and `done` was never called. */
bool jw_pool_run(const struct jw_pool_options *o, struct jw_pool_report *out, struct jw_err *err) JW_MUST;

#endif
