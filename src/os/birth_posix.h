/* How a child process begins and ends here; process_posix.c and child_posix.c differ in what they say to it. */
#ifndef OS_BIRTH_POSIX_H
#define OS_BIRTH_POSIX_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Moves a descriptor above the standard streams, which the child replaces. */
bool jw_birth_lift(int *fd);
int jw_birth_open_max(void);

/* Forks into `become` with every signal blocked; the child gets its own process group. */
bool jw_birth_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err);

/* In the child: async-signal-safe calls only, for other threads may have held locks. */
void jw_birth_begin(pid_t parent);            /* its own group; dies with the parent */
void jw_birth_forget_signals(void);           /* handlers and mask */
JW_NORETURN void jw_birth_failed(int report); /* writes errno to it */

/* Ends the whole group, children that it left behind included; the status of waitpid. */
int jw_birth_reap(pid_t pid);

#endif
