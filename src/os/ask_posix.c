#include "os/ask.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* A signal restarts a read, so that Ctrl-C would not be noticed there; it always ends a poll. The timeout is for
 * the one that comes between the look at the flag and the poll. */
static bool wait_for_input(FILE *in, const atomic_bool *interrupted)
{
    enum { LOOK_MS = 100 };
    struct pollfd fd = { .fd = fileno(in), .events = POLLIN };

    for (;;) {
        if (interrupted && atomic_load(interrupted))
            return false;

        int n = poll(&fd, 1, LOOK_MS);

        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted)
{
    if (!wait_for_input(in, interrupted) || !fgets(line, (int)size, in))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}
