/* Libraries that LD_PRELOAD puts before the driver. jitwarm's workers start without them. */
#ifndef DRIVER_PROBE_PRELOADED_H
#define DRIVER_PROBE_PRELOADED_H

#include "base/arena.h"

/* The first library of a value of LD_PRELOAD that programs use instead of the driver, and that is not in `but`
 * (another such value, or NULL): another libcuda, a vGPU's, a profiler's. NULL: there is none, as for an allocator. */
const char *jw_preloaded_before_driver(const char *list, const char *but, struct jw_arena *a);

#endif
