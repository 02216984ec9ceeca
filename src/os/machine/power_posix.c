#include "os/machine/power.h"

#include "os/machine/procfs.h"
#include "os/sys.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 32, PATH = 8192, MAX_SUPPLIES = 256 };

/* Whether this file of a supply says so. */
static bool says(const char *folder, const char *name, const char *file, const char *word)
{
    char path[PATH], text[WORD];
    int n = snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);

    return n > 0 && (size_t)n < sizeof path && jw_procfs_read(path, text, sizeof text)
           && strcspn(text, "\n") == strlen(word) && strncmp(text, word, strlen(word)) == 0;
}

/* The rule of systemd's ConditionACPower. A desktop has no supply in the list. Batteries of devices (a mouse) do not
 * count. A USB supply counts only if it is online. */
bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err)
{
    bool online = false, battery = false;
    char folder[PATH / 2];
    const struct dirent *e;
    DIR *dir;

    *out = JW_POWER_UNKNOWN;
    if (jw_sys_fault(err))
        return false;
    (void)snprintf(folder, sizeof folder, "%s/sys/class/power_supply", sysroot);
    dir = opendir(folder);
    for (unsigned i = 0; dir && i < MAX_SUPPLIES && (e = readdir(dir)) != NULL; i++) {
        bool mains = says(folder, e->d_name, "type", "Mains");

        if (says(folder, e->d_name, "scope", "Device"))
            continue;
        if (mains || says(folder, e->d_name, "type", "USB"))
            online |= says(folder, e->d_name, "online", "1");
        battery |= (mains && says(folder, e->d_name, "online", "0"))
                   || (says(folder, e->d_name, "type", "Battery")
                       && says(folder, e->d_name, "status", "Discharging"));
    }
    if (dir)
        (void)closedir(dir);
    *out = online ? JW_POWER_MAINS : battery ? JW_POWER_BATTERY : JW_POWER_UNKNOWN;
    return true;
}
