/* What a path leads to when all links of it are followed: two names of one folder become one. */
#ifndef OS_FILES_REAL_H
#define OS_FILES_REAL_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * Absolute; lives in `a`. What does not exist yet hangs, with its "." and ".." taken out, below the deepest folder that
 * does, so that the answer stays the same once it is made.
 */
bool jw_real_path(const char *path, struct jw_arena *a, const char **real, struct jw_err *err) JW_MUST;

/*
 * The same of a folder inside of another system's files: `path`, relative, as a process would find it whose root is
 * `root`. Every link leads to where it would lead there, never out of it. What does not exist yet hangs below what does.
 */
bool jw_real_in_root(const char *root, const char *path, struct jw_arena *a, const char **real,
                     struct jw_err *err) JW_MUST;

/* ---- a level below: one file per system ---- */

/* Of a folder below `root`, as jw_real_in_root says. `walk`: as on a kernel that cannot resolve so, one component after
 * the other, and links are refused. `there` false and true: there is none. */
bool jw_sys_real_in_root(const char *root, const char *path, bool walk, char **real, bool *there,
                         struct jw_err *err) JW_MUST;

/* Of what exists; to be freed with jw_free. `there` false and true: nothing that can be looked at. */
bool jw_sys_real(const char *path, char **real, bool *there, struct jw_err *err) JW_MUST;

#endif
