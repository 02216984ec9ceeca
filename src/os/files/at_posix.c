#include "base/work.h"
#include "os/files/at.h"
#include "os/files/disk.h"
#include "os/files/file_posix.h"
#include "os/files/scratch.h"
#include "os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* RENAME_NOREPLACE */
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

static int fd_of(const struct jw_folder *t) { return t ? (int)t->handle : AT_FDCWD; }

static enum jw_at failed(struct jw_err *err, int why)
{
    (void)jw_sys_fail(err, why);
    if (jw_sys_is_not_found(why))
        return JW_AT_ABSENT;
    return why == EEXIST ? JW_AT_TAKEN : JW_AT_FAILED;
}

/* The end of a system call that returns 0, or -1 with errno. */
static enum jw_at ended(int returned, struct jw_err *err)
{
    return returned == 0 ? JW_AT_DONE : failed(err, errno);
}

static enum jw_at absent(struct jw_err *err, const char *what)
{
    (void)jw_fail(err, JW_E_IO, "%s", what);
    err->os = ENOENT;
    return JW_AT_ABSENT;
}

static int open_at(int folder, const char *name, int flags, mode_t mode)
{
    int fd;

    do
        fd = openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0 && !(flags & (O_DIRECTORY | O_EXCL)))
        jw_work_add(JW_WORK_FILES_OPENED, 1);
    return fd;
}

/* May open have failed because something of another kind is there? */
static bool is_about_kind(unsigned how, int why)
{
    if (how & JW_AT_STRICT && (why == ELOOP || why == EISDIR || why == ENXIO))
        return true;
    return how & JW_AT_FOLDER && why == ENOTDIR;
}

/* Returns true, with the sentence in `err`, if something of another kind is there. */
static bool is_other_kind(const struct jw_folder *t, const char *name, unsigned how,
                          struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_at_stat(t, name, how, &info, err) || info.kind == JW_FILE_NONE)
        return false;
    return !jw_at_check_kind(&info, how, err);
}

/* If the kind of file is the reason, says so. */
static enum jw_at fail_open(const struct jw_folder *t, const char *name, unsigned how, int why,
                            struct jw_err *err)
{
    if (is_about_kind(how, why) && is_other_kind(t, name, how, err))
        return JW_AT_FAILED;
    if (how & JW_AT_FOLDER && why == ENOENT)
        return absent(err, "no such folder");
    return failed(err, why);
}

static int open_flags(unsigned how)
{
    int flags = how & JW_AT_WRITE ? O_RDWR : O_RDONLY;

    if (how & (JW_AT_MAKE | JW_AT_NEW))
        flags |= O_CREAT;
    if (how & JW_AT_NEW)
        flags |= O_EXCL;
    if (how & JW_AT_FOLDER)
        flags |= O_DIRECTORY;
    if (how & JW_AT_STRICT)
        flags |= O_NOFOLLOW;
    return flags;
}

enum jw_at jw_at_open(const struct jw_folder *t, const char *name, unsigned how, intptr_t *handle,
                      struct jw_file_info *info, struct jw_err *err)
{
    struct jw_file_info here;
    struct stat st;

    if (!*name)
        return absent(err, "the name is empty");

    int fd = open_at(fd_of(t), name, open_flags(how), how & JW_AT_PRIVATE ? 0600 : 0666);

    if (fd < 0)
        return fail_open(t, name, how, errno, err);

    enum jw_at at = ended(fstat(fd, &st), err);

    if (at == JW_AT_DONE) {
        here = jw_file_info_of(&st);
        at = jw_at_check_kind(&here, how, err) ? JW_AT_DONE : JW_AT_FAILED;
    }
    if (at != JW_AT_DONE) {
        (void)close(fd);
        if (how & JW_AT_NEW) /* it was made here, and nobody knows of it */
            (void)unlinkat(fd_of(t), name, 0);
        return at;
    }
    /* Headers are far apart: readahead would fetch data that is never used. */
    if (how & JW_AT_SPARSE)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    if (info)
        *info = here;
    *handle = fd;
    return JW_AT_DONE;
}

enum jw_at jw_at_enter(const struct jw_folder *t, const char *name, unsigned how,
                       struct jw_folder *sub, struct jw_file_info *info, struct jw_err *err)
{
    *sub = JW_FOLDER_CLOSED;
    return jw_at_open(t, name, how | JW_AT_FOLDER, &sub->handle, info, err);
}

bool jw_at_stat(const struct jw_folder *t, const char *name, unsigned how,
                struct jw_file_info *info, struct jw_err *err)
{
    struct stat st;

    *info = (struct jw_file_info){.kind = JW_FILE_NONE};
    if (fstatat(fd_of(t), name, &st, how & JW_AT_STRICT ? AT_SYMLINK_NOFOLLOW : 0) == 0)
        *info = jw_file_info_of(&st);
    else if (!jw_sys_is_not_found(errno) && errno != ELOOP) /* as a link to nothing */
        return jw_sys_fail(err, errno);
    return true;
}

enum jw_at jw_at_mkdir(const struct jw_folder *t, const char *name, bool private,
                       struct jw_err *err)
{
    /* No group may write to it, whatever the umask is: then it would not be trusted. */
    return ended(mkdirat(fd_of(t), name, private ? 0700 : 0755), err);
}

/* The system call: the C library has it from 2.28 on, Ubuntu 18.04 has 2.27, and some file systems
 * refuse it. Without hard links, too, a file that gets the new name in this instant is replaced.
 * Tried with these calls forbidden, on no such mount. */
static int rename_new(int from, const char *name, int to, const char *new_name)
{
    struct stat st;

    if (syscall(SYS_renameat2, from, name, to, new_name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return errno;
    if (linkat(from, name, to, new_name, 0) == 0) {
        (void)unlinkat(from, name, 0); /* it has come, if it keeps its old name, too */
        return 0;
    }
    if (errno == EEXIST || fstatat(to, new_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return EEXIST;
    return errno == ENOENT && renameat(from, name, to, new_name) == 0 ? 0 : errno;
}

enum jw_at jw_at_rename(const struct jw_folder *from, const char *name, const struct jw_folder *to,
                        const char *new_name, bool replace, struct jw_err *err)
{
    if (replace)
        return ended(renameat(fd_of(from), name, fd_of(to), new_name), err);
    int why = rename_new(fd_of(from), name, fd_of(to), new_name);

    return why ? failed(err, why) : JW_AT_DONE;
}

enum jw_at jw_at_remove(const struct jw_folder *t, const char *name, bool folder,
                        struct jw_err *err)
{
    return ended(unlinkat(fd_of(t), name, folder ? AT_REMOVEDIR : 0), err);
}

bool jw_make_link(const char *path, const char *target, struct jw_err *err)
{
    return !jw_sys_fault(err) && (symlink(target, path) == 0 || jw_sys_fail(err, errno));
}

bool jw_at_sync(const struct jw_folder *t, struct jw_err *err)
{
    /* Some file systems cannot sync a folder. */
    return fsync((int)t->handle) == 0 || errno == EINVAL || errno == EROFS
           || jw_sys_fail(err, errno);
}

bool jw_folder_sync_files(const struct jw_folder *t, bool *done, struct jw_err *err)
{
    struct statfs fs;
    struct utsname here;

    *done = false;
    if (jw_sys_fault(err))
        return false;
    /* f_type is signed, but some values need 32 bits. */
    if (fstatfs((int)t->handle, &fs) != 0 || uname(&here) != 0
        || !jw_disk_has_barrier((uint32_t)fs.f_type, here.release))
        return true;
    jw_work_add(JW_WORK_SYNCS, 1);
    *done = syncfs((int)t->handle) == 0;
    return *done || errno == ENOSYS || errno == EPERM || errno == EINVAL || jw_sys_fail(err, errno);
}

/* ---- listing ---- */

static DIR *stream_of(const struct jw_dir *dir) { return (DIR *)(void *)dir->list; }

bool jw_at_list(struct jw_dir *dir, struct jw_err *err)
{
    dir->list = (struct jw_listing_of_system *)(void *)fdopendir((int)dir->folder.handle);
    if (dir->list)
        return true;
    (void)jw_sys_fail(err, errno);
    jw_folder_close(&dir->folder);
    return false;
}

/* False: it disappeared after it was listed. Only file systems that list no kinds need a stat. */
static bool learn_kind(const struct jw_dir *dir, const struct dirent *e, enum jw_file_kind *kind)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN) { /* a mode's upper four bits */
        *kind = jw_file_kind_of((mode_t)e->d_type << 12);
        return true;
    }
    *kind = JW_FILE_OTHER;
    if (fstatat((int)dir->folder.handle, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        *kind = jw_file_kind_of(st.st_mode);
    else if (errno == ENOENT)
        return false;
    return true;
}

bool jw_at_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err)
{
    const struct dirent *e;

    do {
        errno = 0;
        e = readdir(stream_of(dir));
        if (!e)
            return errno == 0 || jw_sys_fail(err, errno);
    } while (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0
             || !learn_kind(dir, e, &entry->kind));
    entry->name = e->d_name;
    *more = true;
    return true;
}

void jw_at_end(struct jw_dir *dir)
{
    (void)closedir(stream_of(dir)); /* and the folder's descriptor */
}

bool jw_at_may(const char *path, bool folder)
{
    return faccessat(AT_FDCWD, path, folder ? W_OK | X_OK : X_OK, AT_EACCESS) == 0;
}
