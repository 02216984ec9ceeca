/* For file_trace_posix.c: a filter of system calls, and the process that answers them. */
#ifndef OS_PROCESS_FILE_KEEPER_POSIX_H
#define OS_PROCESS_FILE_KEEPER_POSIX_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef SYS_openat2 /* the portable program is built against an older C library */
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

enum {
    JW_KEEPER_RULES = 80, /* instructions */
#if defined(__x86_64__)
    JW_KEEPER_FOREIGN_OPEN = 5, /* of i386 */
    JW_KEEPER_FOREIGN_OPENAT = 295
#else
    JW_KEEPER_FOREIGN_OPEN = 5, /* of 32-bit ARM */
    JW_KEEPER_FOREIGN_OPENAT = 322
#endif
};

struct jw_keeper_filter {
    struct sock_filter code[JW_KEEPER_RULES];
    struct sock_fprog program;
};

/* Fills the filter for calls that make names or open files; `asks`: also for calls that only ask about a name
 * (stat). */
void jw_keeper_filter_fill(struct jw_keeper_filter *f, bool asks);

/* In the child, async-signal-safe: from now on it and its children are under the filter. The descriptor from which
 * their calls are read; negative: -errno. */
int jw_keeper_filter_enter(const struct jw_keeper_filter *f);

/* One call, on the way from the keeper to this process, which answers with its id. */
struct jw_keeper_call {
    uint64_t id, args[6];
    uint32_t pid; /* of the thread */
    int32_t nr;
    bool foreign; /* of another processor's program */
    bool missed;  /* this process did not answer in time before, so the keeper went on alone */
};

/* False: this system cannot. */
bool jw_keeper_may_start(struct jw_err *err) JW_MUST;

/* Forks the keeper, which waits for the listener (jw_keeper_give) on `talk`, its end of a SOCK_SEQPACKET pair. Then it
 * lets each call go on after an answer from there, or without an answer, if the other end is closed; it ends with the
 * last process under the filter. Nothing else of this process stays open in it. */
bool jw_keeper_start(int talk, pid_t *pid, struct jw_err *err) JW_MUST;

/* A descriptor through a socket; negative: -errno instead of one. Async-signal-safe. */
bool jw_keeper_give(int to, int fd);
int jw_keeper_take(int from);

/* True while the call still waits: memory read until now is that of its process, and not of a later one with
 * the same id. */
bool jw_keeper_call_waits(int listener, uint64_t id);

#endif
