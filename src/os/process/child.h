/*
 * A long-lived child that runs this very program, or one built like it, and is spoken to over two pipes of
 * its own.
 *
 * It has no standard input, what it or a library in it prints is discarded, and nothing but the two pipes is
 * inherited. It dies with us: on Linux with the *thread* that started it, which therefore must outlive it;
 * on Windows with the process. Use one child from one thread at a time.
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
    const char *const *args; /* behind the program's name; the numbers of the two pipes follow them */
    size_t n_args;
    const struct jw_child_edit *edits; /* to the environment that it inherits */
    size_t n_edits;
};

struct jw_child;

/* How it ended. */
struct jw_child_end {
    bool crashed;  /* by a signal, or on Windows by an exception */
    unsigned code; /* the signal's number, the exception's code, or the exit code */
    const char
        *name; /* of what crashed it: "SIGSEGV", "access violation"; NULL: none that we know, or it exited */
    bool
        by_others; /* by a signal that no mistake of its own raises: a person, or the system out of memory. Linux
                       only: on Windows that looks like an exit */
};

bool jw_child_start(struct jw_child **out, const struct jw_child_options *o, struct jw_err *err) JW_MUST;

/* All of it, or false: the child does not read, or is gone. */
bool jw_child_send(struct jw_child *c, const void *p, size_t n, unsigned timeout_ms,
                   struct jw_err *err) JW_MUST;

enum jw_child_read { JW_CHILD_DATA, JW_CHILD_SILENT, JW_CHILD_CLOSED };

/* Waits for what it says: between 1 and `n` bytes are DATA. SILENT: nothing for `timeout_ms`. CLOSED: it
 * ends. */
bool jw_child_read(struct jw_child *c, void *dst, size_t n, unsigned timeout_ms, enum jw_child_read *what,
                   size_t *got, struct jw_err *err) JW_MUST;

/* Bytes that it has in memory now (resident set, working set); 0: that is not known. */
uint64_t jw_child_memory(const struct jw_child *c);

/* Closes the pipe to it, gives it `grace_ms` to end, then kills it and all that it started. `killed` may
 * be NULL. */
void jw_child_finish(struct jw_child *c, unsigned grace_ms, struct jw_child_end *end, bool *killed);

void jw_child_free(struct jw_child *c); /* finishes it without grace if need be; accepts NULL */

/* The other end: what a process that was started so has of its parent. */
struct jw_parent {
    intptr_t in, out;
};

/* From the two last arguments. False: they name no pipes, and nobody of ours started this program. */
bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err) JW_MUST;

/* Exactly `n` bytes. `*gone` and true: there are none, and none will come. */
bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err) JW_MUST;
bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err) JW_MUST;

/*
 * A program that goes on by itself when we end: nobody waits for it, and it has no terminal and no streams.
 * Starts `exe` (absolute) with `argv` (argv[0] included, NULL at its end) in the folder that is the root of the file
 * system, as `user` (a name of the user database, with its groups and its home; NULL: as we are). False: it could not be
 * started; how it ends nobody learns. Windows: `user` must be NULL.
 */
bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err) JW_MUST;

#endif
