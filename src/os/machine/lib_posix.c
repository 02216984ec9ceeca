#include "os/machine/lib.h"

#include "os/sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

bool jw_lib_open(struct jw_lib *lib, const char *name, struct jw_err *err)
{
    lib->handle = NULL;
    if (jw_sys_fault(err))
        return false;
    if (!*name || (strchr(name, '/') && *name != '/'))
        return jw_fail(err, JW_E_USAGE, "\"%s\" is neither a file name nor an absolute path", name);
    lib->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle)
        return true;

    const char *why = dlerror();

    return jw_fail(err, JW_E_IO, "%s", why ? why : "cannot be loaded");
}

jw_lib_fn jw_lib_symbol(const struct jw_lib *lib, const char *name)
{
    void *p = dlsym(lib->handle, name);
    jw_lib_fn fn;

    /* ISO C cannot cast an object pointer to a function pointer; in POSIX both look the same. */
    _Static_assert(sizeof fn == sizeof p, "addresses of one size");
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

struct search {
    bool (*is)(const char *path);
    const char *name;
};

static int visit_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct search *s = ctx;
    bool found = info->dlpi_name && *info->dlpi_name == '/' && s->is(info->dlpi_name);

    (void)size;
    if (found)
        s->name = info->dlpi_name;
    return found;
}

bool jw_lib_path(const struct jw_lib *lib, bool (*is)(const char *path), struct jw_buf *path,
                 struct jw_err *err)
{
    struct search s = {is, NULL};
    struct link_map *map = NULL;

    if (jw_sys_fault(err))
        return false;
    if (is)
        (void)dl_iterate_phdr(visit_library, &s);
    if (!s.name && dlinfo(lib->handle, RTLD_DI_LINKMAP, &map) == 0 && map)
        s.name = map->l_name;
    if (!s.name || !*s.name)
        return jw_fail(err, JW_E_IO, "the loader does not say where the library came from");

    char *real = realpath(s.name, NULL);

    if (!real)
        return jw_sys_fail(err, errno);
    jw_buf_text(path, real);
    free(real);
    return jw_buf_ok(path, err);
}
