#include "os/files/dir.h"

#include "base/mem.h"
#include "base/work.h"
#include "os/files/file_posix.h"
#include "os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct jw_dir {
    DIR *stream;
};

static bool open_stream(struct jw_dir **dir, DIR *stream, struct jw_err *err)
{
    if (!stream) {
        (void)jw_sys_fail(err, errno);
        if (err->os == ENOTDIR)
            memcpy(err->msg, "is not a folder", sizeof "is not a folder");
        else if (err->os == ENOENT)
            memcpy(err->msg, "no such folder", sizeof "no such folder");
        return false;
    }
    *dir = jw_alloc(sizeof **dir);
    (*dir)->stream = stream;
    jw_work_add(JW_WORK_FOLDERS_LISTED, 1);
    return true;
}

bool jw_dir_open(struct jw_dir **dir, const char *path, struct jw_err *err)
{
    *dir = NULL;
    return !jw_sys_fault(err) && open_stream(dir, opendir(path), err);
}

bool jw_dir_open_tree(struct jw_dir **dir, const struct jw_tree *held, struct jw_err *err)
{
    *dir = NULL;
    if (jw_sys_fault(err))
        return false;

    int fd = openat((int)held->handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    bool ok = open_stream(dir, stream, err);

    if (fd >= 0 && !ok)
        (void)close(fd);
    return ok;
}

static enum jw_entry_type type_of(mode_t mode)
{
    return S_ISREG(mode)   ? JW_ENTRY_FILE
           : S_ISDIR(mode) ? JW_ENTRY_DIR
           : S_ISLNK(mode) ? JW_ENTRY_LINK
                           : JW_ENTRY_OTHER;
}

/* False: it disappeared after it was listed. Only file systems that list no types need a stat. */
static bool learn_type(const struct jw_dir *dir, const struct dirent *e, enum jw_entry_type *type)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN) { /* a mode's upper four bits */
        *type = type_of((mode_t)e->d_type << 12);
        return true;
    }
    *type = JW_ENTRY_OTHER;
    if (fstatat(dirfd(dir->stream), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        *type = type_of(st.st_mode);
    else if (errno == ENOENT)
        return false;
    return true;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

bool jw_dir_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err)
{
    *more = false;
    if (jw_sys_fault(err))
        return false;
    for (;;) {
        errno = 0;

        const struct dirent *e = readdir(dir->stream);

        if (!e)
            return errno == 0 || jw_sys_fail(err, errno);
        if (is_dots(e->d_name) || !learn_type(dir, e, &entry->type))
            continue;
        entry->name = e->d_name;
        *more = true;
        return true;
    }
}

struct jw_file_id jw_dir_id(const struct jw_dir *dir)
{
    struct stat st;

    if (fstat(dirfd(dir->stream), &st) != 0)
        return (struct jw_file_id){ 0, 0 };
    return (struct jw_file_id){ (uint64_t)st.st_dev, (uint64_t)st.st_ino };
}

bool jw_dir_stat(struct jw_dir *dir, const char *name, struct jw_file_info *info, struct jw_err *err)
{
    struct stat st;

    if (jw_sys_fault(err)
        || (fstatat(dirfd(dir->stream), name, &st, AT_SYMLINK_NOFOLLOW) != 0 && !jw_sys_fail(err, errno)))
        return false;
    *info = jw_file_info_of(&st);
    return true;
}

bool jw_dir_open_file(struct jw_dir *dir, const char *name, struct jw_file *f, struct jw_err *err)
{
    *f = JW_FILE_CLOSED;
    return !jw_sys_fault(err) && jw_file_open_at(f, dirfd(dir->stream), name, err);
}

bool jw_dir_peek(struct jw_dir *dir, const char *name, void *head, size_t n, size_t *got,
                 struct jw_file_info *info, struct jw_err *err)
{
    *got = 0;
    return !jw_sys_fault(err) && jw_file_peek_at(dirfd(dir->stream), name, head, n, got, info, err);
}

void jw_dir_close(struct jw_dir *dir)
{
    if (!dir)
        return;
    (void)closedir(dir->stream);
    jw_free(dir);
}

bool jw_dir_may_add(const char *path, bool *may, struct jw_err *err)
{
    struct stat st;

    *may = false;
    if (jw_sys_fault(err))
        return false;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        *may = faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
    return true;
}
