/* Work that nobody waits for. */
#ifndef OS_MACHINE_PRIORITY_H
#define OS_MACHINE_PRIORITY_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * From now on everybody else goes first, at the processors and at the disk: this thread, and what it starts after this
 * (on Windows the process; what it starts is below normal, but not idle at the disk). Call it before there are threads.
 * False: the system refused a part of it; the rest holds, and nothing needs to stop for it.
 */
bool jw_priority_background(struct jw_err *err) JW_MUST;

/*
 * From now on this thread, and what it starts (on Windows: the process), gets only what nobody else wants. Not for a process
 * that holds a lock that others wait for: on a busy machine it may not run for seconds. False: as above.
 */
bool jw_priority_idle(struct jw_err *err) JW_MUST;

/* Windows: a console that was made for this program alone goes away, and what is printed with it. Else nothing. */
void jw_leave_console(void);

#endif
