/* Which cache a running process uses, by its environment as the driver reads it. */
#include "driver/witness/witness.h"

#include "base/limits.h"
#include "base/path.h"
#include "driver/witness/variables.h"
#include "facts/driver_settings.h"
#include "os/process/running.h"

#include <string.h>

enum { HOME = JW_DRIVER_VARIABLES, PRELOAD, VARIABLES };

/* A relative path is below the working folder of the process. driver-fact: F63-path-is-root,
 * F99-empty-path */
static const char *cache_of(unsigned long pid, const char *path, const char *home,
                            struct jw_arena *a)
{
    struct jw_buf folder = JW_BUF_IN(a, JW_MAX_PATH);

    if (path && (!*path || jw_path_absolute(path)))
        return *path ? path : NULL;
    if (!path)
        return home && jw_path_absolute(home) ? jw_path_join(a, home, ".nv/ComputeCache") : NULL;
    return jw_running_link(pid, "cwd", &folder) ? jw_path_join(a, jw_buf_cstr(&folder), path)
                                                : NULL;
}

/* The setting, if the limit is so small that entries of usual size are never kept; else NULL. */
static const char *small_limit(const char *limit, struct jw_arena *a)
{
    return limit && jw_cache_limit_read(limit, NULL) < JW_CACHE_SMALLEST
               ? jw_arena_printf(a, "CUDA_CACHE_MAXSIZE=%.40s", limit)
               : NULL;
}

bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_witness_process *out)
{
    static const char library[] = "/libcuda.so."; /* NVIDIA puts the version behind this */
    struct jw_variable v[VARIABLES] = {
        [HOME] = {.name = "HOME"}, [PRELOAD] = {.name = JW_PRELOAD_VARIABLE}};
    const char *path, *limit, *name = strstr(maps, library);
    const char *version = name ? name + sizeof library - 1 : "";
    const char *driver = jw_arena_text(a, version, strcspn(version, "\n"));

    for (unsigned i = 0; i < JW_DRIVER_VARIABLES; i++)
        v[i].name = jw_driver_variables[i];
    if (!jw_variables_now(pid, maps, a, v, VARIABLES))
        return false;
    path = jw_cache_path_read(v[JW_VAR_CACHE_PATH].value);
    limit = v[JW_VAR_CACHE_MAXSIZE].value;
    out->cache = cache_of(pid, path, v[HOME].value, a);
    if (jw_switch_is_on(v[JW_VAR_CACHE_DISABLE].value))
        out->no_cache =
            jw_arena_printf(a, "CUDA_CACHE_DISABLE=%.40s", v[JW_VAR_CACHE_DISABLE].value);
    else if (path && !*path)
        out->no_cache = "CUDA_CACHE_PATH=";
    else
        out->no_cache = small_limit(limit, a);
    if (v[PRELOAD].value)
        out->preload = jw_preload_is_on(v[PRELOAD].value) ? JW_PRELOAD_ON : JW_PRELOAD_OFF;
    enum jw_driver_variable i =
        v[JW_VAR_FORCE_PTX_JIT].value ? JW_VAR_FORCE_PTX_JIT : JW_VAR_FORCE_JIT;

    if (jw_switch_is_on(v[i].value) && jw_variable_heeded(i, driver))
        out->forced = jw_arena_printf(a, "%s=%.40s", v[i].name, v[i].value);
    return true;
}
