/* Starts programs, in one way: struct jw_command says what is wanted, and a function for each who
 * waits for it. No shell is involved. The standard streams of this process must be open
 * (jw_env_begin).
 *
 * What is not said to continue dies with this process: on Linux with the *thread* that started it,
 * which therefore must outlive it. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>

enum { JW_PROCESS_INPUT = 4096 };

/* A change of a child's environment. `value` NULL unsets the variable; a name that ends in '*' then
 * unsets all with that prefix. The last edit of a name wins. */
struct jw_child_edit {
    const char *name, *value;
};

struct jw_command {
    const char *exe; /* absolute; NULL, for a user's command: argv[0], as a shell finds it */
    const char *const *argv;           /* with argv[0], NULL at the end */
    const struct jw_child_edit *edits; /* to this process's environment */
    size_t n_edits;
    /* when set, it is not started, or is ended: JW_E_INTERRUPTED; NULL: never */
    const atomic_bool *interrupted;
    bool prints;           /* jw_process_start: its output is read. jw_process_run sets it */
    struct jw_bytes input; /* then its standard input: at most JW_PROCESS_INPUT bytes */
    bool output_to_errors; /* jw_process_foreground: of this process */
    /* jw_process_foreground: called when it has started, and often (Linux); NULL */
    void (*look)(void *ctx);
    void *ctx;
    /* jw_process_detach: with that user's rights and home, no edits (Linux); or NULL */
    const char *user;
};

/* How it ended. */
struct jw_process_end {
    int code;       /* its exit code, the exception's code, or 128 plus the signal that killed it */
    int signal;     /* that killed it; 0: none, always on Windows */
    bool crashed;   /* by a signal, or on Windows by an exception */
    bool killed;    /* by jw_process_finish, because it did not end */
    bool by_others; /* another process killed it (a person, the out-of-memory killer); Linux only */
    bool asked;     /* jw_process_foreground, Linux: Ctrl-C or SIGTERM asked for it */
    char how[64];   /* "signal 11 (Segmentation fault)", "exit 3", "exception 0xc0000005" */
};

/* Runs a program without a terminal (Linux), and appends its standard output to `out`; more than
 * the maximum of `out` ends it. Its standard error is discarded. False: it could not be started,
 * ran longer than `timeout_ms`, or was killed.
 *
 * * On return its process group or job has ended. On Linux the group gets SIGTERM and SIGHUP, and
 * SIGKILL two seconds later: programs of a login shell need time to release their locks. */
bool jw_process_run(const struct jw_command *c, unsigned timeout_ms, struct jw_buf *out,
                    int *exit_code, struct jw_err *err);

/* As jw_process_run, with the environment of this process. */
static inline bool jw_process_capture(const char *exe, const char *const argv[],
                                      unsigned timeout_ms, struct jw_buf *out, int *exit_code,
                                      struct jw_err *err)
{
    return jw_process_run(&(struct jw_command){.exe = exe, .argv = argv}, timeout_ms, out,
                          exit_code, err);
}

/* Runs the user's command on these standard streams and waits for its end; its own children may
 * continue. On Linux this process stands for the command: INT, TERM, HUP, QUIT, USR1 and USR2 that
 * others send to it are passed on, and what is ignored stays ignored. (A terminal's signals reach
 * both, which are one group.) Processes whose parent ends become children of this one, for good; it
 * must have no other children meanwhile. False: it could not be started. */
bool jw_process_foreground(const struct jw_command *c, struct jw_process_end *out,
                           struct jw_err *err) JW_MUST;

/* Exit codes as shells give them: of a command that could not run, and of one that was ended. */
enum jw_exec_code { JW_EXEC_REFUSED = 126, JW_EXEC_NOT_FOUND = 127 };
enum jw_ended_code { JW_ENDED_BY_CTRL_C = 130, JW_ENDED_BY_SIGTERM = 143 };

/* Linux: the command replaces this process; the function returns only on failure. Windows: as
 * jw_process_foreground, and returns true with the command's exit code. False: `exit_code` is the
 * one to exit with, and the error names the command. An earlier interruption (jw_interrupt_watch)
 * also returns false. */
bool jw_process_exec(const struct jw_command *c, int *exit_code, struct jw_err *err) JW_MUST;

/* Starts a program in the background, in the root folder, without terminal and standard streams. It
 * continues after this process ends, and its exit code is lost. */
bool jw_process_detach(const struct jw_command *c, struct jw_err *err) JW_MUST;

/* A long-lived child that talks over its standard input (jw_parent_open), or whose output is read.
 * Its other streams go nowhere, it inherits nothing else, and has no terminal. Use it from one
 * thread at a time. */
struct jw_process;

bool jw_process_start(struct jw_process **out, const struct jw_command *c,
                      struct jw_err *err) JW_MUST;

/* The part of jw_process_start that each system has. `*p` is set whatever happens. */
bool jw_process_begin(struct jw_process **p, const struct jw_command *c,
                      struct jw_err *err) JW_MUST;

/* Sends all bytes. False: the child does not read, or has ended. */
bool jw_process_send(struct jw_process *p, const void *bytes, size_t n, unsigned timeout_ms,
                     struct jw_err *err) JW_MUST;

enum jw_process_read { JW_PROCESS_DATA, JW_PROCESS_SILENT, JW_PROCESS_CLOSED };

/* Waits for output. DATA: 1 to `n` bytes. SILENT: nothing for `timeout_ms`. CLOSED: no more. */
bool jw_process_read(struct jw_process *p, void *dst, size_t n, unsigned timeout_ms,
                     enum jw_process_read *what, size_t *got, struct jw_err *err) JW_MUST;

bool jw_process_ended(const struct jw_process *p);
uint64_t jw_process_memory(const struct jw_process *p); /* in bytes, that it has now; 0: unknown */

/* Closes its input, waits `grace_ms` for its end, then kills it and its children. */
void jw_process_finish(struct jw_process *p, unsigned grace_ms, struct jw_process_end *end);

void jw_process_free(struct jw_process *p); /* kills it if it runs; accepts NULL */

/* The child's end. From then on what is printed goes nowhere, and no child inherits it. */
struct jw_parent {
    intptr_t in, out;
};

/* False: this program was not started by jw_process_start. */
bool jw_parent_open(struct jw_parent *p, struct jw_err *err) JW_MUST;

/* Reads exactly `n` bytes. True, and `*gone`: the parent closed the pipe. */
bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone,
                    struct jw_err *err) JW_MUST;
bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err) JW_MUST;

/* Absolute path of `name`, by PATH's absolute entries only (on Windows with ".exe"); NULL: none. */
const char *jw_process_path(const char *name, struct jw_arena *a);

/* Appends the absolute path of this program. */
bool jw_process_self(struct jw_buf *path, struct jw_err *err);

unsigned long jw_process_id(void); /* of this program */
bool jw_process_alive(unsigned long pid);
/* A digest of this boot and of the container: numbers of processes are of one boot. */
uint32_t jw_boot_id(void);

/* Call it before reading secrets: from then on a crash writes no core file, and other
 * processes of this user cannot read this one's memory. Linux only. A program started by
 * exec is not affected. */
void jw_process_shield(void);

/* root, or an elevated administrator. */
bool jw_process_elevated(void);

/* This process's environment with the edits: "NAME=value" texts and a NULL. */
bool jw_child_environment(const struct jw_command *c, struct jw_arena *a, const char ***out,
                          struct jw_err *err) JW_MUST;
