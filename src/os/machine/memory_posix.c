#include "os/machine/memory.h"

#include "base/num.h"
#include "os/machine/cgroup.h"
#include "os/machine/procfs.h"

enum { NUMBERS = 128, LISTING = 16384 };

struct groups {
    const char *mount, *controller, *limits[2], *usage, *inactive;
    struct jw_memory *out;
};

static void apply_limit(void *ctx, const char *folder)
{
    const struct groups *g = ctx;
    uint64_t limit = UINT64_MAX;
    uint64_t used = 0;
    char number[NUMBERS], stat[LISTING];

    for (size_t i = 0; i < JW_COUNT(g->limits); i++)
        if (g->limits[i] && jw_cgroup_read(folder, g->limits[i], number, sizeof number))
            limit = jw_min(limit, jw_cgroup_limit(number));
    if (limit == UINT64_MAX)
        return;
    if (jw_cgroup_read(folder, g->usage, number, sizeof number)) {
        (void)jw_cgroup_read(folder, "memory.stat", stat, sizeof stat);
        used = jw_cgroup_used(number, stat, g->inactive);
    }
    g->out->total = jw_min(g->out->total, limit);
    g->out->available = jw_min(g->out->available, limit > used ? limit - used : 0);
}

bool jw_memory_look(const char *sysroot, struct jw_memory *out)
{
    struct groups versions[] = {
        {"", NULL, {"memory.max", "memory.high"}, "memory.current", "inactive_file", out},
        {"/memory",
         "memory",
         {"memory.limit_in_bytes"},
         "memory.usage_in_bytes",
         "total_inactive_file",
         out},
    };
    char text[LISTING];

    *out = (struct jw_memory){0};
    if (!jw_cgroup_read(sysroot, "proc/meminfo", text, sizeof text)
        || !jw_procfs_number(text, "MemTotal", &out->total)
        || !(jw_procfs_number(text, "MemAvailable", &out->available)
             || jw_procfs_number(text, "MemFree", &out->available)))
        return false;
    for (size_t i = 0; i < JW_COUNT(versions); i++)
        jw_cgroup_walk(sysroot, versions[i].mount, versions[i].controller, apply_limit,
                       &versions[i]);
    return true;
}

uint64_t jw_memory_peak(void)
{
    char text[LISTING];
    uint64_t bytes = 0;

    if (jw_procfs_read("/proc/self/status", text, sizeof text))
        (void)jw_procfs_number(text, "VmHWM", &bytes);
    return bytes;
}
