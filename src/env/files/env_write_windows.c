/* Rights here are lists that a new file takes over from its folder; a file of a profile is its user's. */
#include "env/files/env_write.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/scratch.h"
#include "os/sys.h"

#include <string.h>

enum { MOST_FOLDERS = 64 };

bool jw_env_folders_missing(const char *path, struct jw_arena *a, struct jw_env_folders *out,
                            struct jw_err *err)
{
    const char *missing[MOST_FOLDERS], *at = path;
    size_t n = 0;

    (void)err;

    *out = (struct jw_env_folders){ 0 };
    while (n < MOST_FOLDERS) {
        struct jw_file_info info;
        struct jw_err ignored = { 0 };
        const char *above = jw_path_dir(a, at);

        if (strlen(above) >= strlen(at) || strlen(above) < 3 || !jw_file_stat(above, &info, &ignored)
            || info.kind != JW_FILE_NONE)
            break;
        missing[n++] = at = above;
    }
    out->v = jw_arena_alloc(a, (n + 1) * sizeof *out->v);
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

void jw_env_local_folder(const char *user, struct jw_arena *a, const char **out)
{
    (void)user;
    (void)a;
    *out = NULL;
}

bool jw_env_local_name(struct jw_arena *a, const char **out, struct jw_err *err)
{
    (void)a;
    *out = NULL;
    return jw_fail(err, JW_E_IO, "name a folder of this machine with --path");
}
