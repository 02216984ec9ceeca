#include "os/machine/power.h"

#include "os/machine/procfs.h"
#include "os/sys.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 32, LINES = 256, PATH = 8192, MOST = 256 };

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
    for (unsigned i = 0; dir && i < MOST && (e = readdir(dir)) != NULL; i++) {
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

static bool read_pressure(const char *sysroot, const char *what, unsigned *out)
{
    char path[PATH], text[LINES];
    int n = snprintf(path, sizeof path, "%s/proc/pressure/%s", sysroot, what);

    return n > 0 && (size_t)n < sizeof path && jw_procfs_read(path, text, sizeof text)
           && jw_procfs_pressure(text, out);
}

bool jw_pressure_look(const char *sysroot, struct jw_pressure *out, struct jw_err *err)
{
    *out = (struct jw_pressure){ 0 };
    if (jw_sys_fault(err))
        return false;
    out->known = read_pressure(sysroot, "cpu", &out->cpu) && read_pressure(sysroot, "io", &out->io)
                 && read_pressure(sysroot, "memory", &out->memory);
    return true;
}
