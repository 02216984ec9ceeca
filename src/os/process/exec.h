/* Replaces this program by the user's command. */
#ifndef OS_PROCESS_EXEC_H
#define OS_PROCESS_EXEC_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>

/* Exit codes of shells for a command that could not run. */
enum jw_exec_code { JW_EXEC_REFUSED = 126, JW_EXEC_NOT_FOUND = 127, JW_EXEC_INTERRUPTED = 130 };

/*
 * Runs argv[0] with its arguments (NULL at the end) in this folder, with these standard streams and this environment with the edits. A name without a
 * separator is searched in PATH. Signal handlers are reset, and no other descriptor is inherited.
 *
 * Linux: the command replaces this process; the function returns only on failure. Windows: the command runs in the same
 * console, gets Ctrl-C, and dies with this process; the function returns true with its exit code. False: `exit_code` is
 * the one to exit with, and the error names the command. An earlier interruption also returns false.
 */
bool jw_exec(const char *const argv[], const struct jw_child_edit *edits, size_t n, int *exit_code,
             struct jw_err *err) JW_MUST;

#endif
