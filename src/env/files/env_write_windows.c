/* Rights here are lists that a new file takes over from its folder; a file of a profile is its user's. */
#include "env/files/env_write.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/scratch.h"
#include "os/sys.h"

#include <string.h>

enum { MOST_FOLDERS = 64 };

bool jw_env_text_read(const char *path, struct jw_arena *a, struct jw_env_text *out, struct jw_err *err)
{
    struct jw_err why = { 0 };
    const uint8_t *nul;

    (void)a;
    *out = (struct jw_env_text){ .path = path, .real = path, .text = JW_BUF(JW_MAX_CONF) };
    if (!jw_file_stat(path, &out->info, err))
        return jw_wrap(err, "%.300s", path);
    if (out->info.kind == JW_FILE_DIR)
        return jw_fail(err, JW_E_IO, "%.300s: is a folder", path);
    if (!jw_file_slurp(path, &out->text, &out->exists, &why)) {
        *err = why;
        return why.code == JW_E_LIMIT
                   ? jw_fail(err, JW_E_LIMIT, "%.300s: is larger than 1 MiB, and is left alone", path)
                   : jw_wrap(err, "%.300s", path);
    }
    nul = out->text.n ? memchr(out->text.p, '\0', out->text.n) : NULL;
    return !nul
           || jw_fail(err, JW_E_FORMAT, "%.300s: is not a text (there is a NUL at %zu), and is left alone",
                      path, (size_t)(nul - out->text.p));
}

void jw_env_text_free(struct jw_env_text *t)
{
    jw_buf_free(&t->text);
}

static bool unchanged(const struct jw_env_text *was, struct jw_err *err)
{
    struct jw_file_info now;

    if (!jw_file_stat(was->real, &now, err))
        return false;
    if (was->exists != (now.kind != JW_FILE_NONE)
        || (was->exists && (now.size != was->info.size || now.mtime != was->info.mtime)))
        return jw_fail(err, JW_E_IO, "was changed meanwhile by something else; try again");
    return true;
}

bool jw_env_text_write(const struct jw_env_text *was, struct jw_bytes now, struct jw_err *err)
{
    struct jw_out out = { .handle = -1 };
    bool ok;

    jw_env_text_sweep(was->real);
    ok = jw_out_open(&out, was->real, was->exists, err) && jw_out_write(&out, now.p, now.n, err)
         && unchanged(was, err) && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%.300s", was->path);
}

bool jw_env_text_remove(const struct jw_env_text *was, struct jw_err *err)
{
    jw_env_text_sweep(was->real);
    if (!unchanged(was, err))
        return jw_wrap(err, "%.300s", was->path);
    jw_sys_remove(was->real);
    return true;
}

bool jw_env_folders_missing(const char *path, struct jw_arena *a, struct jw_env_folders *out,
                            struct jw_err *err)
{
    const char *missing[MOST_FOLDERS], *at = path;
    size_t n = 0;

    *out = (struct jw_env_folders){ 0 };
    while (n < MOST_FOLDERS) {
        struct jw_file_info info;
        struct jw_err ignored = { 0 };
        const char *above = jw_path_dir(a, at);

        if (!above)
            return jw_nomem(err, strlen(path));
        if (strlen(above) >= strlen(at) || strlen(above) < 3 || !jw_file_stat(above, &info, &ignored)
            || info.kind != JW_FILE_NONE)
            break;
        missing[n++] = at = above;
    }
    out->v = jw_arena_alloc(a, (n + 1) * sizeof *out->v);
    if (!out->v)
        return jw_nomem(err, n * sizeof *out->v);
    while (n)
        out->v[out->n++] = missing[--n];
    return true;
}

bool jw_env_folder_drop(const char *path, struct jw_err *err)
{
    (void)err;
    jw_sys_rmdir(path);
    return true;
}

bool jw_env_cache_judge(const char *path, struct jw_arena *a, bool *there, struct jw_err *err)
{
    struct jw_file_info info;

    (void)a;
    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%.300s", path);
    *there = info.kind != JW_FILE_NONE;
    return !*there || info.kind == JW_FILE_DIR || jw_fail(err, JW_E_IO, "%.300s: is not a folder", path);
}

bool jw_env_cache_make(const char *path, struct jw_arena *a, struct jw_err *err)
{
    (void)a;
    return jw_make_dirs(path, err) || jw_wrap(err, "%.300s", path);
}

bool jw_env_local_folder(const char *user, struct jw_arena *a, const char **out, struct jw_err *err)
{
    (void)user;
    (void)a;
    (void)err;
    *out = NULL;
    return true;
}

bool jw_env_local_name(struct jw_arena *a, const char **out, struct jw_err *err)
{
    (void)a;
    *out = NULL;
    return jw_fail(err, JW_E_IO, "name a folder of this machine with --path");
}
