#include "os/machine/power.h"

#include "os/files/dir.h"
#include "os/machine/procfs.h"

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
bool jw_on_battery(const char *sysroot)
{
    bool online = false, battery = false;
    char folder[PATH / 2];
    struct jw_entry e;
    struct jw_dir *dir = NULL;

    (void)snprintf(folder, sizeof folder, "%s/sys/class/power_supply", sysroot);

    bool more = jw_dir_open(&dir, folder, JW_IGNORED);

    for (unsigned i = 0; more && i < MAX_SUPPLIES && jw_dir_next(dir, &e, &more, JW_IGNORED) && more; i++) {
        bool mains = says(folder, e.name, "type", "Mains");

        if (says(folder, e.name, "scope", "Device"))
            continue;
        if (mains || says(folder, e.name, "type", "USB"))
            online |= says(folder, e.name, "online", "1");
        battery |=
            (mains && says(folder, e.name, "online", "0"))
            || (says(folder, e.name, "type", "Battery") && says(folder, e.name, "status", "Discharging"));
    }
    jw_dir_close(dir);
    return battery && !online;
}
