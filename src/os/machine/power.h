/* Power supply of this machine, to decide whether background work may start. */
#ifndef OS_MACHINE_POWER_H
#define OS_MACHINE_POWER_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_power { JW_POWER_UNKNOWN, JW_POWER_MAINS, JW_POWER_BATTERY };

/* `sysroot` as in os/machine/memory.h. A missing file is not an error; the value is unknown. */
bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err) JW_MUST;

/* ---- pure functions of texts ---- */

/* A power supply in sysfs: its files "type", "online", "status" and "scope"; "" for a missing file. */
struct jw_supply {
    const char *type, *online, *status, *scope;
};

struct jw_supplies {
    bool online, offline, discharging;
};

void jw_power_add(struct jw_supplies *all, const struct jw_supply *one);
enum jw_power jw_power_of(const struct jw_supplies *all);

#endif
