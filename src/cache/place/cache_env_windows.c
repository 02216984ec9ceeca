#include "cache/place/cache_env.h"

#include "os/machine/env.h"

#include <string.h>

/* %APPDATA% is the roaming profile. Only without it, the system is asked for the folder.
 * driver-fact: F62-default-place-windows */
const char *jw_cache_env_default(struct jw_arena *a, const char **why)
{
    static const char below[] = "\\NVIDIA\\ComputeCache";
    const char *folder = jw_env_config_user(a);

    *why = NULL;
    if (!folder) {
        *why = "APPDATA is not set: the driver's cache has no default folder";
        return NULL;
    }

    size_t n = strlen(folder);

    while (n && (folder[n - 1] == '\\' || folder[n - 1] == '/'))
        n--;

    char *path = jw_arena_alloc(a, n + sizeof below);

    memcpy(path, folder, n);
    memcpy(path + n, below, sizeof below);

    return path;
}
