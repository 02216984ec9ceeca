/* What a scanned build of the table holds, checked as a file of it would be: the same containers, the same rules. */
#ifndef SOFTWARE_SCAN_SCAN_BUILD_H
#define SOFTWARE_SCAN_SCAN_BUILD_H

#include "base/arena.h"
#include "facts/builds.h"
#include "jitwarm/scan.h"

/* Of the options GPUs, driver and force_jit count. Fails for a driver version that is none. */
bool jw_scan_build(const struct jw_build *b, const struct jw_scan_options *o, struct jw_arena *a,
                   struct jw_scan_file *out, struct jw_err *err) JW_MUST;

/* The nearest build that compiles nothing on this GPU: of a newer version, else (`*older`) of an older one. It is for the same
 * system. False: none is known. */
bool jw_build_ready(const struct jw_build *b, const struct jw_gpu *gpu, const char *driver, bool *older,
                    struct jw_build *out);

#endif
