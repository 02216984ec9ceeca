#include "cache/place/cache_env.h"

#include "base/path.h"
#include "os/machine/env.h"

/* The driver reads HOME only: not the user database, not XDG.
 * driver-fact: F61-default-place */
const char *jw_cache_env_default(struct jw_arena *a, const char **why)
{
    const char *home = jw_env(a, "HOME");
    bool set = home && *home;

    *why = set ? NULL
               : "without HOME the driver has no folder for its cache, and compiles again in every "
                 "process";
    return set ? jw_path_join(a, home, ".nv/ComputeCache") : NULL;
}
