#include "os/files/tree.h"

#include "base/work.h"
#include "os/files/disk.h"
#include "os/files/file_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* RENAME_EXCHANGE */
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool strange(struct jw_err *err, mode_t mode)
{
    const char *what = S_ISLNK(mode)   ? "is a link"
                       : S_ISDIR(mode) ? "is a folder"
                       : S_ISREG(mode) ? "is not a folder"
                                       : "is not a regular file";

    return jw_fail(err, JW_E_FORMAT, "%s", what);
}

/* Turns the error of an open into one about the kind of file, if that is the reason. */
static bool fail_open(int folder, const char *name, int why, struct jw_err *err)
{
    struct stat st;

    if ((why == ELOOP || why == ENOTDIR || why == EISDIR || why == ENXIO)
        && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return strange(err, st.st_mode);
    return jw_sys_fail(err, why);
}

bool jw_tree_open(struct jw_tree *t, const char *path, struct jw_err *err)
{
    *t = JW_TREE_CLOSED;
    if (jw_sys_fault(err))
        return false;
    t->handle = jw_file_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    if (t->handle >= 0)
        return true;
    if (errno == ENOENT)
        return jw_fail(err, JW_E_IO, "no such folder");
    return errno == ENOTDIR ? jw_fail(err, JW_E_FORMAT, "is not a folder") : jw_sys_fail(err, errno);
}

bool jw_tree_enter(const struct jw_tree *t, const char *name, bool make, struct jw_tree *sub, bool *found,
                   struct jw_err *err)
{
    static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    int above = (int)t->handle;

    *sub = JW_TREE_CLOSED;
    *found = false;
    if (jw_sys_fault(err))
        return false;
    sub->handle = jw_file_openat(above, name, flags, 0);
    if (sub->handle < 0 && errno == ENOENT) {
        if (!make)
            return true;
        if (mkdirat(above, name, S_IRWXU) != 0 && errno != EEXIST)
            return errno == ENOENT ? jw_fail(err, JW_E_IO, "its folder vanished") : jw_sys_fail(err, errno);
        sub->handle = jw_file_openat(above, name, flags, 0);
    }
    *found = sub->handle >= 0;
    return *found || fail_open(above, name, errno, err);
}

bool jw_tree_sync(const struct jw_tree *t, struct jw_err *err)
{
    /* Some file systems cannot sync a folder. */
    jw_work_add(JW_WORK_SYNCS, 1);
    return !jw_sys_fault(err)
           && (fsync((int)t->handle) == 0 || errno == EINVAL || errno == EROFS || jw_sys_fail(err, errno));
}

bool jw_tree_sync_files(const struct jw_tree *t, bool *done, struct jw_err *err)
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

void jw_tree_close(struct jw_tree *t)
{
    if (t->handle != -1)
        (void)close((int)t->handle);
    *t = JW_TREE_CLOSED;
}

bool jw_tree_stat(const struct jw_tree *t, const char *name, struct jw_file_info *info, struct jw_err *err)
{
    struct stat st;

    *info = (struct jw_file_info){ .kind = JW_FILE_NONE };
    if (jw_sys_fault(err))
        return false;
    if (fstatat((int)t->handle, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        *info = jw_file_info_of(&st);
    else if (!jw_sys_is_not_found(errno))
        return jw_sys_fail(err, errno);
    return true;
}

bool jw_tree_open_file(const struct jw_tree *t, const char *name, enum jw_tree_use use, struct jw_file *f,
                       bool *found, struct jw_err *err)
{
    static const int flags[] = { O_RDONLY, O_RDWR, O_RDWR | O_CREAT };
    int folder = (int)t->handle;
    struct stat st;

    *f = JW_FILE_CLOSED;
    *found = false;
    if (jw_sys_fault(err))
        return false;

    int fd = jw_file_openat(folder, name, flags[use] | O_NOFOLLOW, 0666);

    if (fd < 0 && errno == ENOENT)
        return use != JW_TREE_MAKE || jw_fail(err, JW_E_IO, "its folder vanished");
    if (fd < 0)
        return fail_open(folder, name, errno, err);
    if (fstat(fd, &st) != 0)
        (void)jw_sys_fail(err, errno);
    else if (!S_ISREG(st.st_mode))
        (void)strange(err, st.st_mode);
    else {
        f->handle = fd;
        *found = true;
        return true;
    }
    (void)close(fd);
    return false;
}

bool jw_tree_move(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_move_result *how, struct jw_err *err)
{
    struct jw_err why = { 0 };

    *how = JW_MOVED;
    if (jw_sys_fault(err))
        return false;
    if (jw_file_rename_new((int)from->handle, name, (int)to->handle, new_name, &why))
        return true;
    if (why.os == EEXIST)
        *how = JW_MOVE_TAKEN;
    else if (why.os == EXDEV)
        *how = JW_MOVE_ELSEWHERE;
    else
        *err = why;
    return *how != JW_MOVED;
}

/* Linux 3.15 and most file systems; not NFS. */
static int exchange(int from, const char *name, int to, const char *new_name, enum jw_swap_result *how)
{
    *how = JW_SWAPPED;
    if (jw_sys_renameat2(from, name, to, new_name, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return errno;
    *how = JW_SWAP_LOST;
    return renameat(from, name, to, new_name) == 0 ? 0 : errno;
}

bool jw_tree_swap(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_swap_result *how, struct jw_err *err)
{
    struct stat st;

    *how = JW_SWAP_NOTHING;
    if (jw_sys_fault(err))
        return false;

    int why = exchange((int)from->handle, name, (int)to->handle, new_name, how);

    if (why == ENOENT && fstatat((int)to->handle, new_name, &st, AT_SYMLINK_NOFOLLOW) != 0
        && errno == ENOENT) {
        *how = JW_SWAP_NOTHING;
        return true;
    }
    return !why || jw_sys_fail(err, why);
}

bool jw_tree_remove(const struct jw_tree *t, const char *name, struct jw_err *err)
{
    return !jw_sys_fault(err)
           && (unlinkat((int)t->handle, name, 0) == 0 || errno == ENOENT || jw_sys_fail(err, errno));
}
