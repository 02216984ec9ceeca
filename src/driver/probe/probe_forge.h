/*
 * Level 5, for one compiler: does this build of the driver take machine code that the compiler made, and run it rightly? A
 * pack of such code carries its own canary (forge.h), so that a machine without a toolkit can prove it.
 */
#ifndef DRIVER_PROBE_PROBE_FORGE_H
#define DRIVER_PROBE_PROBE_FORGE_H

#include "driver/probe/probe.h"

struct jw_forge_probe {
    const char *canary; /* path of the entry, checked before */
    uint64_t name;      /* of it */
    uint16_t sm;
    const char *compiler; /* "ptxas 13.0.88" */
    const char *driver, *exe;
    const atomic_bool *interrupted;
};

/* What is remembered of this build: was it seen to run the code of this compiler, for this architecture? */
bool jw_forge_known(const struct jw_driver_state *s, const char *compiler, uint16_t sm);

/*
 * Puts the canary into a private folder and has a fresh process load and launch it. `*why` NULL: proven, and remembered for
 * this build; else why not, as a sentence. The user's cache is not touched. False when interrupted.
 */
bool jw_forge_prove(const struct jw_forge_probe *o, const struct jw_probe_report *met, struct jw_arena *a,
                    const char **why, struct jw_err *err) JW_MUST;

#endif
