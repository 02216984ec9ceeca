/* What feeds this machine, and how much its programs wait for each other: is this a time for work that nobody waits for? */
#ifndef OS_MACHINE_POWER_H
#define OS_MACHINE_POWER_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_power { JW_POWER_UNKNOWN, JW_POWER_MAINS, JW_POWER_BATTERY };

/* Linux: in hundredths of a percent, how much of the last ten seconds something waited for it (PSI). */
struct jw_pressure {
    bool known;
    unsigned cpu, io, memory;
};

/* `sysroot` as in os/machine/memory.h. What the system does not tell is unknown, and no failure. */
bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err) JW_MUST;
bool jw_pressure_look(const char *sysroot, struct jw_pressure *out, struct jw_err *err) JW_MUST;

/* ---- from texts: pure ---- */

/* A power supply as sysfs has it: its files "type", "online", "status" and "scope"; "" where there is none. */
struct jw_supply {
    const char *type, *online, *status, *scope;
};

struct jw_supplies {
    bool online, offline, discharging;
};

void jw_power_add(struct jw_supplies *all, const struct jw_supply *one);
enum jw_power jw_power_of(const struct jw_supplies *all);

#endif
