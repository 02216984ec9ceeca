#include "os/machine/memory.h"

#include "base/num.h"
#include "os/sys_windows.h"

#include <psapi.h>

/* A job, such as a container, may limit a process to less than the machine has. */
static void apply_job(struct jw_memory *m)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {0};

    if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL)
        || !(job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY)
        || job.JobMemoryLimit >= m->total)
        return;
    m->total = job.JobMemoryLimit;
    m->available = jw_min(m->available, m->total);
}

/* Committed memory must fit into RAM and page file, used or not: it can run out first. */
bool jw_memory_look(const char *sysroot, struct jw_memory *out)
{
    MEMORYSTATUSEX now = {.dwLength = sizeof now};

    (void)sysroot;
    *out = (struct jw_memory){0};
    if (!GlobalMemoryStatusEx(&now))
        return false;
    out->total = now.ullTotalPhys;
    out->available = jw_min(now.ullAvailPhys, now.ullAvailPageFile);
    apply_job(out);
    return true;
}

uint64_t jw_memory_peak(void)
{
    PROCESS_MEMORY_COUNTERS now;

    return K32GetProcessMemoryInfo(GetCurrentProcess(), &now, sizeof now) ? now.PeakWorkingSetSize
                                                                          : 0;
}
