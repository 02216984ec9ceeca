/* Shows which programs compile now: the processes of this machine that have loaded the driver's
 * compiler and work, since when, and into which cache. The driver loads it when it compiles, and
 * keeps it until the process ends; of a process that preloads it nothing is shown. driver-fact:
 * F86-compiler-opened, F120-preload. Linux alone. */
#pragma once

#include "session/session.h"

struct jw_compiling {
    unsigned long pid;
    const char *name;  /* "python3" */
    const char *cache; /* NULL: not known, or it keeps nothing */
    /* "CUDA_CACHE_DISABLE=1": the setting by which it keeps nothing; NULL: there is none */
    const char *no_cache;
    int64_t since;  /* seconds since 1970, when it was first seen to compile */
    double seconds; /* for which it was seen to work, at its end; < 0: it goes on */
};

struct jw_compiling_seen {
    uint64_t programs; /* that compiled */
    uint64_t hidden;   /* processes of other users, which could not be looked at */
    uint64_t preload;  /* that have the compiler loaded whether they compile or not */
};

/* Calls `seen` when a program begins to compile and when it has done so. Ends after `for_s` seconds
 * (0: never), or when interrupted, which is no error. */
bool jw_doctor_watch(struct jw_run *run, unsigned for_s,
                     void (*seen)(void *ctx, const struct jw_compiling *c), void *ctx,
                     struct jw_compiling_seen *out, struct jw_err *err) JW_MUST;
