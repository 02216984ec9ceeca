/* What a path leads to when all links of it are followed: two names of one folder become one. */
#ifndef OS_REAL_H
#define OS_REAL_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * Absolute; lives in `a`. What does not exist yet hangs, with its "." and ".." taken out, below the deepest folder that
 * does, so that the answer stays the same once it is made.
 */
bool jw_real_path(const char *path, struct jw_arena *a, const char **real, struct jw_err *err) JW_MUST;

/* ---- a level below: one file per system ---- */

/* Of what exists; to be freed with jw_free. `there` false and true: nothing that can be looked at. */
bool jw_sys_real(const char *path, char **real, bool *there, struct jw_err *err) JW_MUST;

#endif
