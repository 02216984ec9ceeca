/* Decides what to compile of what is not warm, in which order, and how long it takes: as far as it fits into the cache. Pure. */
#ifndef PRIME_PLAN_H
#define PRIME_PLAN_H

#include "base/arena.h"
#include "jitwarm/module.h"

struct plan_input {
    struct jw_job *jobs; /* by a look: TODO, and others; each once */
    size_t n_jobs;
    double slowness;       /* modules take so many times as long as facts/compile_time.h says; 0: not known */
    uint64_t limit, taken; /* of the cache, in bytes as the driver counts */
    uint64_t disk;         /* free bytes; UINT64_MAX: unknown */
    unsigned workers;
};

struct plan {
    size_t n_todo;               /* the first of the jobs */
    unsigned workers;            /* that compile them */
    double seconds, cpu_seconds; /* to compile the modules; of one worker */
    bool lazy;                   /* programs compile only the modules that they use */
};

/* Returns how long a module takes that was stopped after so many seconds; 0: it was not. */
double plan_seconds(double predicted, double stopped);

/* Sorts the jobs: those to compile first, in their order; those without room become NO_ROOM. */
void plan_make(const struct plan_input *in, struct jw_arena *a, struct plan *out);

#endif
