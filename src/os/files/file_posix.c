#include "os/files/file_posix.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/work.h"
#include "os/files/append.h"
#include "os/files/file.h"
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
    return S_ISREG(mode) ? JW_FILE_REGULAR : S_ISDIR(mode) ? JW_FILE_DIR : JW_FILE_OTHER;
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

int jw_file_openat(int folder, const char *name, int flags, mode_t mode)
{
    int fd;

    do
        fd = openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0 && !(flags & O_DIRECTORY))
        jw_work_add(JW_WORK_FILES_OPENED, 1);
    return fd;
}

/* Closes what is no regular file. */
static bool keep_regular(int fd, struct stat *st, struct jw_err *err)
{
    if (fstat(fd, st) != 0)
        (void)jw_sys_fail(err, errno);
    else if (S_ISREG(st->st_mode))
        return true;
    else if (S_ISDIR(st->st_mode))
        (void)jw_sys_fail(err, EISDIR);
    else
        (void)jw_fail(err, JW_E_IO, "is not a regular file");
    (void)close(fd);
    return false;
}

bool jw_file_open_at(struct jw_file *f, int folder, const char *path, struct jw_err *err)
{
    struct stat st;
    int fd;

    *f = JW_FILE_CLOSED;
    if (!*path) {
        (void)jw_fail(err, JW_E_IO, "the name is empty");
        err->os = ENOENT;
        return false;
    }
    fd = jw_file_openat(folder, path, O_RDONLY, 0);
    if (fd < 0)
        return jw_sys_fail(err, errno);
    if (!keep_regular(fd, &st, err))
        return false;
    /* Headers are far apart: readahead would fetch data that is never used. */
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    f->handle = fd;
    return true;
}

bool jw_sys_append_open(const char *path, intptr_t *handle, uint64_t *size, struct jw_err *err)
{
    struct stat st;
    int fd = jw_file_openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, S_IRUSR | S_IWUSR);

    if (fd < 0)
        return jw_sys_fail(err, errno);
    if (!keep_regular(fd, &st, err))
        return false;
    *handle = fd;
    *size = (uint64_t)st.st_size;
    return true;
}

bool jw_file_open(struct jw_file *f, const char *path, struct jw_err *err)
{
    *f = JW_FILE_CLOSED;
    return !jw_sys_fault(err) && jw_file_open_at(f, AT_FDCWD, path, err);
}

/* Reads a small file in four system calls, without readahead advice. */
bool jw_file_peek_at(int folder, const char *name, void *head, size_t n, size_t *got,
                     struct jw_file_info *info, struct jw_err *err)
{
    int fd = jw_file_openat(folder, name, O_RDONLY | O_NOFOLLOW, 0);
    struct stat st;

    if (fd < 0)
        return jw_sys_fail(err, errno);
    if (!keep_regular(fd, &st, err))
        return false;

    ssize_t r = pread(fd, head, n, 0);
    int why = errno;

    (void)close(fd);
    if (r < 0)
        return jw_sys_fail(err, why);
    jw_work_add(JW_WORK_READS, 1);
    jw_work_add(JW_WORK_BYTES_READ, (uint64_t)r);
    *info = jw_file_info_of(&st);
    *got = (size_t)r;
    return true;
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

bool jw_file_stat(const char *path, struct jw_file_info *info, struct jw_err *err)
{
    struct stat st;

    *info = (struct jw_file_info){ .kind = JW_FILE_NONE };
    if (jw_sys_fault(err))
        return false;
    if (stat(path, &st) == 0)
        *info = jw_file_info_of(&st);
    else if (!jw_sys_is_not_found(errno))
        return jw_sys_fail(err, errno);
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

void jw_file_close(struct jw_file *f)
{
    if (f->handle != -1)
        (void)close((int)f->handle);
    f->handle = -1;
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

bool jw_sys_create(const char *path, bool private, intptr_t *handle, bool *taken, struct jw_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, private ? 0600 : 0666);

    *taken = fd < 0 && errno == EEXIST;
    if (fd < 0 && !*taken)
        return jw_sys_fail(err, errno);
    *handle = fd;
    return true;
}

bool jw_sys_resolve(const char *path, char **real, struct jw_err *err)
{
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
        char *there = realpath(path, NULL);

        if (!there)
            return errno == ENOENT ? jw_fail(err, JW_E_IO, "is a link to nothing") : jw_sys_fail(err, errno);
        *real = jw_strdup(there);
        free(there);
    } else
        *real = jw_strdup(path);
    return true;
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

bool jw_sys_sync(intptr_t handle, struct jw_err *err)
{
    jw_work_add(JW_WORK_SYNCS, 1);
    return fsync((int)handle) == 0 || jw_sys_fail(err, errno);
}

bool jw_sys_close(intptr_t handle, struct jw_err *err)
{
    /* Linux closes the descriptor even if it returns EINTR. */
    return close((int)handle) == 0 || errno == EINTR || jw_sys_fail(err, errno);
}

/* For file systems without RENAME_NOREPLACE and hard links (exFAT): creates the name, then replaces it. */
static bool rename_over_placeholder(int from, const char *name, int to, const char *new_name,
                                    struct jw_err *err)
{
    int fd = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return jw_sys_fail(err, errno);
    (void)close(fd);
    if (renameat(from, name, to, new_name) == 0)
        return true;
    (void)jw_sys_fail(err, errno);
    (void)unlinkat(to, new_name, 0);
    return false;
}

int jw_sys_renameat2(int from, const char *name, int to, const char *new_name, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from, name, to, new_name, flags);
}

bool jw_file_rename_new(int from, const char *name, int to, const char *new_name, struct jw_err *err)
{
    if (jw_sys_renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return jw_sys_fail(err, errno);
    if (linkat(from, name, to, new_name, 0) == 0)
        return unlinkat(from, name, 0) == 0 || jw_sys_fail(err, errno);
    if (errno == EEXIST || errno == EXDEV)
        return jw_sys_fail(err, errno);
    return rename_over_placeholder(from, name, to, new_name, err);
}

bool jw_sys_rename(const char *from, const char *to, bool replace, struct jw_err *err)
{
    if (!replace)
        return jw_file_rename_new(AT_FDCWD, from, AT_FDCWD, to, err);
    return rename(from, to) == 0 || jw_sys_fail(err, errno);
}

bool jw_sys_sync_folder(const char *folder, struct jw_err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    /* A folder may be writable but not readable; some file systems cannot sync one. */
    if (fd < 0)
        return true;
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == EROFS || jw_sys_fail(err, errno);
    (void)close(fd);
    return ok;
}

bool jw_sys_unlink(const char *path, struct jw_err *err)
{
    return unlink(path) == 0 || jw_sys_is_not_found(errno) || jw_sys_fail(err, errno);
}

bool jw_sys_mkdir(const char *path, bool *no_parent, struct jw_err *err)
{
    struct stat st;
    int why = mkdir(path, 0777) == 0 ? 0 : errno;

    *no_parent = why == ENOENT;
    if (!why || *no_parent)
        return true;
    /* Besides EEXIST, a read-only or foreign parent may fail, although the folder exists. */
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) || jw_fail(err, JW_E_IO, "is not a folder");
    return jw_sys_fail(err, why);
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
bool jw_sys_lock(intptr_t handle, bool write, bool mark, bool *taken, struct jw_err *err)
{
    int why = set_lock(handle, write ? F_WRLCK : F_RDLCK);

    (void)mark;
    *taken = !why;
    return !why || why == EAGAIN || why == EACCES || jw_sys_fail(err, why);
}

bool jw_filelock_drop(intptr_t handle, struct jw_err *err)
{
    int why = set_lock(handle, F_UNLCK);

    return !why || jw_sys_fail(err, why);
}
