/* CPU and memory limits in the files of Linux cgroups 1 and 2. All but two are pure. */
#pragma once

#include "base/buf.h"

/* From /proc/self/cgroup: the group's path in version 2 ("0::/a/b") if `controller` is NULL, else
 * the path of this controller in version 1. */
bool jw_cgroup_path(const char *listing, const char *controller, struct jw_buf *path);

/* CPUs, rounded up, from a quota and a period; 0: no limit. Version 2 has both in one text:
 * `period` NULL. */
unsigned jw_cgroup_cpus(const char *quota, const char *period);

/* Bytes; UINT64_MAX: no limit. */
uint64_t jw_cgroup_limit(const char *text);

/* Memory in use without the file cache: `usage` minus the line `inactive` of memory.stat
 * ("inactive_file"; in version 1 "total_inactive_file"). */
uint64_t jw_cgroup_used(const char *usage, const char *stat, const char *inactive);

/* Calls `look` with the folder of this process's cgroup and of each above it, below `mount` of
 * SYSROOT/sys/fs/cgroup. In a container the path may exist only on the host; then the walk ends at
 * the root, which is the container's group. Linux. */
void jw_cgroup_walk(const char *sysroot, const char *mount, const char *controller,
                    void (*look)(void *ctx, const char *folder), void *ctx);
bool jw_cgroup_read(const char *folder, const char *name, char *text, size_t room);
