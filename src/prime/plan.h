/* Decides which cold modules to compile, in which order, and predicts the time; only as many as fit
 * into the cache. Pure. */
#pragma once

#include "base/arena.h"
#include "jitwarm/module.h"

struct plan_input {
    struct jw_arena *a;
    struct jw_job *jobs; /* from a look, each once */
    size_t n_jobs;
    unsigned branch; /* the driver's */
    double slowness; /* modules take so many times as long as facts/compile_time.h says; 0: not
                        known */
    uint64_t limit, taken; /* bytes of the cache, as the driver counts them */
    uint64_t disk;         /* free bytes of the disk; UINT64_MAX: unknown */
    unsigned workers;      /* the number that is asked for */
};

struct plan {
    size_t n_todo;    /* the first jobs of the list, which are to be compiled */
    unsigned workers; /* no more than jobs */
    uint64_t bytes;   /* of the entries of these jobs, and of jobs without room */
    double seconds;   /* for all modules */
    /* the module that takes longer than the others beside it; NULL: none does */
    const struct jw_place *longest;
};

/* The size of a job's entry, else an estimate: its PTX, as much machine code, and a little more.
 * TensorFlow 2.3.1 takes 1.93 times its PTX in all (sm_86, driver 470), a llama.cpp library 1.44
 * times (sm_90, 580): too little room costs compiled code. driver-fact: F59-entry-size */
uint64_t plan_bytes(const struct jw_job *j);
/* Returns how long a module may take: at least twice the seconds after which it was stopped (0: it
 * was not). */
double plan_seconds(double predicted, double stopped);

/* Sorts the jobs: first those to be compiled, in order. Jobs without room become NO_ROOM, and say
 * why. */
void plan_make(const struct plan_input *in, struct plan *out);
