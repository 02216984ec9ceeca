#include "os/files/file_posix.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum jw_file_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)   ? JW_FILE_REGULAR
           : S_ISDIR(mode) ? JW_FILE_DIR
           : S_ISLNK(mode) ? JW_FILE_LINK
                           : JW_FILE_OTHER;
}

struct jw_file_info jw_file_info_of(const struct stat *st)
{
    return (struct jw_file_info){ .kind = kind_of(st->st_mode),
                                  .size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
                                  .mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
                                  .ctime = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
                                  .id = { (uint64_t)st->st_dev, (uint64_t)st->st_ino },
                                  .mode = (uint32_t)st->st_mode & 07777 };
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

bool jw_file_read(struct jw_file *f, uint64_t at, void *dst, size_t n, size_t *got, struct jw_err *err)
{
    uint8_t *to = dst;

    *got = 0;
    if (jw_sys_fault(err))
        return false;
    while (n && at < INT64_MAX) {
        size_t max = (size_t)jw_min(n, (uint64_t)INT64_MAX - at);
        ssize_t r = pread((int)f->handle, to, max, (off_t)at);

        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return jw_sys_fail(err, errno);
        jw_work_add(JW_WORK_READS, 1);
        jw_work_add(JW_WORK_BYTES_READ, (uint64_t)r);
        if (r == 0)
            break;
        to += r;
        at += (uint64_t)r;
        n -= (size_t)r;
        *got += (size_t)r;
    }
    return true;
}

void jw_file_prefetch(const struct jw_file *f, uint64_t at, uint64_t n)
{
    if (at < INT64_MAX && n < INT64_MAX)
        (void)posix_fadvise((int)f->handle, (off_t)at, (off_t)n, POSIX_FADV_WILLNEED);
}

/* In parts: in a virtual machine, with Linux 6.18, 2.6 MB at once took four times as long. */
bool jw_file_write(struct jw_file *f, uint64_t at, const void *p, size_t n, struct jw_err *err)
{
    enum { PART = 128 << 10 };
    const uint8_t *from = p;

    if (jw_sys_fault(err))
        return false;
    while (n) {
        ssize_t w = pwrite((int)f->handle, from, n < PART ? n : PART, (off_t)at);

        if (w < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
        if (w > 0) {
            jw_work_add(JW_WORK_BYTES_WRITTEN, (uint64_t)w);
            from += w;
            at += (uint64_t)w;
            n -= (size_t)w;
        }
    }
    return true;
}

bool jw_file_truncate(struct jw_file *f, uint64_t size, struct jw_err *err)
{
    return !jw_sys_fault(err) && (ftruncate((int)f->handle, (off_t)size) == 0 || jw_sys_fail(err, errno));
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

bool jw_sys_write(intptr_t handle, const void *p, size_t n, struct jw_err *err)
{
    const uint8_t *from = p;

    while (n) {
        ssize_t w = write((int)handle, from, n);

        if (w < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
        if (w > 0) {
            jw_work_add(JW_WORK_BYTES_WRITTEN, (uint64_t)w);
            from += w;
            n -= (size_t)w;
        }
    }
    return true;
}

bool jw_sys_close(intptr_t handle, struct jw_err *err)
{
    /* Linux closes the descriptor even if it returns EINTR. */
    return close((int)handle) == 0 || errno == EINTR || jw_sys_fail(err, errno);
}

enum { LOOK_MS = 100 };

bool jw_file_await_input(int in, const atomic_bool *interrupted, struct jw_err *err)
{
    struct pollfd fd = { .fd = in, .events = POLLIN };
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
    int fd = jw_file_openat(AT_FDCWD, path, O_RDONLY, 0);
    bool ok = fd >= 0 && dup2(fd, STDIN_FILENO) >= 0;
    int why = errno;

    if (fd > STDIN_FILENO)
        (void)close(fd);
    return ok || jw_sys_fail(err, why);
}

bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted, struct jw_err *err)
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
    struct flock range = { .l_type = type,
                           .l_whence = SEEK_SET }; /* length 0: to the end of the file, also after it grows */

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
