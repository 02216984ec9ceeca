/* How a container's share of the CPUs and of the memory is written (Linux cgroups 1 and 2). Text in, numbers out; no files. */
#ifndef OS_MACHINE_CGROUP_H
#define OS_MACHINE_CGROUP_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* From /proc/self/cgroup: the group's path for version 2 ("0::/a/b") when `controller` is NULL, or for the one of version
 * 1 that is named so. */
bool jw_cgroup_path(const char *listing, const char *controller, struct jw_buf *path);

/* Cuts off the last name: "/a/b", "/a", "". False: nothing was left to cut. */
bool jw_cgroup_up(char *path);

/* CPUs, rounded up, of a quota and a period in microseconds; 0: no limit. Version 2 has both in one text. */
unsigned jw_cgroup_cpus(const char *quota, const char *period);
unsigned jw_cgroup_cpus2(const char *cpu_max);

/* Bytes; UINT64_MAX: no limit. */
uint64_t jw_cgroup_limit(const char *text);

/* Bytes in use that cannot be had back by dropping files that nobody has read lately: what `usage` says, less the
 * `inactive` line of memory.stat ("inactive_file"; in version 1 "total_inactive_file"). */
uint64_t jw_cgroup_used(const char *usage, const char *stat, const char *inactive);

#endif
