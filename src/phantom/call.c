#include "phantom/phantom.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int ph_sys_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int ph_sys_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

void *ph_sys_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

/* Numbers above those that programs expect. */
int ph_memory_file(const char *name, uint64_t size)
{
    int low = (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC), fd;

    if (low < 0)
        return -1;
    fd = fcntl(low, F_DUPFD_CLOEXEC, 512);
    if (fd < 0)
        fd = low;
    else
        (void)ph_sys_close(low);
    if (ftruncate(fd, (off_t)size) != 0) {
        (void)ph_sys_close(fd);
        return -1;
    }
    return fd;
}

bool ph_is_mapped(const void *at)
{
    unsigned char there;
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;

    return syscall(SYS_mincore, page, 1, &there) == 0;
}

const char *ph_variable(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}
