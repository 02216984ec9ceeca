/* Starting and ending child processes, shared by process_posix.c and child_posix.c. */
#ifndef OS_PROCESS_SPAWN_POSIX_H
#define OS_PROCESS_SPAWN_POSIX_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Duplicates a descriptor to a number above the standard streams, which the child replaces. */
bool jw_spawn_move_fd(int *fd);
void jw_spawn_close_fd(int *fd); /* closes it, and makes it -1; accepts that */

/* A pipe whose ends are so, and which no program inherits. */
bool jw_spawn_pipe(int ends[2], struct jw_err *err) JW_MUST;

/* Forks and calls `become` in the child, with all signals blocked. */
bool jw_spawn_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err);

/* In the child: only async-signal-safe calls, because another thread may have held a lock. */
void jw_spawn_die_with(pid_t parent);
void jw_spawn_begin(pid_t parent);            /* the same, in a session of its own */
void jw_spawn_forget_signals(void);           /* handlers and mask */
void jw_spawn_close_others(void);             /* at exec: all but the standard streams */
void jw_spawn_close_from(int first);          /* now */
JW_NORETURN void jw_spawn_failed(int report); /* writes errno to it */

/* In the parent, from the other end of `report`: false, and why exec failed. A successful exec closes it. */
bool jw_spawn_exec_ended(int report, struct jw_err *err) JW_MUST;

/* Whether it has ended. Does not reap it, so that its process group id stays taken until the group is killed. */
bool jw_spawn_ended(pid_t pid);

/* Kills its process group, with children it left behind. Returns the status of waitpid. */
int jw_spawn_reap(pid_t pid);

/* The same, but first asks the group to end and waits `grace_ms`, so that the user's own programs can release their
 * locks. */
int jw_spawn_end(pid_t pid, unsigned grace_ms);

#endif
