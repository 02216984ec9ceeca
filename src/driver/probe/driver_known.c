#include "driver/probe/driver_known.h"

#include "base/path.h"
#include "base/text.h"
#include "driver/worker/identity.h"
#include "facts/libraries.h"
#include "machine/container.h"
#include "machine/loader.h"
#include "machine/paths.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

/* Windows: where a driver was met last. The file there is looked at again, as an update may have
 * replaced it. */
static const char *where_met(const struct jw_drivers *met)
{
    for (size_t i = 0; i < met->n; i++)
        if (met->v[i].library)
            return met->v[i].library;
    return NULL;
}

static const char *library_here(const char *named, const struct jw_drivers *met, struct jw_arena *a)
{
    if (!named && jw_os_is_windows())
        return where_met(met);
    named = named ? named : jw_env(a, "JITWARM_DRIVER");
    return named && *named
               ? named
               : jw_loader_takes(JW_LIBCUDA_FILE, jw_env(a, "LD_LIBRARY_PATH"), true, a);
}

void jw_driver_file_here(const char *named, const struct jw_drivers *met, struct jw_arena *a,
                         struct jw_driver_file *out)
{
    const char *library = library_here(named, met, a);
    struct jw_library_head seen;

    *out = (struct jw_driver_file){.found = jw_is_file(library), .library = library};
    if (library && !out->found && !jw_is_absent(library) && !jw_is_folder(library))
        out->truncated = jw_arena_printf(a, "%.200s is no file that this user can read", library);
    if (!out->found)
        return;
    if (!jw_real_path(library, a, &out->real, JW_IGNORED))
        out->real = library;
    seen = jw_library_look(library, a);
    if (seen.truncated && !jw_os_is_windows())
        out->truncated =
            jw_arena_printf(a, "the driver's library, %.200s, %s", out->real, seen.truncated);
    out->build = seen.build && *seen.build ? seen.build : NULL;
    out->known = jw_drivers_of_build(met, seen.build);
}

bool jw_driver_is_here(const struct jw_driver_state *build, struct jw_arena *a)
{
    if (!build->library)
        return false;
    return jw_text_same(jw_library_look(build->library, a).build, build->build);
}

/* The compiler in libcuda's own folder, which is what a libcuda with a search path of its own
 * usually names. */
static const char *beside(const char *libcuda, struct jw_arena *a)
{
    const char *real = NULL, *path;

    if (!jw_real_path(libcuda, a, &real, JW_IGNORED))
        return NULL;
    path = jw_path_join(a, jw_path_dir(a, real), JW_DRIVER_COMPILER_FILE);
    return jw_is_file(path) ? path : NULL;
}

void jw_compiler_file_of(const char *libcuda, struct jw_arena *a, struct jw_compiler_file *out)
{
    struct jw_file_info info = {0};
    struct jw_library_head seen;
    const char *root = jw_env(a, "JITWARM_SYSROOT");

    *out = (struct jw_compiler_file){.id = ""};
    if (jw_os_is_windows() || !libcuda)
        return;
    out->path = jw_loader_takes(JW_DRIVER_COMPILER_FILE, jw_env(a, "LD_LIBRARY_PATH"), false, a);
    out->path = out->path ? out->path : beside(libcuda, a);
    out->lacking = !out->path && !jw_in_wsl(root && *root ? root : "/", a);
    if (out->lacking)
        out->id = "missing";
    if (!out->path)
        return;
    seen = jw_library_look(out->path, a);
    out->lacking = seen.truncated;
    if (seen.build && jw_file_stat(out->path, &info, JW_IGNORED))
        out->id = jw_arena_printf(a, "%s %llu bytes %lld", seen.build,
                                  (unsigned long long)info.size, (long long)info.mtime);
}

const char *jw_driver_lacks_preload(struct jw_arena *a)
{
    static const char nvvm[] = "libnvidia-nvvm";
    const char *list = jw_env(a, "LD_LIBRARY_PATH");

    if (!jw_loader_takes(JW_DRIVER_COMPILER_FILE, list, false, a))
        return JW_DRIVER_COMPILER_FILE;
    for (const char *const *name = jw_driver_names; *name; name++)
        if (jw_text_starts(*name, nvvm) && jw_loader_takes(*name, list, false, a))
            return NULL;
    return nvvm;
}

bool jw_driver_lacks_compiler(const struct jw_driver_file *file,
                              const struct jw_compiler_file *compiler)
{
    return compiler->lacking && !(file->known && jw_text_same(file->known->compiler, compiler->id));
}
