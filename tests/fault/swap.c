/*
 * Loaded before the C library: when the file or folder SWAP has been opened for the SWAP_AT-th
 * time, SWAP_BY takes its place. What was opened stays what it was. SWAP_SAID is made then, by the
 * first process that comes so far; each counts its own opens.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void swap(int fd)
{
    static int counted;
    const char *at = getenv("SWAP"), *by = getenv("SWAP_BY"), *which = getenv("SWAP_AT"),
               *said = getenv("SWAP_SAID");
    char link[40], path[PATH_MAX];
    ssize_t n;

    if (fd < 0 || !at || !by || !which || !said)
        return;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    if (n < 0)
        return;
    path[n] = '\0';
    if (strcmp(path, at) == 0 && ++counted == atoi(which) && mkdir(said, 0700) == 0)
        (void)!renameat2(AT_FDCWD, by, AT_FDCWD, at, RENAME_EXCHANGE);
}

/* With 64 bits of offset, as jitwarm is built: the symbol is openat64. */
int openat(int folder, const char *name, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    va_list args;
    mode_t mode;
    int fd;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "openat64");
    va_start(args, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    fd = real(folder, name, flags, mode);
    swap(fd);
    return fd;
}
