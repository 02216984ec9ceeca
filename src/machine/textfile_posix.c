#include "machine/textfile.h"

#include "base/limits.h"
#include "base/path.h"
#include "machine/trust.h"
#include "os/files/file.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ALL_MODE_BITS = 07777, USER_ENTRY = 4096 };

/* ---- may it be changed? ---- */

static bool refuse_owner(uid_t uid, struct jw_err *err)
{
    struct passwd entry, *found = NULL;
    char text[USER_ENTRY];

    if (getpwuid_r(uid, &entry, text, sizeof text, &found) == 0 && found)
        return jw_fail(err, JW_E_IO, "belongs to %.64s: run jitwarm as that user", found->pw_name);
    return jw_fail(err, JW_E_IO, "belongs to user %lu: run jitwarm as that user", (unsigned long)uid);
}

static bool check_file(const char *path, const struct stat *st, struct jw_err *err)
{
    if (S_ISDIR(st->st_mode))
        return jw_fail(err, JW_E_IO, "is a folder");
    if (S_ISLNK(st->st_mode))
        return jw_fail(err, JW_E_IO,
                       "is a link, and jitwarm changes no file behind a link: put the lines there yourself");
    if (!S_ISREG(st->st_mode))
        return jw_fail(err, JW_E_IO, "is not a regular file");
    if (st->st_uid != geteuid())
        return refuse_owner(st->st_uid, err);
    if (st->st_nlink != 1)
        return jw_fail(
            err, JW_E_IO,
            "has another name, too (a hard link), which would keep the old text: change it by hand");
    return getxattr(path, "system.posix_acl_access", NULL, 0) <= 0
           || jw_fail(err, JW_E_IO, "has an access list, which a new file would lose: change it by hand");
}

/* A user who may rename in the folder may put another file in this one's place. */
static bool check_folder(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path), *at;
    struct jw_tree held;
    struct jw_trust trust;
    struct jw_err why = { 0 };

    for (;; folder = jw_path_dir(a, folder)) {
        if (!jw_trust_check_path(folder, a, &held, &at, &trust, err))
            return jw_wrap(err, "%.250s", folder);
        if (trust.exists)
            break;
    }
    jw_tree_close(&held);
    return !at || jw_trust_own(&trust, &why)
           || jw_fail(err, JW_E_IO, "its folder %.250s %s, who could replace it: run chmod go-w on it", at,
                      why.msg);
}

/* ---- reading ---- */

static bool read_text(struct jw_textfile *out, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool found = false;
    const uint8_t *nul;

    if (!jw_file_slurp(out->path, &out->text, &found, &why)) {
        *err = why;
        return why.code == JW_E_LIMIT ? jw_fail(err, JW_E_LIMIT, "is larger than 1 MiB: change it by hand")
                                      : false;
    }
    nul = out->text.n ? memchr(out->text.p, '\0', out->text.n) : NULL;
    return !nul
           || jw_fail(err, JW_E_FORMAT, "is not a text (there is a NUL at %zu)", (size_t)(nul - out->text.p));
}

static bool read_one(struct jw_arena *a, struct jw_textfile *out, struct jw_err *err)
{
    struct stat st;

    if (lstat(out->path, &st) != 0)
        return errno == ENOENT ? check_folder(out->path, a, err)
                               : jw_fail(err, JW_E_IO, "%s",
                                         errno == ENOTDIR  ? "part of the path is not a folder"
                                         : errno == EACCES ? "permission denied"
                                                           : "cannot be looked at");
    out->exists = true;
    out->mode = st.st_mode & ALL_MODE_BITS;
    out->group = st.st_gid;
    return check_file(out->path, &st, err) && check_folder(out->path, a, err)
           && jw_file_stat(out->path, &out->info, err) && read_text(out, err);
}

bool jw_textfile_read(const char *path, struct jw_arena *a, struct jw_textfile *out, struct jw_err *err)
{
    *out = (struct jw_textfile){ .path = path, .text = JW_BUF(JW_MAX_CONF) };
    return read_one(a, out, err) || jw_wrap(err, "%.300s", path);
}

void jw_textfile_free(struct jw_textfile *t)
{
    jw_buf_free(&t->text);
}

/* ---- writing ---- */

static bool unchanged(const struct jw_textfile *was, struct jw_err *err)
{
    struct jw_file_info now;

    if (!jw_file_stat(was->path, &now, err))
        return false;
    if (was->exists != (now.kind != JW_FILE_NONE)
        || (was->exists
            && (now.size != was->info.size || now.mtime != was->info.mtime
                || now.id.node != was->info.id.node)))
        return jw_fail(err, JW_E_IO, "was changed meanwhile by something else; try again");
    return true;
}

static bool keep_rights(const struct jw_textfile *was, intptr_t handle, struct jw_err *err)
{
    struct stat st;
    int fd = (int)handle;

    if (!was->exists)
        return !was->for_all || fchmod(fd, 0644) == 0 || jw_fail(err, JW_E_IO, "its rights cannot be set");
    if (fstat(fd, &st) != 0)
        return jw_fail(err, JW_E_IO, "cannot be looked at");
    if (st.st_gid != was->group && fchown(fd, (uid_t)-1, (gid_t)was->group) != 0)
        return jw_fail(err, JW_E_IO, "its group could not be kept, so that nothing is changed");
    return fchmod(fd, was->mode) == 0
           || jw_fail(err, JW_E_IO, "its rights could not be kept, so that nothing is changed");
}

bool jw_textfile_make_folder(const char *path, bool for_all, struct jw_err *err)
{
    mode_t mask = umask(022);
    bool ok;

    if (!for_all)
        (void)umask(mask);
    ok = jw_make_dirs(path, err);
    (void)umask(mask);
    return ok;
}

static bool make_folders(const struct jw_textfile *was, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    bool ok = jw_textfile_make_folder(jw_path_dir(&a, was->path), was->for_all, err);

    jw_arena_free(&a);
    return ok;
}

static bool replace_text(const struct jw_textfile *was, struct jw_bytes now, struct jw_err *err)
{
    struct jw_out out;
    /* No other user can open it before it has its permissions. */
    bool ok = jw_out_open(&out, was->path, was->exists ? JW_OUT_REPLACE | JW_OUT_PRIVATE : JW_OUT_NEW, err)
              && keep_rights(was, out.handle, err) && jw_out_write(&out, now.p, now.n, err)
              && unchanged(was, err);

    return jw_out_close(&out, ok, err);
}

bool jw_textfile_write(const struct jw_textfile *was, struct jw_bytes now, struct jw_err *err)
{
    (void)jw_out_sweep_of(was->path);
    return (make_folders(was, err) && replace_text(was, now, err)) || jw_wrap(err, "%.300s", was->path);
}

static bool refused(const char *path, const char *what, struct jw_err *err)
{
    return jw_fail(err, JW_E_IO, "%.300s: %s cannot be removed: %s", path, what,
                   errno == EACCES || errno == EPERM ? "permission denied"
                   : errno == EROFS                  ? "the file system is read-only"
                                                     : "the system refuses");
}

bool jw_textfile_remove(const struct jw_textfile *was, struct jw_err *err)
{
    (void)jw_out_sweep_of(was->path);
    if (!unchanged(was, err))
        return jw_wrap(err, "%.300s", was->path);
    return unlink(was->path) == 0 || errno == ENOENT || refused(was->path, "this file", err);
}
