#include "os/machine/power.h"

#include "os/machine/procfs.h"
#include "os/sys.h"

#include <dirent.h>
#include <stdio.h>

enum { WORD = 32, PATH = 8192, MAX_SUPPLIES = 256 };

static void read_word(const char *folder, const char *name, const char *file, char text[WORD])
{
    char path[PATH];
    int n = snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);

    if (n < 0 || (size_t)n >= sizeof path || !jw_procfs_read(path, text, WORD))
        text[0] = '\0';
}

bool jw_power_look(const char *sysroot, enum jw_power *out, struct jw_err *err)
{
    struct jw_supplies all = { 0 };
    char folder[PATH / 2];
    const struct dirent *e;
    DIR *dir;

    *out = JW_POWER_UNKNOWN;
    if (jw_sys_fault(err))
        return false;
    (void)snprintf(folder, sizeof folder, "%s/sys/class/power_supply", sysroot);
    dir = opendir(folder);
    for (unsigned i = 0; dir && i < MAX_SUPPLIES && (e = readdir(dir)) != NULL; i++) {
        char type[WORD], online[WORD], status[WORD], scope[WORD];

        if (e->d_name[0] == '.')
            continue;
        read_word(folder, e->d_name, "type", type);
        read_word(folder, e->d_name, "online", online);
        read_word(folder, e->d_name, "status", status);
        read_word(folder, e->d_name, "scope", scope);
        jw_power_add(&all, &(struct jw_supply){ type, online, status, scope });
    }
    if (dir)
        (void)closedir(dir);
    *out = jw_power_of(&all);
    return true;
}
