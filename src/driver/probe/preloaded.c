#include "driver/probe/preloaded.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "os/files/file.h"

#include <string.h>

/* Such a library is a driver, or has functions of these names: a program's calls to load modules go through
 * it. */
static bool stands_before(const struct jw_buf *library)
{
    static const char name[] = "cuModuleLoad";
    const uint8_t *at = library->p, *end = library->p + library->n;

    while (at < end && (at = memchr(at, name[0], (size_t)(end - at)))) {
        if ((size_t)(end - at) >= sizeof name - 1 && memcmp(at, name, sizeof name - 1) == 0)
            return true;
        at++;
    }
    return false;
}

static bool is_before_driver(const char *path)
{
    struct jw_buf library = JW_BUF((size_t)64 << 20);
    struct jw_err ignored;
    bool found;
    bool is = jw_is_libcuda(jw_path_base(path)) || !jw_file_slurp(path, &library, &found, &ignored)
              || stands_before(&library);

    jw_buf_free(&library);
    return is;
}

static bool has_library(const char *list, const char *path)
{
    size_t n = strlen(path);

    for (const char *at = list ? strstr(list, path) : NULL; at; at = strstr(at + 1, path))
        if ((at == list || strchr(" :", at[-1])) && strchr(" :", at[n]))
            return true;
    return false;
}

const char *jw_preloaded_before_driver(const char *list, const char *but, struct jw_arena *a)
{
    for (size_t n; list && *list; list += n) {
        list += strspn(list, " :");
        n = strcspn(list, " :");
        const char *path = jw_arena_text(a, list, n);

        if (n && !has_library(but, path) && is_before_driver(path))
            return path;
    }
    return NULL;
}
