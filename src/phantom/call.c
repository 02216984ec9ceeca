#include "phantom/phantom.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the real system calls ---- */

static int ph_sys_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int ph_sys_close(int fd) { return (int)syscall(SYS_close, fd); }

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

/* ---- the log ---- */

enum { LINE = 400, MAX_SEEN = 64 };

/* Opens the file for each line: drivers close unknown descriptors, and forks would share it. */
static bool to_log(const char *line, size_t n)
{
    const char *path = ph_variable("JITWARM_PHANTOM_LOG");
    int fd = path ? ph_sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

    if (fd < 0)
        return path != NULL;
    (void)!write(fd, line, n);
    (void)ph_sys_close(fd);
    return true;
}

void ph_log(const char *format, ...)
{
    char line[LINE];
    va_list list;
    int head, n;

    if (!ph_variable("JITWARM_PHANTOM_LOG"))
        return;
    head = snprintf(line, sizeof line, "%ld ", (long)getpid());
    va_start(list, format);
    n = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, list);
    va_end(list);
    if (n < 0)
        return;
    n = (int)strlen(line);
    line[n] = '\n';
    (void)to_log(line, (size_t)n + 1);
}

void ph_unknown(const char *what, uint64_t number, const char *about)
{
    static struct {
        const char *what;
        uint64_t number;
    } seen[MAX_SEEN];
    static size_t n_seen;
    char line[LINE];
    int n;

    for (size_t i = 0; i < n_seen; i++)
        if (seen[i].number == number && strcmp(seen[i].what, what) == 0)
            return;
    if (n_seen == MAX_SEEN)
        return;
    seen[n_seen].what = what;
    seen[n_seen++].number = number;
    n = snprintf(line, sizeof line,
                 "phantom: driver %s asks for %s 0x%llx%s%s%s, which phantom does not know.\n",
                 ph_version()[0] ? ph_version() : "of unknown version", what,
                 (unsigned long long)number, about ? " (" : "", about ? about : "",
                 about ? ")" : "");
    if (n > 0 && n < LINE && !to_log(line, (size_t)n))
        (void)!write(STDERR_FILENO, line, (size_t)n);
}
