#include "cache/place/cache_env.h"

#include "base/path.h"
#include "os/machine/env.h"

/* %APPDATA% is the roaming profile. Only without it, the system is asked for the folder.
 * driver-fact: F62-default-place-windows */
const char *jw_cache_env_default(struct jw_arena *a, const char **why)
{
    const char *folder = jw_env_config_user(a);

    *why = folder ? NULL : "APPDATA is not set: the driver's cache has no default folder";
    return folder ? jw_path_join(a, folder, "NVIDIA/ComputeCache") : NULL;
}
