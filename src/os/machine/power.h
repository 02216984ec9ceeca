/* Power supply of this machine, to decide whether background work may start. */
#ifndef OS_MACHINE_POWER_H
#define OS_MACHINE_POWER_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_power { JW_POWER_UNKNOWN, JW_POWER_MAINS, JW_POWER_BATTERY };

/* `sysroot` as in os/machine/memory.h. A missing file is not an error; the value is unknown. */
bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err) JW_MUST;

#endif
