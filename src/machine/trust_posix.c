#include "machine/trust.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 64 };

static bool name_owner(unsigned long uid, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(WORDS);

    jw_buf_printf(&text, uid ? "user %lu" : "root", uid);
    out->owner = jw_arena_str(a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return out->owner || jw_nomem(err, WORDS);
}

static bool judge(const struct stat *st, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    out->exists = true;
    out->sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);
    if (st->st_mode & S_IWOTH)
        out->writers = "everybody";
    else if (st->st_mode & S_IWGRP && st->st_gid != st->st_uid) /* equal numbers: the user's private group */
        out->writers = "its group";
    return st->st_uid == geteuid() || name_owner(st->st_uid, a, out, err);
}

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct stat st;

    *out = (struct jw_trust){ 0 };
    if (stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return true;
        return jw_fail(err, JW_E_IO, "%s", errno == EACCES ? "permission denied" : "cannot be looked at");
    }
    return judge(&st, a, out, err);
}

bool jw_trust_guarded(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    return jw_trust_read(path, a, out, err);
}

bool jw_trust_held(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct stat st;

    *out = (struct jw_trust){ 0 };
    if (fstat((int)folder->handle, &st) != 0)
        return jw_fail(err, JW_E_IO, "cannot be looked at");
    return judge(&st, a, out, err);
}

bool jw_trust_make(const char *path, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char *above = jw_path_dir(&a, path);
    bool ok = above ? jw_make_dirs(above, err) : jw_nomem(err, strlen(path));

    /* Whatever mkdir says against it, jw_make_dirs then knows whether the folder is there. */
    if (ok)
        (void)!mkdir(path, S_IRWXU);
    jw_arena_free(&a);
    return ok && jw_make_dirs(path, err);
}
