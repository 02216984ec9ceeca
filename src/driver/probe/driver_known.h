/* Finds the driver build that programs load here from its file, without loading it. */
#ifndef DRIVER_PROBE_DRIVER_KNOWN_H
#define DRIVER_PROBE_DRIVER_KNOWN_H

#include "cache/memory/state.h"

/* Is there a library where the loader would take one, or where one was met last? Also one that was never probed. */
bool jw_driver_found(struct jw_arena *a);

/*
 * Reads the saved state of the driver library that a program started here would load. False: there is no such library,
 * or its build was never probed. `notes`: state files that cannot be read.
 */
bool jw_driver_known(struct jw_arena *a, struct jw_driver_state *out, struct jw_notes *notes) JW_MUST;

/* The same among states that were read; NULL: none. */
const struct jw_driver_state *jw_driver_among(const struct jw_driver_states *known, struct jw_arena *a);

#endif
