/* A command that the user sees: this program becomes it, or waits for it. */
#ifndef OS_PROCESS_EXEC_H
#define OS_PROCESS_EXEC_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <stddef.h>

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

/*
 * Runs argv[0], looked for in PATH when it has no separator in it, with these arguments (NULL at their end), on our
 * standard streams, in our environment with these edits, and waits until it ends; what it starts may live on. Ctrl-C
 * reaches it as it reaches us. `exit_code`: its own; of one that a signal ended 128 and the signal's number, as shells
 * say. False: it could not be started.
 */
bool jw_attend(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits, int *exit_code,
               struct jw_err *err) JW_MUST;

#endif
