/*
 * Which files a command and all processes that it starts make and open. Seen are their system calls, so nothing of other
 * programs counts, whatever folder it writes into. Linux 5.8 or newer (a seccomp filter that asks this process).
 *
 * The command runs as before, with three differences: unless this process may administer the machine, set-uid programs get no
 * rights in it (no_new_privs; a command that is such a program is not traced); it gets no io_uring, as if the system had none; and
 * each traced call waits for two other processes (docs/kits.md has the cost). A small process answers those calls for as long
 * as one process of the command lives, also after this process has ended or was killed.
 *
 * Not seen: calls of programs for another processor, and in another root or mount namespace. `why` then says so.
 */
#ifndef OS_PROCESS_FILE_TRACE_H
#define OS_PROCESS_FILE_TRACE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_file_trace;

/* For one jw_foreground_run, which follows at once. `asks`: also of which names they only ask what they are; that
 * makes several times as many calls slower. */
struct jw_file_trace *jw_file_trace_new(bool asks);
void jw_file_trace_free(struct jw_file_trace *t); /* accepts NULL */

struct jw_traced {
    const char *const *made;   /* names that calls would make: by opening for creation, renaming or linking */
    const char *const *opened; /* and all others that they tried to open */
    const char *const *asked;  /* names that they asked of */
    size_t n_made, n_opened, n_asked;
    int64_t since;   /* nanoseconds since 1970: files that it wrote have this time or a later one */
    const char *why; /* not all was seen, or nothing; NULL: all was */
    bool left;       /* processes of it still ran */
};

/* Waits until processes that the command left behind have made no call for `wait_ms`, at most six times as
 * long, and ends the trace. Paths are absolute as they were at the call, sorted, each once; a name whose call
 * failed is among them. */
struct jw_traced jw_file_trace_end(struct jw_file_trace *t, unsigned wait_ms, struct jw_arena *a);

/* True if the path is in `names`, one of these lists. */
bool jw_traced_has(const char *const *names, size_t n, const char *path);

#endif
