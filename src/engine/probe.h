/*
 * How far is this machine's driver understood? A worker has it compile a handful of tiny modules into an
 * empty folder, and
 * what appears there is compared with what we expected. What is proven is remembered for that build of
 * libcuda
 * (host/state.h); nothing is ever assumed of another.
 */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include "base/arena.h"
#include "host/state.h"
#include "jitwarm/err.h"
#include "worker/worker.h"

#include <stdatomic.h>
#include <stdbool.h>

struct jw_probe_options {
    bool again;         /* prove it even when it is remembered */
    const char *driver; /* library to load; NULL: the system's */
    const char *exe;    /* our own program, for workers; NULL: this one */
    const atomic_bool *interrupted;
};

struct jw_probe_report {
    struct jw_worker_driver driver;
    const struct jw_worker_device *devices;
    size_t n_devices;
    struct jw_driver_state state;  /* level JW_LEVEL_NONE when there is nothing to prove */
    bool proven_now;               /* else remembered */
    const char *remembered_damage; /* NULL, or why what was remembered could not be used */
};

/* False when the question could not be asked at all (no state folder, no worker); a driver that is absent,
 * broken or strange
 * is an answer. */
bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err);

/* What a level allows, for people: "warm several modules at once; ship entries to other machines". */
const char *jw_level_unlocks(enum jw_level l);

#endif
