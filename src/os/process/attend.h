/* A command that the user sees: it has our terminal, and we wait for it. */
#ifndef OS_PROCESS_ATTEND_H
#define OS_PROCESS_ATTEND_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/edit.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs argv[0], looked for in PATH when it has no separator in it, with these arguments (NULL at their end), on our
 * standard streams, in our environment with these edits, and waits until it ends; what it starts may live on. Ctrl-C
 * reaches it as it reaches us. `exit_code`: its own; of one that a signal ended 128 and the signal's number, as shells
 * say. False: it could not be started.
 */
bool jw_attend(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits, int *exit_code,
               struct jw_err *err) JW_MUST;

#endif
