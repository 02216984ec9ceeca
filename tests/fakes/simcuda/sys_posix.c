#include "sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 };

enum sys_result sys_open(struct sys_file *f, const char *path, enum sys_how how)
{
    int flags = how == SYS_CHANGE ? O_RDWR : O_RDWR | O_CREAT;

    f->handle = open(path, flags | O_CLOEXEC, 0666);
    if (f->handle >= 0)
        return SYS_OPENED;
    return errno == ENOENT || errno == ENOTDIR ? SYS_ABSENT : SYS_DENIED;
}

bool sys_lock(struct sys_file *f, bool exclusive, bool wait)
{
    struct flock all = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    int r;

    do {
        r = fcntl((int)f->handle, wait ? F_SETLKW : F_SETLK, &all);
    } while (r != 0 && errno == EINTR);
    return r == 0;
}

bool sys_read(struct sys_file *f, struct jw_buf *out)
{
    uint8_t piece[16 * 1024];
    off_t at = 0;

    for (;;) {
        ssize_t n = pread((int)f->handle, piece, sizeof piece, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 && !out->bad;
        jw_buf_add(out, piece, (size_t)n);
        at += n;
    }
}

static bool write_all(int fd, const uint8_t *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t want = n - at < PIECE ? n - at : PIECE;
        ssize_t done = write(fd, p + at, want);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        at += (size_t)done;
    }
    return true;
}

bool sys_rewrite(struct sys_file *f, const void *p, size_t n)
{
    int fd = (int)f->handle;

    return lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, p, n) && ftruncate(fd, (off_t)n) == 0;
}

void sys_close(struct sys_file *f)
{
    if (f->handle >= 0)
        (void)close((int)f->handle);
    *f = SYS_CLOSED;
}

bool sys_put(const char *path, const void *p, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return false;
    bool ok = write_all(fd, p, n);

    return close(fd) == 0 && ok;
}

bool sys_mkdir(const char *path, bool parents)
{
    char *copy = parents ? strdup(path) : NULL;

    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void sys_remove(const char *path) { (void)unlink(path); }

void sys_rmdir(const char *path) { (void)rmdir(path); }

bool sys_set_mtime_ns(const char *path, unsigned ns)
{
    struct timespec now[2] = {{.tv_nsec = UTIME_OMIT}, {0}};

    if (clock_gettime(CLOCK_REALTIME, &now[1]) != 0)
        return false;
    now[1].tv_nsec = (long)ns;
    return utimensat(AT_FDCWD, path, now, 0) == 0;
}

unsigned sys_pid(void) { return (unsigned)getpid(); }

bool sys_alive(unsigned pid) { return kill((pid_t)pid, 0) == 0 || errno == EPERM; }

static JW_NORETURN void die_of(int signal_number)
{
    struct sigaction normal;
    sigset_t all;

    /* A handler of the host, a sanitizer's for instance, would make something else of it. */
    memset(&normal, 0, sizeof normal);
    normal.sa_handler = SIG_DFL;
    (void)sigaction(signal_number, &normal, NULL);
    (void)sigemptyset(&all);
    (void)sigaddset(&all, signal_number);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)kill(getpid(), signal_number);
    for (;;)
        (void)pause();
}

void sys_crash(void) { die_of(SIGSEGV); }

void sys_kill(void) { die_of(SIGKILL); }

void sys_exit(int code) { _exit(code); }

/* Not by the loader's cache: where a real driver is installed, that leads to the real one's. */
bool sys_load_compiler(void)
{
    char list[16384], path[4096 + 64], *rest = list, *folder;
    const char *named = getenv("LD_LIBRARY_PATH");
    Dl_info here;

    if (dladdr((const void *)(uintptr_t)&sys_load_compiler, &here) == 0)
        return false;
    (void)snprintf(list, sizeof list, "%s:%s", named ? named : "", here.dli_fname);
    *strrchr(list, '/') = '\0';
    while ((folder = strtok_r(rest, ":", &rest))) {
        (void)snprintf(path, sizeof path, "%s/libnvidia-ptxjitcompiler.so.1", folder);
        if (dlopen(path, RTLD_NOW | RTLD_LOCAL))
            return true;
    }
    return false;
}
