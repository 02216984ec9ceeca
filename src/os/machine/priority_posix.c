#include "os/machine/priority.h"

#include "os/machine/time.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    IOPRIO_WHO_PROCESS = 1,
    IOPRIO_IDLE = 3 << 13, /* class 3, in the three highest of 16 bits */
    BEHIND = 15,
    NICEST = 19,
    TRIES = 30
};

/* Only lowers: root could raise it, too. */
static void be_nice(int least)
{
    if (getpriority(PRIO_PROCESS, 0) < least)
        (void)setpriority(PRIO_PROCESS, 0, least);
}

/* Linux may share the processors between sessions first (sched_autogroup), and each worker leads
 * one. Of users but root it takes one change in a tenth of a second. */
static void lower_session(int nice)
{
    int file = getsid(0) == getpid() ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC) : -1;

    for (int i = 0; i < TRIES; i++) {
        if (dprintf(file, "%d", nice) > 0 || errno != EAGAIN)
            break;
        jw_time_sleep_ms(100);
    }
    if (file >= 0)
        (void)close(file);
}

/* SCHED_BATCH, not SCHED_IDLE: an idle process that holds a lock on the cache's index may not run
 * for seconds on a busy machine, and programs wait for that lock. */
void jw_priority_lower(enum jw_priority how)
{
    const struct sched_param none = {0};
    bool idle = how == JW_PRIORITY_IDLE;

    if (!idle)
        be_nice(how == JW_PRIORITY_BEHIND ? BEHIND : NICEST);
    lower_session(idle ? NICEST : getpriority(PRIO_PROCESS, 0));
    (void)sched_setscheduler(0, idle ? SCHED_IDLE : SCHED_BATCH, &none);
    if (how != JW_PRIORITY_BEHIND)
        (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

void jw_leave_console(void) {}
