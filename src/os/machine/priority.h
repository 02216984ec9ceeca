/* Lower priority for background work. */
#ifndef OS_MACHINE_PRIORITY_H
#define OS_MACHINE_PRIORITY_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * Lowers the CPU and disk priority of this thread and of its later children below all other programs. (On Windows: of
 * the process; children get below-normal CPU priority and normal disk priority.) Call it before starting threads.
 * False: the system refused a part of it; work can continue.
 */
bool jw_priority_background(struct jw_err *err) JW_MUST;

/*
 * Gives this thread and its later children (on Windows: the process) only idle CPU time. Not for a process that holds a
 * lock which other programs wait for: on a busy machine it may not run for seconds. False: as above.
 */
bool jw_priority_idle(struct jw_err *err) JW_MUST;

/* Windows: closes a console that was created only for this program. Does nothing elsewhere. */
void jw_leave_console(void);

#endif
