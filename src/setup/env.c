#include "os/machine/env.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/driver_settings.h"
#include "os/files/file.h"
#include "setup/parts.h"

#include <string.h>

bool jw_env_settings(const char *path, uint64_t size, struct jw_arena *a,
                     struct jw_env_setting out[2], size_t *n, struct jw_err *err)
{
    *n = 0;
    if (path && !jw_path_absolute(path))
        return jw_fail(err, JW_E_USAGE, "--path: %.250s is not an absolute path", path);
    if (!jw_cache_path_check("--path", path, err))
        return false;
    if (size > JW_CACHE_HEEDED || (size && size < JW_CACHE_SMALLEST)) /* driver-fact: F52-most */
        return jw_fail(err, JW_E_USAGE,
                       "--size: the driver stores at most 4 GiB, and programs need 16 MiB");
    if (path)
        out[(*n)++] = (struct jw_env_setting){jw_driver_variables[JW_VAR_CACHE_PATH], path};
    out[(*n)++] = (struct jw_env_setting){jw_driver_variables[JW_VAR_CACHE_MAXSIZE],
                                          size && size < JW_CACHE_MOST
                                              ? jw_arena_printf(a, "%llu", (unsigned long long)size)
                                              : JW_CACHE_MOST_TEXT};
    return true;
}

bool jw_env_start_has(const char *text, struct jw_arena *a, const char **file)
{
    struct jw_buf all = JW_BUF_IN(a, JW_MAX_CONF);
    const char *home = jw_env_home(a);
    bool found;

    *file = NULL;
    jw_buf_text(&all, "\n");
    return home && jw_env_line(a, file)
           && jw_file_slurp(jw_path_join(a, home, *file + 2), &all, &found, JW_IGNORED)
           && strstr(jw_buf_cstr(&all), text);
}

/* Finds the folder in the list, and its length there, with or without a \ at its end. NULL: it is
 * not there. */
static const char *item_of(const char *path, const char *folder, size_t *n)
{
    for (;; path += *n + 1) {
        size_t bare = *n = strcspn(path, ";");

        while (bare > 1 && path[bare - 1] == '\\')
            bare--;
        if (bare == strlen(folder) && jw_text_starts_nocase(path, folder))
            return path;
        if (!path[*n])
            return NULL;
    }
}

const char *jw_env_path_with(const char *path, const char *folder, bool add, struct jw_arena *a)
{
    size_t n, before;
    const char *at = item_of(path, folder, &n);

    bool open = *path && !jw_text_ends(path, ";");

    if (add == (at != NULL))
        return path;
    if (add)
        return jw_arena_printf(a, "%s%s%s", path, open ? ";" : "", folder);
    before = (size_t)(at - path);
    if (at[n])
        n++;
    else if (before)
        before--;
    return jw_arena_printf(a, "%.*s%s", (int)before, path, at + n);
}
