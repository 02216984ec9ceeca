#include "env/files/env_write.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/secret.h"
#include "machine/list.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/sys.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { RANDOM = 12, NAMES = 16384, VALUE = 65536, MOST_FOLDERS = 64, BY_ALL = 07777 };

#define LOCAL_PARENT "/var/tmp"

/* ---- may it be changed? ---- */

static bool refuse_owner(uid_t uid, struct jw_err *err)
{
    struct passwd entry, *found = NULL;
    char text[4096];

    if (getpwuid_r(uid, &entry, text, sizeof text, &found) == 0 && found)
        return jw_fail(err, JW_E_IO, "belongs to %.64s, and is left alone: run jitwarm as that user",
                       found->pw_name);
    return jw_fail(err, JW_E_IO, "belongs to user %lu, and is left alone", (unsigned long)uid);
}

static bool judge_text_file(const struct stat *st, struct jw_err *err)
{
    if (S_ISDIR(st->st_mode))
        return jw_fail(err, JW_E_IO, "is a folder");
    if (!S_ISREG(st->st_mode))
        return jw_fail(err, JW_E_IO, "is not a regular file");
    if (st->st_uid != geteuid())
        return refuse_owner(st->st_uid, err);
    return st->st_nlink == 1
           || jw_fail(
               err, JW_E_IO,
               "has another name, too (a hard link), which would keep the old text: change it by hand");
}

/* Who may rename in the folder may put another file in this one's place. */
static bool judge_its_folder(const char *path, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_path_dir(a, path);
    struct stat st;

    if (stat(folder, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR
               || jw_fail(err, JW_E_IO, "its folder cannot be looked at: %s",
                          errno == EACCES ? "permission denied" : "failed");
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return jw_fail(err, JW_E_IO, "its folder belongs to another user, and is left alone");
    return !(st.st_mode & S_IWOTH) || (st.st_mode & S_ISVTX)
           || jw_fail(
               err, JW_E_IO,
               "everybody may write to its folder, so that it may be another's next time: chmod o-w %.200s",
               folder);
}

/* ---- reading ---- */

static bool find_real(const char *path, struct jw_arena *a, struct jw_env_text *out, struct jw_err *err)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return errno == ENOENT
               || jw_fail(err, JW_E_IO, "%s",
                          errno == ENOTDIR  ? "part of the path is not a folder"
                          : errno == EACCES ? "permission denied"
                                            : "cannot be looked at");
    if (S_ISLNK(st.st_mode) && stat(path, &st) != 0)
        return jw_fail(err, JW_E_IO, errno == ELOOP ? "the links lead in a circle" : "is a link to nothing");
    return jw_real_path(path, a, &out->real, err);
}

static bool read_whole_text(struct jw_env_text *out, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool found = false;
    const uint8_t *nul;

    if (!jw_file_slurp(out->real, &out->text, &found, &why)) {
        *err = why;
        return why.code == JW_E_LIMIT ? jw_fail(err, JW_E_LIMIT, "is larger than 1 MiB, and is left alone")
                                      : false;
    }
    nul = out->text.n ? memchr(out->text.p, '\0', out->text.n) : NULL;
    return !nul
           || jw_fail(err, JW_E_FORMAT, "is not a text (there is a NUL at %zu), and is left alone",
                      (size_t)(nul - out->text.p));
}

static bool read_one(const char *path, struct jw_arena *a, struct jw_env_text *out, struct jw_err *err)
{
    struct stat st;

    out->real = path;
    if (!find_real(path, a, out, err) || !jw_file_stat(out->real, &out->info, err))
        return false;
    if (!judge_its_folder(out->real, a, err))
        return false;
    if (out->info.kind == JW_FILE_NONE)
        return true;
    if (stat(out->real, &st) != 0)
        return jw_fail(err, JW_E_IO, "changes while it is looked at");
    out->exists = true;
    out->mode = st.st_mode & BY_ALL;
    out->group = st.st_gid;
    return judge_text_file(&st, err) && read_whole_text(out, err);
}

bool jw_env_text_read(const char *path, struct jw_arena *a, struct jw_env_text *out, struct jw_err *err)
{
    *out = (struct jw_env_text){ .path = path, .text = JW_BUF(JW_MAX_CONF) };
    return read_one(path, a, out, err) || jw_wrap(err, "%.300s", path);
}

void jw_env_text_free(struct jw_env_text *t)
{
    jw_buf_free(&t->text);
}

/* ---- writing ---- */

/* os/files/file.h calls them .NAME.jw-PID-N.tmp. */
bool jw_env_text_sweep(const char *real)
{
    struct jw_arena a = { 0 };
    struct jw_notes notes = { 0 };
    const char *folder = jw_path_dir(&a, real),
               *pattern = jw_arena_printf(&a, ".%s.jw-*.tmp", jw_path_base(real));
    const struct jw_listing list = jw_listing_read(folder, pattern, &a, &notes);
    bool any = false;

    for (size_t i = 0; i < list.n; i++) {
        const char *path = jw_path_join(&a, folder, list.names[i]);
        unsigned long pid = strtoul(list.names[i] + strlen(jw_path_base(real)) + 5, NULL, 10);

        if (pid && !jw_sys_process_alive(pid))
            any = unlink(path) == 0 || any;
    }
    jw_arena_free(&a);
    return any;
}

static bool unchanged(const struct jw_env_text *was, struct jw_err *err)
{
    struct jw_file_info now;

    if (!jw_file_stat(was->real, &now, err))
        return false;
    if (was->exists != (now.kind != JW_FILE_NONE)
        || (was->exists
            && (now.size != was->info.size || now.mtime != was->info.mtime
                || now.id.node != was->info.id.node)))
        return jw_fail(err, JW_E_IO, "was changed meanwhile by something else; try again");
    return true;
}

/* Access lists and labels, as far as the file system has such and lets us. */
static void copy_attributes(const char *from, int to)
{
    char names[NAMES], value[VALUE];
    ssize_t n = listxattr(from, names, sizeof names);

    for (const char *at = names; n > 0 && at < names + n; at += strlen(at) + 1) {
        ssize_t size = getxattr(from, at, value, sizeof value);

        if (size >= 0)
            (void)fsetxattr(to, at, value, (size_t)size, 0);
    }
}

static bool keep_rights(const struct jw_env_text *was, intptr_t handle, mode_t mask, struct jw_err *err)
{
    struct stat st;
    int fd = (int)handle;

    if (!was->exists)
        return fchmod(fd, 0666 & ~mask) == 0 || jw_fail(err, JW_E_IO, "its rights cannot be set");
    if (fstat(fd, &st) != 0)
        return jw_fail(err, JW_E_IO, "cannot be looked at");
    if (st.st_gid != was->group && fchown(fd, (uid_t)-1, (gid_t)was->group) != 0)
        return jw_fail(err, JW_E_IO, "its group could not be kept, so that nothing is changed");
    copy_attributes(was->real, fd);
    return fchmod(fd, was->mode) == 0
           || jw_fail(err, JW_E_IO, "its rights could not be kept, so that nothing is changed");
}

static bool replace_text(const struct jw_env_text *was, struct jw_bytes now, struct jw_err *err)
{
    struct jw_out out = { .handle = -1 };
    mode_t mask = umask(077); /* no other user can open it before it has its permissions */
    bool ok = jw_out_open(&out, was->real, was->exists, err);

    (void)umask(mask);
    ok = ok && keep_rights(was, out.handle, mask, err) && jw_out_write(&out, now.p, now.n, err)
         && unchanged(was, err) && jw_out_commit(&out, err);
    jw_out_close(&out);
    return ok;
}

bool jw_env_text_write(const struct jw_env_text *was, struct jw_bytes now, struct jw_err *err)
{
    (void)jw_env_text_sweep(was->real);
    return replace_text(was, now, err) || jw_wrap(err, "%.300s", was->path);
}

bool jw_env_text_remove(const struct jw_env_text *was, struct jw_err *err)
{
    (void)jw_env_text_sweep(was->real);
    if (!unchanged(was, err))
        return jw_wrap(err, "%.300s", was->path);
    return unlink(was->real) == 0 || errno == ENOENT
           || jw_fail(err, JW_E_IO, "%.300s: cannot be removed: %s", was->path,
                      errno == EACCES || errno == EPERM ? "permission denied"
                      : errno == EROFS                  ? "the file system is read-only"
                                                        : "the system refuses");
}

/* ---- folders ---- */

bool jw_env_folders_missing(const char *path, struct jw_arena *a, struct jw_env_folders *out,
                            struct jw_err *err)
{
    const char *missing[MOST_FOLDERS] = { 0 }, *at = path;
    struct stat st;
    size_t n = 0;

    *out = (struct jw_env_folders){ 0 };
    while (n < MOST_FOLDERS) {
        at = jw_path_dir(a, at);
        if (stat(at, &st) == 0 || errno == ENOTDIR || !*at || strcmp(at, "/") == 0 || strcmp(at, ".") == 0)
            break;
        if (errno != ENOENT) /* undo must know whether it is ours */
            return jw_fail(err, JW_E_IO, "%.300s: %s", at,
                           errno == EACCES ? "permission denied" : "it is not known whether it is there");
        missing[n++] = at;
    }
    out->v = jw_arena_alloc(a, (n + 1) * sizeof *out->v);
    while (n)
        out->v[out->n++] = missing[--n];
    return true;
}

bool jw_env_folder_drop(const char *path, struct jw_err *err)
{
    if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTDIR || errno == ENOTEMPTY || errno == EEXIST
        || errno == EBUSY)
        return true;
    return jw_fail(err, JW_E_IO, "%.300s: this empty folder cannot be removed: %s", path,
                   errno == EACCES || errno == EPERM ? "permission denied"
                   : errno == EROFS                  ? "the file system is read-only"
                                                     : "it failed");
}

static bool judge_cache(const char *path, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return jw_fail(err, JW_E_IO, "is not a folder");
    if (!jw_trust_read(path, a, &trust, err))
        return false;
    if (trust.owner)
        return jw_fail(err, JW_E_IO, "belongs to %s, who could have other code run in your programs",
                       trust.owner);
    return !trust.writers
           || jw_fail(err, JW_E_IO,
                      "%s may write to it, and so have other code run in your programs: chmod 700 %.200s",
                      trust.writers, path);
}

bool jw_env_cache_judge(const char *path, struct jw_arena *a, bool *there, struct jw_err *err)
{
    struct stat st;

    *there = stat(path, &st) == 0;
    return !*there || judge_cache(path, a, err) || jw_wrap(err, "%.300s", path);
}

bool jw_env_cache_make(const char *path, struct jw_arena *a, struct jw_err *err)
{
    return (jw_trust_make(path, err) && judge_cache(path, a, err)) || jw_wrap(err, "%.300s", path);
}

/* Where clusters give each user room on the node. */
void jw_env_local_folder(const char *user, struct jw_arena *a, const char **out)
{
    static const char *const parents[] = { "/scratch/local", "/local/scratch", "/localscratch", "/local",
                                           "/scratch",       "/mnt/scratch",   "/data/local" };

    *out = NULL;
    for (size_t i = 0;
         user && *user && !strchr(user, '/') && user[0] != '.' && i < JW_COUNT(parents) && !*out; i++) {
        const char *own = jw_path_join(a, parents[i], user);
        struct jw_trust trust = { 0 };
        struct jw_disk disk;
        struct jw_err ignored = { 0 };

        if (!jw_is_folder(own) || !jw_trust_read(own, a, &trust, &ignored) || trust.owner || trust.writers
            || !jw_disk_look(own, &disk, &ignored) || disk.kind != JW_DISK_LOCAL || disk.read_only)
            continue;
        *out = jw_path_join(a, own, "cuda-cache");
    }
}

bool jw_env_local_name(struct jw_arena *a, const char **out, struct jw_err *err)
{
    uint8_t chance[RANDOM];
    char name[sizeof JW_ENV_LOCAL + 2 * RANDOM] = JW_ENV_LOCAL;
    struct jw_disk disk;

    *out = NULL;
    if (!jw_disk_look(LOCAL_PARENT, &disk, err))
        return jw_wrap(err, LOCAL_PARENT);
    if (disk.kind != JW_DISK_LOCAL || disk.read_only)
        return jw_fail(err, JW_E_IO,
                       LOCAL_PARENT " is not on a disk of this machine either: name a folder with --path");
    if (!jw_secret_random(chance, sizeof chance, err))
        return false;
    for (size_t i = 0; i < RANDOM; i++)
        (void)snprintf(name + strlen(name), 3, "%02x", chance[i]);
    *out = jw_arena_str(a, name);
    return true;
}
