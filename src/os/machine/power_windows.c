#include "os/machine/power.h"

#include <windows.h>

bool jw_on_battery(const char *sysroot)
{
    SYSTEM_POWER_STATUS s;

    (void)sysroot;
    return GetSystemPowerStatus(&s) && s.ACLineStatus == 0;
}
