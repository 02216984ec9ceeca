/*
 * Who compiles what next, on which GPU, and what an end means for the rest. Pure: what happened and what time
 * it is goes in, what to do comes out; no clock, no process, no file.
 *
 * A slot has one worker process at a time, or none; a worker stays with one device. Lower ranks begin first,
 * then the longest. The order of calls for each slot:
 *
 *   ask -> RUN [born] [started] report -> ask ...    born: where there was no worker, and one had to be started
 *   ask -> RECYCLE gone -> ask ...                   the worker must end; another may be begun then
 *   ask -> WAIT -> (anything happens) -> ask ...
 *   ask -> QUIT gone
 */
#ifndef DRIVER_WORKER_SUPERVISOR_H
#define DRIVER_WORKER_SUPERVISOR_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_sv_job {
    unsigned group, rank;
    uint64_t ptx_bytes; /* plain */
    double seconds;     /* predicted */
};

struct jw_sv_device {
    unsigned group; /* whose jobs it takes */
    bool exclusive; /* one context at a time */
    uint64_t memory;
};

struct jw_sv_plan {
    const struct jw_sv_job *jobs;
    size_t n_jobs;
    const struct jw_sv_device *devices;
    size_t n_devices, n_slots;
    uint64_t memory;        /* that the running jobs may need together; 0: no limit */
    unsigned recycle_jobs;  /* a worker is replaced after so many; 0: never */
    uint64_t recycle_bytes; /* and when it has grown by so much; 0: never */
    uint64_t deadline_ns;   /* begin nothing from here on; 0: none */
};

struct jw_supervisor;

/* Borrows nothing. */
bool jw_sv_new(struct jw_supervisor **out, const struct jw_sv_plan *p) JW_MUST;
void jw_sv_free(struct jw_supervisor *sv); /* accepts NULL */

/* What a job needs of the machine's memory while it runs. */
uint64_t jw_sv_need(uint64_t ptx_bytes);

/* ---- decisions ---- */

enum jw_sv_act {
    JW_SV_RUN,     /* this job, with the slot's worker, or with one to be started on this device */
    JW_SV_WAIT,    /* ask again when anything has happened */
    JW_SV_RECYCLE, /* end the worker, say so, ask again */
    JW_SV_QUIT     /* end the worker, and ask no more */
};

struct jw_sv_action {
    enum jw_sv_act act;
    size_t job, device; /* of RUN */
};

struct jw_sv_now {
    uint64_t ns;  /* on the deadline's clock */
    bool pressed; /* memory is short: nothing new begins as long as something runs */
    bool stop;
};

struct jw_sv_action jw_sv_ask(struct jw_supervisor *sv, size_t slot, const struct jw_sv_now *now);

/* ---- what happened ---- */

enum jw_sv_what {
    JW_SV_DONE,
    JW_SV_FAILED,  /* the driver's CUresult */
    JW_SV_DIED,    /* of the module, or was killed for its silence over it; it is gone */
    JW_SV_KILLED,  /* by others: the machine ran out of memory, perhaps; it is gone */
    JW_SV_CHANGED, /* the worker would not give it to the driver */
    JW_SV_UNBORN,  /* the worker ended before the module was given to the driver; it is gone */
    JW_SV_LEFT     /* we ended it: nobody's fault; it is gone */
};

enum { JW_SV_OUT_OF_MEMORY = 2 }; /* CUDA_ERROR_OUT_OF_MEMORY, in making the context or in loading */

/* Is the worker gone with it? */
static inline bool jw_sv_is_gone(enum jw_sv_what what)
{
    return what == JW_SV_DIED || what == JW_SV_KILLED || what == JW_SV_UNBORN || what == JW_SV_LEFT;
}

struct jw_sv_end {
    enum jw_sv_what what;
    int code;        /* of FAILED */
    uint64_t memory; /* that the worker holds now; 0: not known */
};

void jw_sv_born(struct jw_supervisor *sv, size_t slot, uint64_t memory);
/* The driver is given the module now; bytes of the device with the worker's context on it, 0: not known. */
void jw_sv_started(struct jw_supervisor *sv, size_t slot, uint64_t gpu_free, uint64_t gpu_total);
/* The end of the slot's job. False: that was not its last word, it will be run again. */
bool jw_sv_report(struct jw_supervisor *sv, size_t slot, const struct jw_sv_end *end);
void jw_sv_gone(struct jw_supervisor *sv, size_t slot);

/* ---- what is so ---- */

struct jw_sv_sum {
    size_t left, running; /* jobs: not ended, those that run included; running */
    unsigned most, recycled;
    bool gave_up; /* a device's workers die before they are given anything, and there is no other one */
};

struct jw_sv_sum jw_sv_sum(const struct jw_supervisor *sv);

#endif
