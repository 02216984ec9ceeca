/* Tests whether jitwarm understands this machine's driver. The driver compiles a few tiny modules
 * into an empty private folder, and the probe compares its files with the expected ones. The proven
 * level is saved for this build of libcuda alone (memory/drivers.h). The user's cache is not
 * touched. */
#pragma once

#include "base/arena.h"
#include "driver/probe/driver_known.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"
#include "memory/drivers.h"

struct jw_probe_options {
    /* the report of a probe without absent_sm, so that the driver is not asked again; or NULL */
    const struct jw_probe_report *answered;
    const struct jw_driver_file *file; /* the library that programs load; or NULL */
    const struct jw_drivers *met;      /* what is remembered of all builds; NULL: nothing */
    uint16_t absent_sm; /* test whether it compiles for this architecture, too; 0: no */
    /* exe, driver, interrupted; timeout of the start and of each module, 0: a minute */
    struct jw_worker_options worker;
    void (*alive)(void *ctx); /* called between steps; may be NULL */
    void *ctx;
};

struct jw_probe_report {
    struct jw_worker_driver driver;
    struct jw_compiler_file compiler;
    /* NULL, or how the driver crashed or hung in its start, or why it was not started: a sentence
     * with its file */
    const char *broken;
    const struct jw_device *devices;
    size_t n_devices;
    const struct jw_device *on; /* the device for which this probe compiled; NULL: none */
    /* Level JW_LEVEL_NONE: no usable driver. If the probe did not finish, this is what was proven
     * before, with another compiler. */
    struct jw_driver_state state;
    bool saved; /* this probe wrote the build's record: its level was proven, or another was loaded
                   before */
    const char *unproven; /* NULL, or why the probe did not finish; then nothing is saved */
    int refused;          /* the driver's error for the module that stopped the probe; 0: none */
    const char *why_no_absent; /* NULL, or why compiling for other GPUs is not proven */
};

/* The level counts for the build of libcuda and its compiler: with another one it is proven again,
 * for what a driver compiles may have changed. Which entries libcuda finds in its cache does not
 * depend on the compiler.
 *
 * False when interrupted, or when no worker can be started. A missing or broken driver and a failed
 * probe (no state folder, full disk) are results. */
bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err);

/* The first GPU of this architecture (0: of any that is known) that is open for computing; NULL:
 * none. */
const struct jw_device *jw_probe_device(const struct jw_probe_report *r, uint16_t sm);
