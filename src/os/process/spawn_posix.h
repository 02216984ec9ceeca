/* Starting and ending child processes: all that start one do it here (child, process, foreground, file_keeper). */
#ifndef OS_PROCESS_SPAWN_POSIX_H
#define OS_PROCESS_SPAWN_POSIX_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Duplicates a descriptor to a number above the standard streams, which the child replaces. */
bool jw_spawn_move_fd(int *fd);
void jw_spawn_close_fd(int *fd); /* closes it, and makes it -1; accepts that */

/* A pipe whose ends are so, and which no program inherits. */
bool jw_spawn_pipe(int ends[2], struct jw_err *err) JW_MUST;

/* A pipe that holds all of it (at most JW_PROCESS_INPUT bytes), to be read from `*out`. */
bool jw_spawn_input(struct jw_bytes bytes, int *out, struct jw_err *err) JW_MUST;

/* Forks and calls `become` in the child, with all signals blocked. */
bool jw_spawn_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err) JW_MUST;

/* A child that is to become another program. */
struct jw_spawn {
    pid_t pid;  /* -1: none was made */
    int report; /* why exec failed; -1: it was asked */
};

/* Forks and calls `become` in the child, which ends in exec or in jw_spawn_failed(report). */
bool jw_spawn_start(struct jw_spawn *out, void (*become)(const void *how, int report), const void *how,
                    struct jw_err *err) JW_MUST;

/* Waits for the exec. False: it failed, and why. */
bool jw_spawn_became(struct jw_spawn *s, struct jw_err *err) JW_MUST;

/* In the child: only async-signal-safe calls, because another thread may have held a lock. */
void jw_spawn_die_with(pid_t parent);
void jw_spawn_begin(pid_t parent);            /* the same, in a session of its own */
void jw_spawn_forget_signals(void);           /* handlers and mask */
void jw_spawn_close_others(void);             /* at exec: all but the standard streams */
void jw_spawn_close_from(int first);          /* now */
JW_NORETURN void jw_spawn_failed(int report); /* writes errno to it */

/* Tells whether it has ended. Does not reap it, so that its process group id stays taken until the group is killed. */
bool jw_spawn_ended(pid_t pid);

/* Kills its process group, with children it left behind. Returns the status of waitpid. */
int jw_spawn_reap(pid_t pid);

/* The same, but first asks the group to end and waits `grace_ms`, so that the user's own programs can release their
 * locks. */
int jw_spawn_end(pid_t pid, unsigned grace_ms);

#endif
