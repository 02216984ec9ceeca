#include "driver/probe/compiler_file.h"

#include "facts/compilers.h"

#include "base/path.h"
#include "driver/worker/identity.h"
#include "machine/listing.h"
#include "machine/loader.h"
#include "machine/whoami.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

/* If libcuda has a search path of its own, it is usually that folder. */
static const char *beside(const char *libcuda, struct jw_arena *a)
{
    const char *real = NULL, *path;
    struct jw_err ignored;

    if (!jw_real_path(libcuda, a, &real, &ignored))
        return NULL;
    path = jw_path_join(a, jw_path_dir(a, real), JW_DRIVER_COMPILER_FILE);
    return jw_is_file(path) ? path : NULL;
}

const char *jw_compiler_fails(const struct jw_compiler_file *c, struct jw_arena *a)
{
    return jw_arena_printf(a, "the driver's compiler, %.200s, has changed since it last compiled, and fails",
                           c->path);
}

void jw_compiler_file_of(const char *libcuda, struct jw_arena *a, struct jw_compiler_file *out)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored;
    struct jw_library_head seen;

    *out = (struct jw_compiler_file){ .id = "" };
    if (jw_os_is_windows() || !libcuda)
        return;
    out->path = jw_loader_takes(JW_DRIVER_COMPILER_FILE, jw_env(a, "LD_LIBRARY_PATH"), a);
    out->path = out->path ? out->path : beside(libcuda, a);
    if (!out->path && jw_in_wsl("/", a))
        return;
    if (!out->path) {
        out->id = "missing";
        out->lacking = "the driver's compiler, " JW_DRIVER_COMPILER_FILE ", is missing";
        return;
    }
    seen = jw_library_look(out->path, false, a);
    if (seen.truncated)
        out->lacking = jw_arena_printf(a, "the driver's compiler, %.200s, %s", out->path, seen.truncated);
    if (seen.build && jw_file_stat(out->path, &info, &ignored))
        out->id = jw_arena_printf(a, "%s %llu bytes %lld", seen.build, (unsigned long long)info.size,
                                  (long long)info.mtime);
}
