#include "os/machine/priority.h"

#include "os/sys.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    IOPRIO_WHO_PROCESS = 1,
    IOPRIO_IDLE = 3 << 13, /* class 3, in the three highest of 16 bits */
    NICEST = 19
};

/* SCHED_BATCH, not SCHED_IDLE: an idle process that holds a lock on the cache's index may not run for seconds on a busy
 * machine, and programs wait for that lock. */
bool jw_priority_lower(enum jw_priority how, struct jw_err *err)
{
    const struct sched_param none = { 0 };
    bool idle = how == JW_PRIORITY_IDLE, ok = true;

    if (jw_sys_fault(err))
        return false;
    if (!idle && setpriority(PRIO_PROCESS, 0, NICEST) != 0)
        ok = jw_sys_fail(err, errno) || jw_wrap(err, "a lower priority");
    if (sched_setscheduler(0, idle ? SCHED_IDLE : SCHED_BATCH, &none) != 0)
        ok = jw_sys_fail(err, errno) || jw_wrap(err, "being scheduled as %s work", idle ? "idle" : "batch");
    if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE) != 0)
        ok = jw_sys_fail(err, errno) || jw_wrap(err, "a lower priority at the disk");
    return ok;
}

void jw_leave_console(void) {}
