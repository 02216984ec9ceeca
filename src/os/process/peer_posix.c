#include "os/process/peer.h"

#include "os/machine/procfs.h"
#include "os/machine/procfs_posix.h"
#include "os/machine/time.h"
#include "os/sys.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STAT = 1024, BOOT_ID = 40 };

/* Ticks since the system started, and which start of it that was: the clock may be set meanwhile, so that the moment itself
 * cannot be compared. */
static bool name_start(uint64_t ticks, char start[64], struct jw_err *err)
{
    static const char path[] = "/proc/sys/kernel/random/boot_id";
    char boot[BOOT_ID];

    if (!jw_procfs_read(path, boot, sizeof boot))
        return jw_sys_fail(err, errno) || jw_wrap(err, "%s", path);
    boot[strcspn(boot, "\n")] = '\0';
    (void)snprintf(start, 64, "%llu-%s", (unsigned long long)ticks, boot);
    return true;
}

static int64_t began_at(uint64_t ticks)
{
    struct timespec up = { 0 };
    long rate = sysconf(_SC_CLK_TCK);

    (void)clock_gettime(CLOCK_BOOTTIME, &up);
    return jw_time_unix() - (int64_t)up.tv_sec + (int64_t)(ticks / (uint64_t)(rate > 0 ? rate : 100));
}

static bool read_stat(unsigned long pid, char *state, uint64_t *ticks)
{
    char path[64], text[STAT];

    (void)snprintf(path, sizeof path, "/proc/%lu/stat", pid);
    return jw_procfs_read(path, text, sizeof text) && jw_procfs_stat(text, state, ticks);
}

bool jw_peer_self(struct jw_peer *out, struct jw_err *err)
{
    uint64_t ticks;
    char state;

    *out = (struct jw_peer){ .pid = jw_sys_pid() };
    if (jw_sys_fault(err))
        return false;
    if (!read_stat(out->pid, &state, &ticks))
        return jw_fail(err, JW_E_IO, "/proc/%lu/stat: does not say when this process began", out->pid);
    out->since = began_at(ticks);
    return name_start(ticks, out->start, err);
}

bool jw_peer_alive(unsigned long pid, const char *start, bool *alive, struct jw_err *err)
{
    char now[64], state;
    uint64_t ticks;

    *alive = false;
    if (jw_sys_fault(err))
        return false;
    if (pid == 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return true;
    if (!read_stat(pid, &state, &ticks)) {
        *alive = kill((pid_t)pid, 0) == 0 || errno != ESRCH; /* it may have ended in between */
        return true;
    }
    if (!name_start(ticks, now, err))
        return false;
    *alive = state != 'Z' && state != 'X' && strcmp(now, start) == 0;
    return true;
}
