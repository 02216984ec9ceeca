#include "os/files/real.h"

#include "base/path.h"
#include "os/machine/env.h"
#include "os/sys.h"

#include <string.h>

/* NULL: see err. */
static const char *resolve(struct jw_arena *a, const char *path, struct jw_err *err)
{
    const char *real = jw_sys_real(*path ? path : ".", a);
    const char *name = jw_path_base(path);
    const char *above = jw_path_dir(a, path);

    if (real)
        return real;
    if (strcmp(above, path) == 0) {
        (void)jw_fail(err, JW_E_IO, "no such folder");
        return NULL;
    }
    above = resolve(a, above, err);
    if (!above || !*name || strcmp(name, ".") == 0)
        return above;
    return strcmp(name, "..") == 0 ? jw_path_dir(a, above) : jw_path_join(a, above, name);
}

bool jw_real_path(const char *path, struct jw_arena *a, const char **real, struct jw_err *err)
{
    *real = NULL;
    if (jw_sys_fault(err))
        return false;
    if (strlen(path) >= 4096) /* longer than Linux takes: each part would cost a copy of the path */
        return jw_fail(err, JW_E_IO, "the path is too long");
    /* Made absolute: only then a backslash is part of a name. */
    if (*path != '/' && !jw_os_is_windows()) {
        const char *here = resolve(a, ".", err);

        if (!here)
            return false;
        path = jw_path_join(a, here, path);
    }
    *real = resolve(a, path, err);
    return *real;
}
