/* Power supply of this machine, to decide whether background work may start. */
#ifndef OS_MACHINE_POWER_H
#define OS_MACHINE_POWER_H

#include <stdbool.h>

/* Is it known to run on a battery? `sysroot` as in os/machine/memory.h. */
bool jw_on_battery(const char *sysroot);

#endif
