#include "driver/witness/loaded.h"

#include "facts/libraries.h"

#include "base/path.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* "7f00-7f01 r-xp 00000000 08:01 131    /usr/lib/libcuda.so.1": number and path are the fifth and
 * the sixth field. */
static bool next_mapping(const char **at, struct jw_loaded_file *out, bool *code)
{
    while (**at) {
        const char *line = *at;
        const char *field = line;
        size_t n = strcspn(line, "\n");
        size_t rights = strcspn(line, " ");
        const char *path = memchr(line, '/', n);
        size_t length = path ? n - (size_t)(path - line) : sizeof out->path;

        *at += n + (line[n] != '\0');
        if (length >= sizeof out->path)
            continue;
        memcpy(out->path, path, length);
        out->path[length] = '\0';
        for (unsigned i = 1; i < 5; i++) {
            field += strcspn(field, " ");
            field += strspn(field, " ");
        }
        out->node = strtoull(field, NULL, 10);
        *code = rights + 3 < n && line[rights + 3] == 'x';
        return true;
    }
    return false;
}

/* Compares path and number: a path alone may be another container's file, a number one of another
 * file system. */
static bool is_file(const struct jw_loaded_file *m, const struct jw_loaded_of_driver *f)
{
    return m->node == f->node && strcmp(m->path, f->path) == 0;
}

static bool is_compiler(const struct jw_loaded_file *m, const struct jw_loaded_ask *ask)
{
    for (size_t i = 0; i < ask->n_compilers; i++)
        if (is_file(m, &ask->compilers[i]))
            return true;
    return false;
}

struct jw_loaded jw_loaded_of(const char *maps, const struct jw_loaded_ask *ask)
{
    struct jw_loaded out = {0};
    struct jw_loaded_file m;

    for (bool code; next_mapping(&maps, &m, &code);) {
        bool driver = is_file(&m, &ask->driver);
        bool compiler = is_compiler(&m, ask);
        const char *name = jw_path_base(m.path);

        out.driver |= driver;
        out.compiler |= compiler;
        bool loader = strstr(m.path, "/wsl/lib/") != NULL; /* it only loads the driver */

        out.other |= jw_text_starts(name, JW_LIBCUDA) && !driver && !loader;
        out.other |= jw_text_starts(name, JW_DRIVER_COMPILER) && !compiler;
    }
    return out;
}

/* By its name: a library that holds data alone has no executable part. Files of other names may
 * change at any time. */
static bool is_library(const char *path)
{
    static const char *const ends[] = {".so", ".node", ".fatbin", ".cubin", ".ptx"};

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(path, ends[i]))
            return true;
    return strstr(path, ".so.");
}

bool jw_loaded_next(const char **at, struct jw_loaded_file *out)
{
    bool code;

    while (next_mapping(at, out, &code))
        if (code || is_library(out->path))
            return true;
    return false;
}
