/* Which driver build do programs load here? Told by its file: the driver is not loaded. */
#ifndef DRIVER_PROBE_DRIVER_KNOWN_H
#define DRIVER_PROBE_DRIVER_KNOWN_H

#include "cache/memory/state.h"

/*
 * What the probe remembers of the driver library that a program started from here would load. `*found` false: there is no
 * such library, or its build was never probed, as after a driver update. `notes`: of files that cannot be understood.
 */
bool jw_driver_known(struct jw_arena *a, struct jw_driver_state *out, bool *found, struct jw_notes *notes,
                     struct jw_err *err) JW_MUST;

#endif
