#include "driver/witness/loaded.h"

#include "facts/compilers.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct mapping {
    uint64_t node;
    const char *path;
    size_t path_n;
};

/* "7f00-7f01 r-xp 00000000 08:01 131    /usr/lib/libcuda.so.1": number and path are the fifth and the sixth field. */
static bool read_line(const char *line, size_t n, struct mapping *out)
{
    const char *slash = memchr(line, '/', n), *at = line;

    if (!slash)
        return false;
    for (unsigned field = 1; field < 5; field++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    *out = (struct mapping){ strtoull(at, NULL, 10), slash, n - (size_t)(slash - line) };
    return true;
}

static bool is_named(const struct mapping *m, const char *library)
{
    const char *base = m->path;

    for (size_t i = 0; i < m->path_n; i++)
        if (m->path[i] == '/')
            base = m->path + i + 1;
    return jw_text_starts(base, library);
}

static bool has_in_path(const struct mapping *m, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i + n <= m->path_n; i++)
        if (memcmp(m->path + i, text, n) == 0)
            return true;
    return false;
}

/* The same path alone may be another container's file, the same number that of another file system. */
static bool is_file(const struct mapping *m, const char *path, uint64_t node)
{
    return m->node == node && strlen(path) == m->path_n && memcmp(path, m->path, m->path_n) == 0;
}

struct jw_loaded jw_loaded_of(const char *maps, const struct jw_loaded_ask *ask)
{
    struct jw_loaded out = { 0 };

    for (const char *at = maps; *at;) {
        size_t n = strcspn(at, "\n");
        struct mapping m;
        bool file = read_line(at, n, &m);

        if (file && is_named(&m, JW_LIBCUDA)) {
            bool ours = is_file(&m, ask->driver, ask->driver_node);

            out.driver |= ours;
            out.other_driver |= !ours && !has_in_path(&m, "/wsl/lib/"); /* which only loads the driver */
        } else if (file && is_named(&m, JW_DRIVER_COMPILER)) {
            bool ours = is_file(&m, ask->compiler, ask->compiler_node);

            out.compiler |= ours;
            out.other_compiler |= !ours;
        }
        at += n + (at[n] != '\0');
    }
    return out;
}

static bool is_code(const char *line, size_t n)
{
    size_t rights = strcspn(line, " ");

    return rights + 3 < n && line[rights + 3] == 'x';
}

/* A library of data alone has no part that is executable. Other data may change at any time. */
static bool is_library(const struct mapping *m)
{
    static const char *const ends[] = { ".so", ".node", ".fatbin", ".cubin", ".ptx" };

    for (size_t i = 0; i < JW_COUNT(ends); i++) {
        size_t n = strlen(ends[i]);

        if (m->path_n > n && memcmp(m->path + m->path_n - n, ends[i], n) == 0)
            return true;
    }
    return has_in_path(m, ".so.");
}

struct jw_loaded_file jw_loaded_next(const char **at)
{
    while (**at) {
        const char *line = *at;
        size_t n = strcspn(line, "\n");
        struct mapping m;

        *at += n + (line[n] != '\0');
        if (read_line(line, n, &m) && (is_code(line, n) || is_library(&m)))
            return (struct jw_loaded_file){ m.path, m.path_n, m.node };
    }
    return (struct jw_loaded_file){ 0 };
}
