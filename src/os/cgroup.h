/* How a container's share of the CPUs is written (Linux cgroups 1 and 2). Text in, numbers out; no files. */
#ifndef OS_CGROUP_H
#define OS_CGROUP_H

#include "base/buf.h"

#include <stdbool.h>

/* From /proc/self/cgroup: the group's path for version 2 ("0::/a/b"), or for version 1's cpu controller. */
bool jw_cgroup_path(const char *listing, bool version2, struct jw_buf *path);

/* CPUs, rounded up, of a quota and a period in microseconds; 0: no limit. Version 2 has both in one text. */
unsigned jw_cgroup_cpus(const char *quota, const char *period);
unsigned jw_cgroup_cpus2(const char *cpu_max);

#endif
