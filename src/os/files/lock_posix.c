#include "os/files/lock.h"

#include "os/machine/time.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { NAP_MS = 5 };

static int set(intptr_t handle, short type)
{
    struct flock range = { .l_type = type,
                           .l_whence = SEEK_SET }; /* length 0: to the end, wherever that will be */

    while (fcntl((int)handle, F_OFD_SETLK, &range) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

bool jw_filelock_take(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + (uint64_t)retry_ms * 1000000;

    *taken = false;
    if (jw_sys_fault(err))
        return false;
    for (;;) {
        int why = set(handle, write ? F_WRLCK : F_RDLCK);

        *taken = why == 0;
        if (why && why != EAGAIN && why != EACCES)
            return jw_sys_fail(err, why);
        if (!why || jw_time_monotonic_ns() >= end)
            return true;
        jw_time_sleep_ms(NAP_MS);
    }
}

/* Nobody is kept from reading here. */
bool jw_filelock_take_mark(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    return jw_filelock_take(handle, write, retry_ms, taken, err);
}

bool jw_filelock_drop(intptr_t handle, struct jw_err *err)
{
    int why = set(handle, F_UNLCK);

    return !why || jw_sys_fail(err, why);
}
