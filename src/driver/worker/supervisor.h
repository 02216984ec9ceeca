/* Decides which slot compiles which module next, on which GPU. Pure: events and the time go in,
 * actions come out; no clock, no process, no file.
 *
 * A slot has at most one worker process, and a worker uses one device. Jobs that programs use start
 * first, among equals the longest. With a deadline the shortest start first, so that each run
 * finishes something however wrong the predictions are; what an earlier run stopped waits for a
 * longer one. The order of calls for each slot, again and again until QUIT:
 *
 *   ask -> RUN      [worker_started, if one was started for it] [job_started] report
 *   ask -> RECYCLE  worker_ended: the worker must end; another may be started then
 *   ask -> WAIT     (an event)
 *   ask -> QUIT     worker_ended */
#pragma once

#include "jitwarm/gpu.h"
#include "jitwarm/module.h"

struct jw_supervisor_plan {
    const struct jw_job *jobs;
    const size_t *run; /* indexes of the jobs to run; NULL: the first `n_run` */
    size_t n_run;
    const struct jw_device *devices; /* each runs jobs of its architecture */
    size_t n_devices, n_slots;
    bool absent_gpus; /* no GPU here has the jobs' architectures: each device compiles for all */
    bool as_listed;   /* start jobs in the order of `jobs`; as they are warm, they take next to no
                         time */
    uint64_t memory;  /* budget of all running jobs; 0: no limit */
    uint64_t deadline_ns; /* 0: none */
};

struct jw_supervisor;

struct jw_supervisor *jw_supervisor_new(const struct jw_supervisor_plan *p);
void jw_supervisor_free(struct jw_supervisor *sv); /* accepts NULL */

/* The shortest time limit in which a job is started again that was stopped after so many seconds
 * (0: it was not stopped). */
double jw_job_time_limit(double stopped);

/* Returns how much memory a job needs while it runs. */
uint64_t jw_job_memory(uint64_t ptx_bytes);

/* When a job of so many predicted seconds counts as hanging: after ten times as long, at least half
 * an hour. */
unsigned jw_job_timeout_ms(double seconds);

enum jw_slot_act {
    JW_SLOT_RUN,     /* run this job, on the slot's worker or a new one on this device */
    JW_SLOT_WAIT,    /* ask again after the next event */
    JW_SLOT_RECYCLE, /* end the worker, call worker_ended, ask again */
    JW_SLOT_QUIT     /* end the worker; the slot is done */
};

struct jw_slot_action {
    enum jw_slot_act act;
    size_t job, device; /* RUN: indexes into the lists of the plan */
};

struct jw_supervisor_now {
    uint64_t ns;  /* on the deadline's clock */
    bool pressed; /* memory is short: no job starts while another runs */
    bool stop;
};

struct jw_slot_action jw_slot_ask(struct jw_supervisor *sv, size_t slot,
                                  const struct jw_supervisor_now *now);

/* Has the worker of such a job ended, too? */
static inline bool jw_outcome_ends_worker(enum jw_outcome outcome)
{
    return outcome == JW_JOB_CRASHED || outcome == JW_JOB_TIMEOUT || outcome == JW_JOB_KILLED
           || outcome == JW_JOB_UNSTARTED || outcome == JW_JOB_TODO;
}

void jw_slot_worker_started(struct jw_supervisor *sv, size_t slot, uint64_t memory);
/* Tells that the driver gets the module now. `gpu_free`, `gpu_total`: bytes, with the worker's
 * context on the GPU; 0: unknown. */
void jw_slot_job_started(struct jw_supervisor *sv, size_t slot, uint64_t gpu_free,
                         uint64_t gpu_total);
/* Tells how the slot's job ended. `code`: the error of FAILED; `memory`: the worker's now, 0:
 * unknown. False: it runs again. */
bool jw_slot_report(struct jw_supervisor *sv, size_t slot, enum jw_outcome outcome, int code,
                    uint64_t memory);
void jw_slot_worker_ended(struct jw_supervisor *sv, size_t slot);

struct jw_supervisor_sum {
    size_t left, running; /* jobs; left includes running */
    bool gave_up;         /* workers end before they get a job, on every device */
};

struct jw_supervisor_sum jw_supervisor_sum(const struct jw_supervisor *sv);
