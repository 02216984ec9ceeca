/* Resolves all links of a path, so that two names of one folder become equal. */
#pragma once

#include "base/arena.h"
#include "jitwarm/err.h"

/* The absolute path without links, in `a`. Components that do not exist are appended, without "."
 * and "..", to the deepest folder that does: the result is the same after they are created. */
bool jw_real_path(const char *path, struct jw_arena *a, const char **real,
                  struct jw_err *err) JW_MUST;

const char *jw_sys_real(const char *path, struct jw_arena *a); /* NULL: missing or unreadable */
