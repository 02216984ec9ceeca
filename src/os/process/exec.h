/* Runs the user's command: replaces this program by it, or waits for it. */
#ifndef OS_PROCESS_EXEC_H
#define OS_PROCESS_EXEC_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <stddef.h>

/* Exit codes of shells for a command that could not run. */
enum jw_exec_code { JW_EXEC_REFUSED = 126, JW_EXEC_NOT_FOUND = 127, JW_EXEC_INTERRUPTED = 130 };

/*
 * Runs argv[0] with its arguments (NULL at the end) in this environment, folder and standard streams. A name without a
 * separator is searched in PATH. Signal handlers are reset, and no other descriptor is inherited.
 *
 * Linux: the command replaces this process; the function returns only on failure. Windows: the command runs in the same
 * console, gets Ctrl-C, and dies with this process; the function returns true with its exit code. False: `exit_code` is
 * the one to exit with, and the error names the command. An earlier interruption also returns false.
 */
bool jw_exec(const char *const argv[], int *exit_code, struct jw_err *err) JW_MUST;

/*
 * Runs argv[0] (searched in PATH as above) with its arguments, on these standard streams, in this environment with
 * `edits`, and waits for its end; its own children may continue. Ctrl-C reaches both; it dies with this process. On Linux
 * processes whose parent ends become children of this one, for good; it must have no other children meanwhile.
 * `exit_code`: its exit code, or 128 plus the signal that killed it. False: it could not be started.
 */
bool jw_attend(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits, int *exit_code,
               struct jw_err *err) JW_MUST;

#endif
