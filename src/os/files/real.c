#include "os/files/real.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/sys.h"

#include <string.h>

/* Removes the last component of `real`, which is absolute; keeps the root. */
static void go_up(struct jw_buf *real)
{
    size_t n = real->n;

    while (n > 1 && !jw_sys_separator((char)real->p[n - 1]))
        n--;
    if (n > 1 && n < real->n)
        n--;
    real->n = n && real->p[n - 1] == ':' ? n + 1 : n;
}

/* Appends one component to `real`. */
static void go_down(struct jw_buf *real, const char *name, size_t n)
{
    if (real->n && !jw_sys_separator((char)real->p[real->n - 1]))
        jw_buf_text(real, jw_sys_separator('\\') ? "\\" : "/");
    jw_buf_add(real, name, n);
}

/* Appends `rest`, which does not exist yet, to `real`. */
static void hang_below(struct jw_buf *real, const char *rest)
{
    while (*rest) {
        size_t n = 0;

        while (rest[n] && !jw_sys_separator(rest[n]))
            n++;
        if (n == 2 && rest[0] == '.' && rest[1] == '.')
            go_up(real);
        else if (n && !(n == 1 && rest[0] == '.'))
            go_down(real, rest, n);
        rest += n;
        while (jw_sys_separator(*rest))
            rest++;
    }
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
    struct jw_buf out = JW_BUF(JW_MAX_PATH);
    char *found = NULL;
    size_t n;
    bool ok = !jw_sys_fault(err) && deepest(path, &n, &found, err);

    *real = NULL;
    if (ok) {
        jw_buf_text(&out, found);
        hang_below(&out, path + n);
        ok = jw_buf_ok(&out, err);
        *real = ok ? jw_arena_str(a, jw_buf_cstr(&out)) : NULL;
    }
    jw_free(found);
    jw_buf_free(&out);
    return ok;
}
