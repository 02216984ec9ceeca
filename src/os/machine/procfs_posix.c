#include "os/machine/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool jw_procfs_read(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), why;
    size_t n = 0;
    ssize_t r = 0;

    text[0] = '\0';
    if (fd < 0)
        return false;
    while (n < room - 1 && (r = read(fd, text + n, room - 1 - n)) != 0) {
        if (r > 0)
            n += (size_t)r;
        else if (errno != EINTR)
            break;
    }
    why = errno;
    (void)close(fd);
    errno = why;
    text[n] = '\0';
    return r >= 0;
}
