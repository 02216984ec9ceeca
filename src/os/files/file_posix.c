#include "os/files/file_posix.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum jw_file_kind jw_file_kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return JW_FILE_REGULAR;
    if (S_ISDIR(mode))
        return JW_FILE_DIR;
    return S_ISLNK(mode) ? JW_FILE_LINK : JW_FILE_OTHER;
}

struct jw_file_info jw_file_info_of(const struct stat *st)
{
    return (struct jw_file_info){
        .kind = jw_file_kind_of(st->st_mode),
        .size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
        .mtime = jw_at_ns(st->st_mtim.tv_sec, 1000000000) + st->st_mtim.tv_nsec,
        .ctime = jw_at_ns(st->st_ctim.tv_sec, 1000000000) + st->st_ctim.tv_nsec,
        .id = {(uint64_t)st->st_dev, (uint64_t)st->st_ino},
        .mode = (uint32_t)st->st_mode & 07777};
}

bool jw_file_info(const struct jw_file *f, struct jw_file_info *info, struct jw_err *err)
{
    struct stat st;

    if (jw_sys_fault(err))
        return false;
    if (fstat((int)f->handle, &st) != 0)
        return jw_sys_fail(err, errno);
    *info = jw_file_info_of(&st);
    return true;
}

bool jw_sys_read(intptr_t handle, uint64_t at, void *dst, size_t n, size_t *done,
                 struct jw_err *err)
{
    ssize_t r;

    do
        r = at == JW_SYS_NEXT ? read((int)handle, dst, n) : pread((int)handle, dst, n, (off_t)at);
    while (r < 0 && errno == EINTR);
    *done = r > 0 ? (size_t)r : 0;
    return r >= 0 || jw_sys_fail(err, errno);
}

bool jw_sys_write(intptr_t handle, uint64_t at, const void *p, size_t n, size_t *done,
                  struct jw_err *err)
{
    ssize_t w;

    do
        w = at == JW_SYS_NEXT ? write((int)handle, p, n) : pwrite((int)handle, p, n, (off_t)at);
    while (w < 0 && errno == EINTR);
    *done = w > 0 ? (size_t)w : 0;
    return w >= 0 || jw_sys_fail(err, errno);
}

void jw_sys_prefetch(void *file, uint64_t at, uint64_t n)
{
    const struct jw_file *f = file;

    if (at < INT64_MAX && n < INT64_MAX)
        (void)posix_fadvise((int)f->handle, (off_t)at, (off_t)n, POSIX_FADV_WILLNEED);
}

bool jw_file_truncate(struct jw_file *f, uint64_t size, struct jw_err *err)
{
    return !jw_sys_fault(err)
           && (ftruncate((int)f->handle, (off_t)size) == 0 || jw_sys_fail(err, errno));
}

bool jw_file_sync(struct jw_file *f, struct jw_err *err)
{
    jw_work_add(JW_WORK_SYNCS, 1);
    return !jw_sys_fault(err) && (fdatasync((int)f->handle) == 0 || jw_sys_fail(err, errno));
}

void jw_file_start_writing(const struct jw_file *f)
{
    (void)!sync_file_range((int)f->handle, 0, 0, SYNC_FILE_RANGE_WRITE);
}

bool jw_sys_close(intptr_t handle, struct jw_err *err)
{
    /* Linux closes the descriptor even if it returns EINTR. */
    return close((int)handle) == 0 || errno == EINTR || jw_sys_fail(err, errno);
}

enum { LOOK_MS = 100 };

bool jw_file_await_input(int in, const atomic_bool *interrupted, struct jw_err *err)
{
    struct pollfd fd = {.fd = in, .events = POLLIN};
    int n;

    do {
        if (!jw_not_interrupted(interrupted, err))
            return false;
        n = poll(&fd, 1, LOOK_MS);
        if (n < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
    } while (n <= 0);
    return true;
}

bool jw_stdin_take(const char *path, struct jw_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool ok = fd >= 0 && dup2(fd, STDIN_FILENO) >= 0;
    int why = errno;

    if (fd > STDIN_FILENO)
        (void)close(fd);
    return ok || jw_sys_fail(err, why);
}

bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted,
                   struct jw_err *err)
{
    ssize_t r;

    *got = 0;
    if (jw_sys_fault(err))
        return false;
    do {
        if (!jw_file_await_input(STDIN_FILENO, interrupted, err))
            return false;
        r = read(STDIN_FILENO, dst, n);
    } while (r < 0 && (errno == EINTR || errno == EAGAIN));
    if (r < 0)
        return jw_sys_fail(err, errno);
    *got = (size_t)r;
    return true;
}

static int set_lock(intptr_t handle, short type)
{
    /* Length 0 is to the end of the file, also after it grows. */
    struct flock range = {.l_type = type, .l_whence = SEEK_SET};

    while (fcntl((int)handle, F_OFD_SETLK, &range) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* Record locks never block readers: both kinds are one. */
bool jw_at_lock(intptr_t handle, unsigned how, bool *taken, struct jw_err *err)
{
    int why = set_lock(handle, how & JW_LOCK_WRITE ? F_WRLCK : F_RDLCK);

    *taken = !why;
    return !why || why == EAGAIN || why == EACCES || jw_sys_fail(err, why);
}

bool jw_filelock_drop(intptr_t handle, struct jw_err *err)
{
    int why = set_lock(handle, F_UNLCK);

    return !why || jw_sys_fail(err, why);
}
