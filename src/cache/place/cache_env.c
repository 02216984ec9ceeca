#include "cache/place/cache_env.h"

#include "base/path.h"
#include "facts/driver_settings.h"
#include "os/machine/env.h"

/* Linux: the driver reads HOME only, not the user database and no XDG. Windows: %APPDATA% is the
 * roaming profile; only without it the system is asked for the folder.
 * driver-fact: F61-default-place, F62-default-place-windows */
const char *jw_cache_env_default(struct jw_arena *a, const char **why)
{
    bool windows = jw_os_is_windows();
    const char *folder = windows ? jw_env_config_user(a) : jw_env(a, "HOME");

    *why = NULL;
    if (folder && *folder)
        return jw_path_join(a, folder, windows ? "NVIDIA/ComputeCache" : ".nv/ComputeCache");
    *why = windows ? "APPDATA is not set: the driver's cache has no default folder"
                   : "without HOME the driver has no folder for its cache, and compiles again in "
                     "every process";
    return NULL;
}

void jw_cache_env_find(const char *cache, struct jw_arena *a, struct jw_cache_env *out)
{
    const char *path = jw_cache_path_read(jw_env(a, jw_driver_variables[JW_VAR_CACHE_PATH]));
    const char *disable = jw_env(a, jw_driver_variables[JW_VAR_CACHE_DISABLE]);

    *out = (struct jw_cache_env){.folder = cache ? cache : path,
                                 .named = cache != NULL,
                                 .nameless = !cache && path && !*path,
                                 .max_size = jw_env(a, jw_driver_variables[JW_VAR_CACHE_MAXSIZE])};
    if (jw_switch_is_on(disable))
        out->disable = disable;
    if (!cache && !(path && *path))
        out->folder = jw_cache_env_default(a, &out->why_none);
}

/* Returns the variable of a pair that decides, where it is on; else NULL. */
static const char *switched_on(struct jw_arena *a, enum jw_driver_variable first,
                               const char *driver)
{
    enum jw_driver_variable decides = jw_env(a, jw_driver_variables[first]) ? first : first + 1;
    const char *name = jw_driver_variables[decides];

    return jw_variable_heeded(decides, driver) && jw_switch_is_on(jw_env(a, name)) ? name : NULL;
}

struct jw_child_edit jw_cache_env_edit(const char *folder)
{
    return (struct jw_child_edit){jw_driver_variables[JW_VAR_CACHE_PATH], folder};
}

const char *jw_cache_forced_by(struct jw_arena *a, const char *driver)
{
    return switched_on(a, JW_VAR_FORCE_PTX_JIT, driver);
}

const char *jw_cache_forbidden_by(struct jw_arena *a, const char *driver)
{
    return switched_on(a, JW_VAR_DISABLE_PTX_JIT, driver);
}
