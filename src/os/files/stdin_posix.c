#include "os/files/stdin.h"

#include "os/sys.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

/* A signal restarts a read, so that Ctrl-C would not be noticed there; it always ends a poll. */
static bool wait_for_input(const atomic_bool *interrupted, struct jw_err *err)
{
    struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
    int n;

    do {
        if (interrupted && atomic_load(interrupted))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        n = poll(&fd, 1, LOOK_MS);
        if (n < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
    } while (n <= 0);
    return true;
}

bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted, struct jw_err *err)
{
    ssize_t r;

    *got = 0;
    if (jw_sys_fault(err))
        return false;
    do {
        if (!wait_for_input(interrupted, err))
            return false;
        r = read(STDIN_FILENO, dst, n);
    } while (r < 0 && (errno == EINTR || errno == EAGAIN));
    if (r < 0)
        return jw_sys_fail(err, errno);
    *got = (size_t)r;
    return true;
}
