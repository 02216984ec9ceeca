/* What one attempt at a job was, for the supervisor and for who is told. */
#ifndef DRIVER_WORKER_POOL_ENDING_H
#define DRIVER_WORKER_POOL_ENDING_H

#include "driver/worker/pool.h"
#include "driver/worker/supervisor.h"

struct pool_ending {
    enum jw_sv_what what;
    enum jw_pool_outcome outcome;
    int code;
    unsigned milliseconds;
    uint64_t memory;
    const char *name; /* NULL: none; lives in the worker, or in `err` */
    struct jw_err err;
};

/* `told`: the worker has said what became of the module, and it is in `r`. Else e->err has the sentence why not. */
void pool_judge(struct pool_ending *e, bool told, const struct jw_worker_result *r);

#endif
