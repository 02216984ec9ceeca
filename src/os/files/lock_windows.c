#include "os/files/lock.h"

#include "os/machine/time.h"
#include "os/sys.h"
#include "os/sys_windows.h"

enum { NAP_MS = 5 };

struct range {
    OVERLAPPED at;
    DWORD low, high; /* how long */
};

static const struct range whole = { .low = MAXDWORD, .high = MAXDWORD };
static const struct range mark = { .at = { .Offset = 0, .OffsetHigh = 0x7fffffff }, .low = 1 };

static bool take(intptr_t handle, struct range range, bool write, unsigned retry_ms, bool *taken,
                 struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + (uint64_t)retry_ms * 1000000;
    DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (write ? LOCKFILE_EXCLUSIVE_LOCK : 0);

    *taken = false;
    if (jw_sys_fault(err))
        return false;
    for (;;) {
        OVERLAPPED at = range.at;
        DWORD why = LockFileEx((HANDLE)handle, flags, 0, range.low, range.high, &at) ? 0 : GetLastError();

        *taken = why == 0;
        if (why && why != ERROR_LOCK_VIOLATION && why != ERROR_IO_PENDING)
            return jw_sys_fail(err, (long)why);
        if (!why || jw_time_monotonic_ns() >= end)
            return true;
        jw_time_sleep_ms(NAP_MS);
    }
}

bool jw_filelock_take(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    return take(handle, whole, write, retry_ms, taken, err);
}

bool jw_filelock_take_mark(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    return take(handle, mark, write, retry_ms, taken, err);
}

static bool drop(intptr_t handle, struct range range)
{
    return UnlockFileEx((HANDLE)handle, 0, range.low, range.high, &range.at);
}

bool jw_filelock_drop(intptr_t handle, struct jw_err *err)
{
    return drop(handle, whole) || drop(handle, mark) || jw_sys_fail(err, (long)GetLastError());
}
