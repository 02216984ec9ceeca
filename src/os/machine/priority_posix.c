#include "os/machine/priority.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    IOPRIO_WHO_PROCESS = 1,
    IOPRIO_IDLE = 3 << 13, /* class 3, in the three highest of 16 bits */
    BEHIND = 10,
    NICEST = 19
};

/* Only lowers: root could raise it, too. */
static void be_nice(int least)
{
    if (getpriority(PRIO_PROCESS, 0) < least)
        (void)setpriority(PRIO_PROCESS, 0, least);
}

/* SCHED_BATCH, not SCHED_IDLE: an idle process that holds a lock on the cache's index may not run
 * for seconds on a busy machine, and programs wait for that lock. */
void jw_priority_lower(enum jw_priority how)
{
    const struct sched_param none = {0};
    bool idle = how == JW_PRIORITY_IDLE;

    if (!idle)
        be_nice(how == JW_PRIORITY_BEHIND ? BEHIND : NICEST);
    (void)sched_setscheduler(0, idle ? SCHED_IDLE : SCHED_BATCH, &none);
    if (how != JW_PRIORITY_BEHIND)
        (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

void jw_leave_console(void) {}
