#include "os/machine/memory.h"

#include "base/num.h"
#include "os/machine/cgroup.h"
#include "os/machine/procfs.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>

enum { NUMBERS = 128, LISTING = 16384, PATH = 8192, GROUP_PATH = 4096 };

/* The mount points of cgroups 1 and 2. In systemd's hybrid set-up version 2 is in "unified". */
static const struct version {
    const char *controller, *folder, *limits[2], *usage, *inactive, *pressure;
} versions[] = {
    { NULL,
      "sys/fs/cgroup",
      { "memory.max", "memory.high" },
      "memory.current",
      "inactive_file",
      "memory.pressure" },
    { NULL, "sys/fs/cgroup/unified", { NULL, NULL }, NULL, NULL, "memory.pressure" },
    { "memory",
      "sys/fs/cgroup/memory",
      { "memory.limit_in_bytes", NULL },
      "memory.usage_in_bytes",
      "total_inactive_file",
      NULL },
};

struct look {
    const char *sysroot;
    struct jw_memory *out;
};

struct group {
    const struct version *version;
    char path[GROUP_PATH + 1]; /* below the version's folder */
};

static bool read_below(const struct look *l, const char *name, char *text, size_t room)
{
    char path[PATH];
    int n = snprintf(path, sizeof path, "%s/%s", l->sysroot, name);

    errno = ENAMETOOLONG;
    return n > 0 && (size_t)n < sizeof path && jw_procfs_read(path, text, room);
}

static bool read_group(const struct look *l, const struct group *g, const char *name, char *text, size_t room)
{
    char path[PATH];

    (void)snprintf(path, sizeof path, "%s%s/%s", g->version->folder, g->path, name);
    return read_below(l, path, text, room);
}

static uint64_t least_limit(const struct look *l, const struct group *g)
{
    uint64_t least = UINT64_MAX;
    char text[NUMBERS];

    for (size_t i = 0; i < JW_COUNT(g->version->limits); i++)
        if (g->version->limits[i] && read_group(l, g, g->version->limits[i], text, sizeof text))
            least = jw_min(least, jw_cgroup_limit(text));
    return least;
}

static void apply_limit(const struct look *l, const struct group *g)
{
    uint64_t limit = least_limit(l, g), used = 0;
    char usage[NUMBERS], stat[LISTING];

    if (limit == UINT64_MAX)
        return;
    if (read_group(l, g, g->version->usage, usage, sizeof usage)) {
        (void)read_group(l, g, "memory.stat", stat, sizeof stat);
        used = jw_cgroup_used(usage, stat, g->version->inactive);
    }
    l->out->total = jw_min(l->out->total, limit);
    l->out->available = jw_min(l->out->available, limit > used ? limit - used : 0);
}

/* The nearest group with pressure data: in a container, the machine's pressure is caused by others. */
static void apply_pressure(const struct look *l, const struct group *g)
{
    char text[NUMBERS * 2];

    if (!l->out->pressure_known && g->version->pressure
        && read_group(l, g, g->version->pressure, text, sizeof text))
        l->out->pressure_known = jw_procfs_pressure(text, &l->out->pressure);
}

/* The lowest limit of this cgroup and its parents. In a container the path may exist only on the host; then the walk
 * ends at the root, which is the container's group. */
static void apply_groups(const struct look *l, const char *listing, const struct version *version)
{
    struct group g = { .version = version };
    struct jw_buf path = { .p = (uint8_t *)g.path, .cap = sizeof g.path, .max = GROUP_PATH };

    if (!jw_cgroup_path(listing, version->controller, &path))
        return;
    do {
        apply_limit(l, &g);
        apply_pressure(l, &g);
    } while (jw_cgroup_up(g.path));
}

static bool read_machine(const struct look *l, struct jw_err *err)
{
    char text[LISTING];

    if (!read_below(l, "proc/meminfo", text, sizeof text))
        return jw_sys_fail(err, errno) || jw_wrap(err, "/proc/meminfo");
    if (!jw_procfs_number(text, "MemTotal", &l->out->total)
        || !(jw_procfs_number(text, "MemAvailable", &l->out->available)
             || jw_procfs_number(text, "MemFree", &l->out->available)))
        return jw_fail(err, JW_E_FORMAT, "/proc/meminfo: does not say how much memory there is");
    return true;
}

bool jw_memory_look(const char *sysroot, struct jw_memory *out, struct jw_err *err)
{
    struct look l = { sysroot, out };
    char text[LISTING];

    *out = (struct jw_memory){ 0 };
    if (jw_sys_fault(err) || !read_machine(&l, err))
        return false;
    if (read_below(&l, "proc/self/cgroup", text, sizeof text))
        for (size_t i = 0; i < JW_COUNT(versions); i++)
            apply_groups(&l, text, &versions[i]);
    if (!out->pressure_known && read_below(&l, "proc/pressure/memory", text, sizeof text))
        out->pressure_known = jw_procfs_pressure(text, &out->pressure);
    return true;
}

uint64_t jw_memory_peak(void)
{
    char text[LISTING];
    uint64_t bytes = 0;

    return jw_procfs_read("/proc/self/status", text, sizeof text) && jw_procfs_number(text, "VmHWM", &bytes)
               ? bytes
               : 0;
}
