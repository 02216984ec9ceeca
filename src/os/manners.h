/* Work that nobody waits for. */
#ifndef OS_MANNERS_H
#define OS_MANNERS_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * From now on everybody else goes first, at the processors and at the disk: this thread, and what it starts after this
 * (on Windows the process; what it starts is below normal, but not idle at the disk). Call it before there are threads.
 * False: the system refused a part of it; the rest holds, and nothing needs to stop for it.
 */
bool jw_manners_background(struct jw_err *err) JW_MUST;

#endif
