/* A program that goes on by itself when we end: nobody waits for it, and it has no terminal and no streams. */
#ifndef OS_PROCESS_DETACH_H
#define OS_PROCESS_DETACH_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * Starts `exe` (absolute) with `argv` (argv[0] included, NULL at its end) in the folder that is the root of the file
 * system, as `user` (a name of the user database, with its groups and its home; NULL: as we are). False: it could not be
 * started; how it ends nobody learns. Windows: `user` must be NULL.
 */
bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err) JW_MUST;

#endif
