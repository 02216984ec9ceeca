/* How a child process begins and ends here; process_posix.c and child_posix.c differ in what they say to it. */
#ifndef OS_PROCESS_BIRTH_POSIX_H
#define OS_PROCESS_BIRTH_POSIX_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Moves a descriptor above the standard streams, which the child replaces. */
bool jw_birth_lift(int *fd);
int jw_birth_open_max(void);

/* What execve takes, made of ours and the edits, or of the edits alone when it is `bare`. Borrows from ours. */
bool jw_birth_environment(const struct jw_child_edit *edits, size_t n, bool bare, struct jw_arena *a,
                          char ***out, struct jw_err *err) JW_MUST;

/* Forks into `become` with every signal blocked. */
bool jw_birth_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err);

/* In the child: async-signal-safe calls only, for other threads may have held locks. */
void jw_birth_begin(pid_t parent);            /* a session of its own; dies with the parent */
void jw_birth_forget_signals(void);           /* handlers and mask */
JW_NORETURN void jw_birth_failed(int report); /* writes errno to it */

/* Leaves it unreaped, so that its process group cannot become another's before that is killed. */
bool jw_birth_ended(pid_t pid);

/* Kills the whole group, children that it left behind included; the status of waitpid. */
int jw_birth_reap(pid_t pid);

/* The same, but all of them are asked first, and have `grace_ms` to put their things in order: somebody's own programs may
 * hold locks that would outlive them. */
int jw_birth_end(pid_t pid, unsigned grace_ms);

#endif
