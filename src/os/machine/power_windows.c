#include "os/machine/power.h"

#include "os/sys.h"

#include <windows.h>

bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err)
{
    SYSTEM_POWER_STATUS s;

    (void)sysroot;
    *out = JW_POWER_UNKNOWN;
    if (jw_sys_fault(err))
        return false;
    if (GetSystemPowerStatus(&s))
        *out = s.ACLineStatus == 0   ? JW_POWER_BATTERY
               : s.ACLineStatus == 1 ? JW_POWER_MAINS
                                     : JW_POWER_UNKNOWN;
    return true;
}
