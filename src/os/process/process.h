/*
 * Runs another program and reads its output. The child dies with this process (parent-death signal on Linux,
 * kill-on-close job on Windows) and inherits only the three standard streams. No shell is involved; `exe` is an
 * absolute path.
 */
#ifndef OS_PROCESS_PROCESS_H
#define OS_PROCESS_PROCESS_H

#include "base/arena.h"
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
    const char *const *argv; /* with argv[0], NULL at the end */
    unsigned timeout_ms;
    const struct jw_child_edit *edits; /* to the inherited environment */
    size_t n_edits;
    struct jw_bytes input;          /* its standard input: at most JW_PROCESS_INPUT bytes */
    bool bare;                      /* inherits no environment: it has only the edits */
    bool with_errors;               /* standard error goes where standard output goes (Linux) */
    const atomic_bool *interrupted; /* when set, the child is ended: JW_E_INTERRUPTED; may be NULL */
    void (*look)(void *ctx);        /* called often while it runs; may be NULL */
    void *ctx;
};

/*
 * Runs a program with `input` as standard input, without a terminal (Linux). Its standard output is appended to `out`;
 * more than the maximum of `out` ends the child. Its standard error is discarded. False: it could not be started, ran
 * longer than `timeout_ms`, or was killed by a signal.
 *
 * On return its process group or job has ended. On Linux the group gets SIGTERM and SIGHUP, and SIGKILL two seconds
 * later: a login shell may run programs of the user, which need time to release their locks. On Windows `exe` must be
 * an .exe, because a batch file would start a shell.
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

/* Appends the absolute path of this program. */
bool jw_process_self(struct jw_buf *path, struct jw_err *err);

unsigned long jw_process_id(void); /* of this program */

/* Processor time that another process of this user has used so far; false: it is gone, or the system does not say. */
bool jw_process_cpu(unsigned long pid, double *seconds);

/* Call it before reading secrets: from then on a crash writes no core file, and other processes of this user cannot
 * read this one's memory. Linux only. A program started by exec is not affected. */
void jw_process_shield(void);

/* root, or an elevated administrator. */
bool jw_process_elevated(void);

/* A change of a child's environment. `value` NULL unsets the variable; a name that ends in '*' then unsets all with
 * that prefix. The last edit of a name wins. */
struct jw_child_edit {
    const char *name, *value;
};

/* This process's environment with the edits, or the edits alone if `bare`: "NAME=value" texts and a NULL. */
bool jw_child_environment(const struct jw_child_edit *edits, size_t n, bool bare, struct jw_arena *a,
                          const char ***out, struct jw_err *err) JW_MUST;

#endif
