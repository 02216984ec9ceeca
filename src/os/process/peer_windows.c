#include "os/process/peer.h"

#include "os/sys.h"
#include "os/sys_windows.h"

#include <stdio.h>
#include <string.h>

static bool read_start(HANDLE process, uint64_t *ticks)
{
    FILETIME made, ended, kernel, user;

    if (!GetProcessTimes(process, &made, &ended, &kernel, &user))
        return false;
    *ticks = (uint64_t)made.dwHighDateTime << 32 | made.dwLowDateTime;
    return true;
}

static void name_start(uint64_t ticks, char start[64])
{
    (void)snprintf(start, 64, "%llx", (unsigned long long)ticks);
}

bool jw_peer_self(struct jw_peer *out, struct jw_err *err)
{
    const uint64_t second = 10000000, from_1601_to_1970 = 11644473600;
    uint64_t ticks;

    *out = (struct jw_peer){ .pid = jw_sys_pid() };
    if (jw_sys_fault(err))
        return false;
    if (!read_start(GetCurrentProcess(), &ticks))
        return jw_sys_fail(err, (long)GetLastError());
    out->since = (int64_t)(ticks / second - from_1601_to_1970);
    name_start(ticks, out->start);
    return true;
}

bool jw_peer_alive(unsigned long pid, const char *start, bool *alive, struct jw_err *err)
{
    char now[64] = "";
    uint64_t ticks;

    *alive = false;
    if (jw_sys_fault(err))
        return false;

    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);

    if (!process) {
        *alive = GetLastError() == ERROR_ACCESS_DENIED;
        return true;
    }
    if (read_start(process, &ticks))
        name_start(ticks, now);
    /* Ended processes keep their number as long as somebody holds a handle. */
    *alive = WaitForSingleObject(process, 0) == WAIT_TIMEOUT && (!*now || strcmp(now, start) == 0);
    (void)CloseHandle(process);
    return true;
}
