/* Runs jobs on several workers in parallel. The supervisor (supervisor.h) decides; the pool
 * executes. Each worker has a thread of its own, because on Linux a child dies with the thread that
 * started it. The calling thread makes all callbacks. */
#pragma once

#include "base/compiler.h"
#include "driver/worker/supervisor.h"
#include "driver/worker/worker.h"

struct jw_pool_slot_state {
    bool busy;
    size_t job;        /* index of the pool's jobs */
    uint64_t since_ns; /* monotonic */
};

struct jw_pool_state {
    const struct jw_pool_slot_state *slots;
    size_t n_slots;
    size_t left; /* jobs that have not ended, also those that run */
};

struct jw_pool_options {
    /* The driver gets the first place of each job. The deadline (monotonic) stops jobs that run.
     * The pool sets `n_slots`. */
    struct jw_supervisor_plan plan;
    size_t n_jobs; /* in plan.jobs */
    /* the limit of each job, from when the driver has it; 0: jw_job_timeout_ms of the prediction */
    unsigned timeout_ms;
    unsigned max_workers;
    const char *const *caches;       /* a private cache for each slot; NULL: `cache` for all */
    const char *cache;               /* NULL: the inherited one */
    struct jw_worker_options worker; /* exe, driver, timeout of the start, inherit */
    const atomic_bool *stop;         /* set: all end at once; NULL: never */
    bool (*pressed)(void *ctx);      /* is memory short? Then no job starts; NULL: never */
    /* Gets the result of a job. TODO: it was not started, or cut off after `milliseconds`. KILLED,
     * CRASHED: in both tries. CHANGED: `name` is a sentence. The entry is in the private cache of
     * this slot, which is unset for TODO. */
    void (*done)(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r);
    void (*tick)(void *ctx,
                 const struct jw_pool_state *s); /* ten times a second; NULL: not called */
    void (*ending)(
        void *ctx); /* before a worker ends, from a thread of the pool; NULL: not called */
    void *ctx; /* for the callbacks. All but `ending` are called by the calling thread, one at a
                  time */
};

struct jw_pool_report {
    const char *why; /* NULL, or why the pool gave up: no worker starts */
    int code;        /* the driver's error if it opens no GPU; else 0 */
    char why_text[384];
};

/* Returns when `done` was called once for each job. False: no thread could be started, and `done`
 * was never called. */
bool jw_pool_run(const struct jw_pool_options *o, struct jw_pool_report *out,
                 struct jw_err *err) JW_MUST;
