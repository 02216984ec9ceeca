/*
 * How far is this machine's driver understood? A worker has it compile a handful of tiny modules into an
 * empty folder of ours, and what appears there is compared with what we expected. What is proven is
 * remembered for that build of libcuda (cache/memory/state.h); nothing is ever assumed of another. The user's own
 * cache is not touched.
 */
#ifndef DRIVER_PROBE_PROBE_H
#define DRIVER_PROBE_PROBE_H

#include "base/arena.h"
#include "cache/memory/state.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>

struct jw_probe_options {
    bool again;       /* prove it even when it is remembered */
    bool carry;       /* level 4, too, which programs have no use for unless they are asked for it */
    uint16_t sibling; /* can it compile for this architecture, which no GPU here has? 0: that is not asked */
    const char *driver;  /* library to load; NULL: the system's */
    const char *exe;     /* our own program, for workers; NULL: this one */
    unsigned timeout_ms; /* for the driver's start, and for each module; 0: a minute */
    const atomic_bool *interrupted;
    void (*alive)(void *ctx); /* called between the steps; NULL: nobody waits */
    void *ctx;
};

struct jw_probe_report {
    struct jw_worker_driver driver;
    const char *broken; /* NULL, or how the driver ended or held up its process before it said what is here */
    const struct jw_worker_device *devices;
    size_t n_devices;
    struct jw_driver_state state; /* level JW_LEVEL_NONE when there is nothing to prove */
    bool proven_now;              /* else remembered */
    const char *unproven;   /* NULL, or why the probe did not come to its end; nothing of it is remembered */
    int refused;            /* what the driver gave for the module that it refused then; 0: it was not that */
    const char *no_sibling; /* NULL, or why it is not proven to compile for other GPUs */
    const char *remembered_damage; /* NULL, or why what was remembered could not be used */
};

/* False when nothing can be said (no worker, interrupted). A driver that is absent, broken or
 * strange is an answer, and so is a probe that could not be made: no state folder, a full disk. */
bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err);

/* On phantom (src/phantom), which runs no kernel: what a kernel "computed" is no proof. */
bool jw_probe_played(const struct jw_probe_report *r);

/* Why the driver cannot be asked; NULL: it can. */
const char *jw_probe_silence(const struct jw_probe_report *r);

/* What a level allows, for people: "warm several modules at once; ship entries to other machines". */
const char *jw_level_unlocks(enum jw_level l);

#endif
