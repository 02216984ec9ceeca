#include "os/machine/cgroup.h"
#include "os/machine/procfs.h"

#include <stdio.h>

enum { LISTING = 16384, PATH = 8192, GROUP_PATH = 4096 };

bool jw_cgroup_read(const char *folder, const char *name, char *text, size_t room)
{
    char path[PATH];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);

    return n > 0 && (size_t)n < sizeof path && jw_procfs_read(path, text, room);
}

void jw_cgroup_walk(const char *sysroot, const char *mount, const char *controller,
                    void (*look)(void *ctx, const char *folder), void *ctx)
{
    char listing[LISTING], folder[PATH] = "";
    int n = snprintf(folder, sizeof folder - GROUP_PATH, "%s/sys/fs/cgroup%s", sysroot, mount);
    struct jw_buf group = { .p = (uint8_t *)folder + n, .cap = GROUP_PATH, .max = GROUP_PATH - 1 };

    if (n < 0 || n >= PATH - GROUP_PATH
        || !jw_cgroup_read(sysroot, "proc/self/cgroup", listing, sizeof listing)
        || !jw_cgroup_path(listing, controller, &group))
        return;
    do
        look(ctx, folder);
    while (jw_cgroup_up(folder + n));
}
