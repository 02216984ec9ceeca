/* The pool under test: many small PTX texts in one file, real workers of this program, the
 * simulated driver. */
#pragma once

#include "driver/worker/pool.h"
#include "rig.h"

enum { POOL_MAX_JOBS = 256 };

/* What was told of a job. */
struct pool_told {
    unsigned times, milliseconds, slot;
    enum jw_outcome outcome;
    int code;
    char name[384];
};

struct pool_play {
    struct jw_pool_options
        o; /* a test's to change before the run; `ctx`, `done` and `tick` are ours */
    struct jw_job jobs[POOL_MAX_JOBS];
    struct jw_place places[POOL_MAX_JOBS];
    struct jw_device device;
    uint64_t names[POOL_MAX_JOBS]; /* of their entries on an sm_86 */
    void (*on_tick)(struct pool_play *p, const struct jw_pool_state *s);
    void (*on_done)(struct pool_play *p, const struct jw_worker_result *r);
    atomic_bool stop;
    /* of the run: */
    struct pool_told told[POOL_MAX_JOBS];
    struct jw_pool_report report;
    size_t n_told, ticks;
    unsigned milliseconds;
    atomic_uint started, peak; /* workers in all; that worked at once */
};

/* No variable of another test, an empty scratch folder, and `n` jobs for four workers on one large
 * GPU. */
struct pool_play *pool_play(size_t n);

/* Script of simcuda, with %1, %2... for the entries of those jobs: "crash@%7 hang@%9". */
void pool_faults(const struct pool_play *p, const char *script);

/* Runs it. Each job must have been told of exactly once. */
void pool_run(struct pool_play *p);

size_t pool_count(const struct pool_play *p, enum jw_outcome what);
/* All of them, with this outcome. */
void pool_all(const struct pool_play *p, enum jw_outcome what);
