/*
 * A long-lived child that runs this program, and talks to it over two pipes.
 *
 * The child has no standard input, its output is discarded, and it inherits only the two pipes. It dies with its
 * parent: on Linux with the *thread* that started it, which therefore must outlive it, on Windows with the process. Use
 * a child from one thread at a time.
 */
#ifndef OS_PROCESS_CHILD_H
#define OS_PROCESS_CHILD_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_child_options {
    const char *exe;         /* absolute */
    const char *const *args; /* after the program's name; the two pipe numbers follow */
    size_t n_args;
    const struct jw_child_edit *edits; /* to the inherited environment */
    size_t n_edits;
};

struct jw_child;

/* How it ended. */
struct jw_child_end {
    bool crashed;  /* by a signal, or on Windows by an exception */
    unsigned code; /* the signal's number, the exception's code, or the exit code */
    /* of the signal or exception: "SIGSEGV", "access violation"; NULL: unknown, or it exited */
    const char *name;
    bool by_others; /* another process killed it (a person, the out-of-memory killer); Linux only */
};

bool jw_child_start(struct jw_child **out, const struct jw_child_options *o, struct jw_err *err) JW_MUST;

/* Sends all bytes. False: the child does not read, or has ended. */
bool jw_child_send(struct jw_child *c, const void *p, size_t n, unsigned timeout_ms,
                   struct jw_err *err) JW_MUST;

enum jw_child_read { JW_CHILD_DATA, JW_CHILD_SILENT, JW_CHILD_CLOSED };

/* Waits for output. DATA: 1 to `n` bytes. SILENT: nothing for `timeout_ms`. CLOSED: the child closed its pipe. */
bool jw_child_read(struct jw_child *c, void *dst, size_t n, unsigned timeout_ms, enum jw_child_read *what,
                   size_t *got, struct jw_err *err) JW_MUST;

/* Its memory in bytes (resident set, working set); 0: unknown. */
uint64_t jw_child_memory(const struct jw_child *c);
unsigned long jw_child_id(const struct jw_child *c); /* its number; 0: it has ended */

/* Closes the pipe, waits `grace_ms` for its end, then kills it and its children. `killed` may be NULL. */
void jw_child_finish(struct jw_child *c, unsigned grace_ms, struct jw_child_end *end, bool *killed);

void jw_child_free(struct jw_child *c); /* kills it if it runs; accepts NULL */

/* The child's end of the two pipes. */
struct jw_parent {
    intptr_t in, out;
};

/* From the last two arguments. False: they name no pipes; this program was not started by jitwarm. */
bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err) JW_MUST;

/* Reads exactly `n` bytes. True, and `*gone`: the parent closed the pipe. */
bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err) JW_MUST;
bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err) JW_MUST;

/*
 * Starts a program in the background, without terminal and standard streams. It continues after this process ends, and
 * its exit code is lost. `exe` is absolute, `argv` includes argv[0] and ends with NULL. It runs in the root folder as
 * `user` (with that user's groups and home; NULL: this user; always NULL on Windows). False: it could not be started.
 */
bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err) JW_MUST;

#endif
