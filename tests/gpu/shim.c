/*
 * LD_PRELOAD: writes each call on files below $LAB_SHIM_CACHE to $LAB_SHIM_LOG, one line each: the call, the path below the
 * root, flags or sizes, the result. A driver that goes past libc shows as a gap.
 */
/* Both names of each call are defined here, which neither of these allows. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_FD = 1024, MAX_NAME = 96 };

/* One process, one log: what an interposed function cannot be handed as a parameter. */
static char names[MAX_FD][MAX_NAME];

static const char *below(const char *path)
{
    const char *root = getenv("LAB_SHIM_CACHE");
    size_t n = root ? strlen(root) : 0;

    if (!n || !path || strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
        return NULL;
    return path[n] ? path + n + 1 : ".";
}

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
    const char *log = getenv("LAB_SHIM_LOG");
    char line[256];
    int saved = errno;
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    long fd = log && n > 0
                  ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                  : -1;

    if (fd >= 0) {
        n = n < (int)sizeof line - 1 ? n : (int)sizeof line - 2;
        line[n++] = '\n';
        (void)!syscall(SYS_write, fd, line, (size_t)n);
        (void)syscall(SYS_close, fd);
    }
    errno = saved;
}

static void next(const char *symbol, void *slot, size_t size)
{
    void *p = dlsym(RTLD_NEXT, symbol);

    memcpy(slot, &p, size);
}

static bool known(int fd)
{
    return fd >= 0 && fd < MAX_FD && names[fd][0];
}

static int opened(const char *call, const char *path, int flags, mode_t mode, int fd)
{
    const char *name = below(path);
    static const char *const access_words[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "?" };

    if (!name)
        return fd;
    note("%s %s %s%s%s%s 0%o = %s", call, name, access_words[flags & O_ACCMODE],
         flags & O_CREAT ? "|O_CREAT" : "", flags & O_TRUNC ? "|O_TRUNC" : "",
         flags & O_EXCL ? "|O_EXCL" : "", (unsigned)mode, fd >= 0 ? "ok" : strerror(errno));
    if (fd >= 0 && fd < MAX_FD)
        (void)snprintf(names[fd], MAX_NAME, "%s", name);
    return fd;
}

#define MODE_ARGUMENT(flags, mode)                                                                           \
    mode_t mode = 0;                                                                                         \
    if ((flags)&O_CREAT) {                                                                                   \
        va_list args;                                                                                        \
        va_start(args, flags);                                                                               \
        mode = (mode_t)va_arg(args, unsigned);                                                               \
        va_end(args);                                                                                        \
    }

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int openat(int dir, const char *path, int flags, ...);
int openat64(int dir, const char *path, int flags, ...);
int fcntl(int fd, int command, ...);
int fcntl64(int fd, int command, ...);

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...);

    MODE_ARGUMENT(flags, mode)
    next("open", &real, sizeof real);
    return opened("open", path, flags, mode, real(path, flags, mode));
}

int open64(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...);

    MODE_ARGUMENT(flags, mode)
    next("open64", &real, sizeof real);
    return opened("open", path, flags, mode, real(path, flags, mode));
}

int openat(int dir, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, ...);

    MODE_ARGUMENT(flags, mode)
    next("openat", &real, sizeof real);
    return opened("openat", path, flags, mode, real(dir, path, flags, mode));
}

int openat64(int dir, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, ...);

    MODE_ARGUMENT(flags, mode)
    next("openat64", &real, sizeof real);
    return opened("openat", path, flags, mode, real(dir, path, flags, mode));
}

static void locked(int fd, int command, const struct flock *f, int result)
{
    static const char *const words[] = { "F_RDLCK", "F_WRLCK", "F_UNLCK" };
    const char *name = command == F_SETLK ? "F_SETLK" : command == F_SETLKW ? "F_SETLKW" : "F_OFD_...";

    if (known(fd) && f && f->l_type >= 0 && f->l_type <= 2)
        note("fcntl %s %s %s %lld+%lld = %s", names[fd], name, words[f->l_type], (long long)f->l_start,
             (long long)f->l_len, result == 0 ? "ok" : strerror(errno));
}

static bool locks(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int fcntl(int fd, int command, ...)
{
    int (*real)(int, int, ...);
    va_list args;

    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    next("fcntl", &real, sizeof real);
    int result = real(fd, command, argument);

    if (locks(command))
        locked(fd, command, argument, result);
    return result;
}

int fcntl64(int fd, int command, ...)
{
    int (*real)(int, int, ...);
    va_list args;

    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    next("fcntl64", &real, sizeof real);
    int result = real(fd, command, argument);

    if (locks(command))
        locked(fd, command, argument, result);
    return result;
}

ssize_t read(int fd, void *p, size_t n)
{
    ssize_t (*real)(int, void *, size_t);

    next("read", &real, sizeof real);
    ssize_t got = real(fd, p, n);

    if (known(fd))
        note("read %s %zu = %zd", names[fd], n, got);
    return got;
}

/* Both names of each, for libraries are built with either; logged like read and write. */
#define AT_OFFSET(name, kind, pointer, offset)                                                               \
    ssize_t name(int fd, pointer p, size_t n, offset at);                                                    \
    ssize_t name(int fd, pointer p, size_t n, offset at)                                                     \
    {                                                                                                        \
        ssize_t (*real)(int, pointer, size_t, offset) = NULL;                                                \
                                                                                                             \
        next(#name, &real, sizeof real);                                                                     \
        ssize_t got = real(fd, p, n, at);                                                                    \
                                                                                                             \
        if (known(fd))                                                                                       \
            note(kind " %s %zu = %zd", names[fd], n, got);                                                   \
        return got;                                                                                          \
    }

AT_OFFSET(pread, "read", void *, off_t)
AT_OFFSET(pread64, "read", void *, off64_t)
AT_OFFSET(pwrite, "write", const void *, off_t)
AT_OFFSET(pwrite64, "write", const void *, off64_t)

ssize_t write(int fd, const void *p, size_t n)
{
    ssize_t (*real)(int, const void *, size_t);

    next("write", &real, sizeof real);
    ssize_t put = real(fd, p, n);

    if (known(fd))
        note("write %s %zu = %zd", names[fd], n, put);
    return put;
}

int ftruncate(int fd, off_t size)
{
    int (*real)(int, off_t), result;

    next("ftruncate", &real, sizeof real);
    result = real(fd, size);
    if (known(fd))
        note("ftruncate %s %lld = %d", names[fd], (long long)size, result);
    return result;
}

int close(int fd)
{
    int (*real)(int);

    next("close", &real, sizeof real);
    if (known(fd)) {
        note("close %s", names[fd]);
        names[fd][0] = '\0';
    }
    return real(fd);
}

int unlink(const char *path)
{
    int (*real)(const char *), result;

    next("unlink", &real, sizeof real);
    result = real(path);
    if (below(path))
        note("unlink %s = %d", below(path), result);
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t), result;

    next("mkdir", &real, sizeof real);
    result = real(path, mode);
    if (below(path))
        note("mkdir %s 0%o = %s", below(path), (unsigned)mode, result == 0 ? "ok" : strerror(errno));
    return result;
}

int chmod(const char *path, mode_t mode)
{
    int (*real)(const char *, mode_t), result;

    next("chmod", &real, sizeof real);
    result = real(path, mode);
    if (below(path))
        note("chmod %s 0%o = %d", below(path), (unsigned)mode, result);
    return result;
}
