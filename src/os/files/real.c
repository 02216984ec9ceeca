#include "os/files/real.h"

#include "base/mem.h"
#include "base/path.h"
#include "os/sys.h"

#include <string.h>

/* `rest`, which does not exist yet, below `real`. */
static const char *hang_below(struct jw_arena *a, const char *real, const char *rest)
{
    while (*rest) {
        size_t n = 0;

        while (rest[n] && !jw_sys_separator(rest[n]))
            n++;

        const char *name = jw_arena_text(a, rest, n);

        if (strcmp(name, "..") == 0)
            real = jw_path_dir(a, real);
        else if (n && strcmp(name, ".") != 0)
            real = jw_path_join(a, real, name);
        rest += n + (rest[n] != '\0');
    }
    return real;
}

/* Length of the parent in the first `n` bytes; 0: no parent. */
static size_t above(const char *path, size_t n)
{
    while (n && jw_sys_separator(path[n - 1]))
        n--;
    while (n && !jw_sys_separator(path[n - 1]))
        n--;
    return n;
}

/* The longest existing prefix of `path`; `*n` is its length. */
static bool deepest(const char *path, size_t *n, char **real, struct jw_err *err)
{
    char *part = jw_strdup(path);
    bool there = false, ok = true;

    *n = strlen(path);
    while (ok && !there) {
        ok = jw_sys_real(*n ? part : ".", real, &there, err);
        if (!ok || there || !*n)
            break;
        *n = above(path, *n);
        part[*n] = '\0';
    }
    jw_free(part);
    return ok && (there || jw_fail(err, JW_E_IO, "no such folder"));
}

bool jw_real_path(const char *path, struct jw_arena *a, const char **real, struct jw_err *err)
{
    char *found = NULL;
    size_t n;
    bool ok = !jw_sys_fault(err) && deepest(path, &n, &found, err);

    *real = ok ? hang_below(a, jw_arena_str(a, found), path + n) : NULL;
    jw_free(found);
    return ok;
}
