/*
 * A child program. It dies with us: parent-death signal on Linux, kill-on-close job on Windows. No shell is
 * involved; `exe` is an absolute path. Nothing but the three standard streams is inherited.
 */
#ifndef OS_PROCESS_PROCESS_H
#define OS_PROCESS_PROCESS_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
static inline bool jw_process_capture(const char *exe, const char *const argv[], unsigned timeout_ms,
                                      struct jw_buf *out, int *exit_code, struct jw_err *err)
{
    return jw_process_run(&(struct jw_process_options){ .exe = exe, .argv = argv, .timeout_ms = timeout_ms },
                          out, exit_code, err);
}

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

/* A change of the environment that a child is given. `value` NULL: unset; a name that ends in '*' then unsets all that begin so. The last one about a name wins. */
struct jw_child_edit {
    const char *name, *value;
};

/* Another process of this machine, told apart from one that got its number later. */
struct jw_peer {
    unsigned long pid;
    int64_t since;  /* seconds since 1970, for people */
    char start[64]; /* when it began, for comparing: letters, digits and hyphens */
};

bool jw_peer_self(struct jw_peer *out, struct jw_err *err) JW_MUST;

/*
 * Does the process that had this number then still run? One that exists but that the system does not let us look at is
 * taken for it. Numbers of another container mean nothing here.
 */
bool jw_peer_alive(unsigned long pid, const char *start, bool *alive, struct jw_err *err) JW_MUST;

#endif
