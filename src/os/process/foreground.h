/* Runs the user's command, and waits for it. */
#ifndef OS_PROCESS_FOREGROUND_H
#define OS_PROCESS_FOREGROUND_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct jw_foreground {
    const char *const *argv;           /* NULL at the end; argv[0] is searched in PATH as jw_exec does */
    const struct jw_child_edit *edits; /* to this environment */
    size_t n_edits;
    bool output_to_errors; /* its standard output is this process's standard error */
    /*
     * This process stands for the command, as one that it was exec'd in would: signals that others send to
     * this process are passed on (INT, TERM, HUP, QUIT, USR1, USR2, WINCH, CONT, TSTP, TTIN, TTOU). A
     * terminal's signals reach the command without that, because both are in one group. Ignored signals stay
     * ignored. When job control stops the command, this process stops, too. Windows: as without it.
     */
    bool stands_for_it;
    /* set by a signal that came before those are passed on: nothing is started; NULL */
    const atomic_bool *interrupted;
    void (*look)(void *ctx); /* called when it has started (Windows: that alone), and now and then; NULL */
    void *ctx;
};

struct jw_foreground_end {
    int code;   /* its exit code, or 128 plus the signal that killed it */
    int signal; /* that killed it; 0: none */
    /* processes that it started and that go on half a second later (Linux, where this process stands for it) */
    size_t left;
    /* this process was asked to end meanwhile: INT, TERM or HUP (Linux, where it stands for it) */
    bool asked;
};

/*
 * Runs it on these standard streams and waits for its end; its own children may continue. Ctrl-C reaches both; it dies
 * with this process. On Linux processes whose parent ends become children of this one, for good; it must have no other
 * children meanwhile. False: it could not be started.
 */
bool jw_foreground_run(const struct jw_foreground *o, struct jw_foreground_end *out,
                       struct jw_err *err) JW_MUST;

static inline bool jw_foreground(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits,
                                 int *exit_code, struct jw_err *err)
{
    const struct jw_foreground o = { .argv = argv, .edits = edits, .n_edits = n_edits };
    struct jw_foreground_end ended;
    bool ok = jw_foreground_run(&o, &ended, err);

    *exit_code = ended.code;
    return ok;
}

/* Ends this process by that signal, as the command ended. Returns where that does not: the first process of a container
 * gets no signal of its own, and Windows has none. */
void jw_die_by_signal(int sig);

#endif
