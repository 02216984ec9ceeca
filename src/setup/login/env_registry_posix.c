#include "setup/login/env_registry.h"

const char *jw_env_registry_key(bool machine)
{
    (void)machine;
    return "";
}

bool jw_env_registry_get(bool machine, const char *name, struct jw_arena *a, struct jw_env_reg *out,
                         struct jw_err *err)
{
    (void)machine;
    (void)name;
    (void)a;
    *out = (struct jw_env_reg){ 0 };
    return jw_fail(err, JW_E_IO, "this system has no registry");
}
