/*
 * Many workers at once. The supervisor (supervisor.h, pure) decides; this gives it real events: one thread per
 * worker speaks to it, because on Linux a child dies with the thread that started it; the calling thread hands
 * on results, ticks, and watches.
 */
#ifndef DRIVER_WORKER_POOL_H
#define DRIVER_WORKER_POOL_H

#include "base/compiler.h"
#include "driver/worker/worker.h"

struct jw_pool_job {
    struct jw_worker_job what;
    unsigned group;      /* which devices may take it */
    uint64_t ptx_bytes;  /* plain: what memory is predicted from */
    double seconds;      /* predicted */
    unsigned timeout_ms; /* once the driver has it; 0: half an hour */
    unsigned rank;       /* lower ones begin first; among equals the longest */
};

struct jw_pool_device {
    const char *uuid; /* NULL: the only one */
    unsigned index;   /* of the driver, when uuid is NULL */
    unsigned group;   /* jobs of this group run here */
    bool exclusive;   /* one context at a time */
    uint64_t memory;
};

enum jw_pool_outcome {
    JW_POOL_DONE,
    JW_POOL_REFUSED, /* the driver's CUresult: `code`, `name` */
    JW_POOL_TIMEOUT,
    JW_POOL_CRASHED, /* `name`: "signal 11 (SIGSEGV)", "exit 3" */
    JW_POOL_KILLED,  /* twice, by a signal that others sent: `name` */
    JW_POOL_CHANGED, /* the worker did not give it to the driver: `why` (the file is not what it was) */
    JW_POOL_LEFT     /* never begun, or interrupted: nobody's fault */
};

struct jw_pool_result {
    size_t job;
    enum jw_pool_outcome outcome;
    int code;
    const char *name, *why; /* live until the callback returns; "" and NULL where there is none */
    unsigned milliseconds;
    unsigned slot; /* whose private root has the entry; of LEFT: none */
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
    size_t left, running; /* left: all that has not ended, those that run included */
};

struct jw_pool_options {
    const struct jw_pool_job *jobs;
    size_t n_jobs;
    const struct jw_pool_device *devices;
    size_t n_devices;
    unsigned max_workers;
    uint64_t memory;          /* budget of all workers together; 0: no limit */
    const char *const *roots; /* a private cache root for each of max_workers slots; NULL: `root` for all */
    const char *root;         /* NULL too: as inherited */
    struct jw_worker_options worker; /* exe, driver, timeout of its start, eager, inherit, edits */
    unsigned recycle_jobs;           /* a worker is replaced after so many; 0: 200 */
    uint64_t recycle_bytes;          /* and when it has grown by so much; 0: 2 GiB */
    const atomic_bool *stop;         /* end at once; NULL: never */
    uint64_t deadline_ns;            /* monotonic: begin nothing after it, and end what runs; 0: none */
    bool (*pressed)(void *ctx);      /* is memory short? Nothing new begins while it is; NULL: never */
    void (*done)(void *ctx, const struct jw_pool_result *r);
    void (*tick)(void *ctx, const struct jw_pool_state *s); /* ten times a second; NULL: nobody looks */
    void *ctx; /* of the callbacks: all are made by the calling thread, one at a time */
};

struct jw_pool_report {
    unsigned most_workers; /* that were at work at once */
    unsigned started, crashed, recycled;
    const char *why; /* NULL, or why it gave up: the driver's process does not even start */
    char why_text[384];
};

/* Returns when every job has had its callback, each exactly one. False: nothing can be said (no
 * threads); then none had. */
bool jw_pool_run(const struct jw_pool_options *o, struct jw_pool_report *out, struct jw_err *err) JW_MUST;

#endif
