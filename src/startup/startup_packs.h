/*
 * A folder of packs that a machine's administrator fills, and that each user's own run imports from: by the rules of
 * jitwarm import (a trusted key's signature, this driver and GPU, software that is here).
 *
 * What was tried is not tried again until the folder, the driver or the GPUs change: a digest of these is kept in the state
 * folder (packs-seen), so that a run that has nothing to do costs no more than a look at the folder.
 */
#ifndef STARTUP_STARTUP_PACKS_H
#define STARTUP_STARTUP_PACKS_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct jw_packs_options {
    const char *folder;
    const char *cache;        /* NULL: the one that programs use */
    const char *exe, *driver; /* as in jw_prime_options */
    const char *sysroot;      /* likewise */
    bool as_root;
    const atomic_bool *interrupted;
};

struct jw_packs_report {
    bool changed;      /* they were tried; else all is as it was the last time */
    unsigned packs;    /* that were looked at */
    unsigned imported; /* of them: something was taken from them, or is there already */
    unsigned unfit;    /* for another driver, GPU or system, or for software that is not here */
    unsigned refused;  /* damaged, or not signed by a trusted key */
    uint64_t entries;  /* that are in the cache now and were not before */
    const char *why;   /* NULL, or what was wrong with the first that was refused, or what stopped it all */
    bool again;        /* it could not be finished: the next run tries again */
};

/* A folder that is not there holds no packs. False: interrupted, or the folder cannot be read. */
bool jw_packs_import(const struct jw_packs_options *o, struct jw_arena *a, struct jw_packs_report *out,
                     struct jw_err *err) JW_MUST;

#endif
