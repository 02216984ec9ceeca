#include "os/files/append.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool jw_sys_append_open(const char *path, intptr_t *handle, uint64_t *size, struct jw_err *err)
{
    struct stat st;
    int fd;

    do
        fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return jw_sys_fail(err, errno);
    if (fstat(fd, &st) != 0)
        (void)jw_sys_fail(err, errno);
    else if (!S_ISREG(st.st_mode))
        (void)jw_fail(err, JW_E_IO, "is not a regular file");
    else {
        *handle = fd;
        *size = (uint64_t)st.st_size;
        return true;
    }
    (void)close(fd);
    return false;
}

bool jw_sys_append_write(intptr_t handle, const void *p, size_t n, struct jw_err *err)
{
    return jw_sys_write(handle, p, n, err); /* O_APPEND */
}

bool jw_sys_append_cut(intptr_t handle, uint64_t size, struct jw_err *err)
{
    int r;

    do
        r = ftruncate((int)handle, (off_t)size);
    while (r != 0 && errno == EINTR);
    return r == 0 || jw_sys_fail(err, errno);
}

bool jw_sys_append_sync(intptr_t handle, struct jw_err *err)
{
    return fdatasync((int)handle) == 0 || jw_sys_fail(err, errno);
}

bool jw_sys_append_remove(const char *path, struct jw_err *err)
{
    return unlink(path) == 0 || jw_sys_absent(errno) || jw_sys_fail(err, errno);
}
