/* This program becomes another. */
#ifndef OS_PROCESS_EXEC_H
#define OS_PROCESS_EXEC_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* What a shell says of a command that it could not run. */
enum jw_exec_code { JW_EXEC_REFUSED = 126, JW_EXEC_NOT_FOUND = 127, JW_EXEC_INTERRUPTED = 130 };

/*
 * Runs argv[0], looked for in PATH when it has no separator in it, with these arguments (NULL at their end), in this
 * environment and folder, on these standard streams. Signals are as they were before jw_interrupt_watch, and nothing that
 * we opened is handed on.
 *
 * Linux: it takes the place of this process, so that there is no return but a failure. Windows cannot do that: it runs in
 * the same console, gets Ctrl-C in our stead, ends when this process is ended, and its exit code arrives with true.
 * False: `exit_code` is the one to end with, and the sentence names the command. An interruption that came before is such
 * a failure, too.
 */
bool jw_exec(const char *const argv[], int *exit_code, struct jw_err *err) JW_MUST;

#endif
