/*
 * A child program. It dies with us: parent-death signal on Linux, kill-on-close job on Windows. No shell is
 * involved; `exe` is an absolute path. Nothing but the three standard streams is inherited.
 */
#ifndef OS_PROCESS_PROCESS_H
#define OS_PROCESS_PROCESS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "jitwarm/err.h"
#include "os/process/edit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { JW_PROCESS_INPUT = 4096 };

struct jw_process_options {
    const char *exe;
    const char *const *argv; /* argv[0] included, NULL at its end */
    unsigned timeout_ms;
    const struct jw_child_edit *edits; /* to the environment that it inherits */
    size_t n_edits;
    struct jw_bytes input;          /* for its standard input: JW_PROCESS_INPUT bytes at most */
    bool bare;                      /* it inherits none: the edits are all that it has */
    const atomic_bool *interrupted; /* once it is, the child is ended: JW_E_INTERRUPTED; NULL: never */
};

/*
 * Runs a program with `input` as standard input, standard error discarded, no terminal (Linux), standard output
 * appended to `out` (its maximum holds: more output ends the child). False when it could not be started, ran
 * longer than `timeout_ms`, or ended by a signal. When this returns it is gone, and so are its children as far
 * as the system can tell: its process group or job is ended. On Linux they are asked to end (SIGTERM, then SIGHUP) before
 * they are killed, two seconds later: a login shell runs its user's own programs, which must not leave their locks behind. On Windows `exe` must be an .exe, for a batch file
 * would start a shell.
 */
bool jw_process_run(const struct jw_process_options *o, struct jw_buf *out, int *exit_code,
                    struct jw_err *err);

/* The same in the caller's environment. */
bool jw_process_capture(const char *exe, const char *const argv[], unsigned timeout_ms, struct jw_buf *out,
                        int *exit_code, struct jw_err *err);

/* Absolute path of `name`, by PATH's absolute entries only ("python3"; ".exe" is tried on Windows). */
bool jw_process_find(const char *name, struct jw_buf *path, bool *found, struct jw_err *err);

/* Absolute path of the program that is running, appended. */
bool jw_process_self(struct jw_buf *path, struct jw_err *err);

unsigned long jw_process_id(void); /* of the program that is running */

/* From now on a crash leaves no core file, and no other process of this user may read our memory: before secrets are read.
 * Linux; elsewhere nothing. A program that takes our place (exec) is free of it. */
void jw_process_shield(void);

/* root, or an elevated administrator. */
bool jw_process_elevated(void);

#endif
