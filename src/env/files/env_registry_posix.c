#include "env/files/env_registry.h"

const char *jw_env_registry_key(bool machine)
{
    (void)machine;
    return "";
}

static bool none(struct jw_err *err)
{
    return jw_fail(err, JW_E_IO, "this system has no registry");
}

bool jw_env_registry_get(bool machine, const char *name, struct jw_arena *a, struct jw_env_reg *out,
                         struct jw_err *err)
{
    (void)machine;
    (void)name;
    (void)a;
    *out = (struct jw_env_reg){ 0 };
    return none(err);
}

bool jw_env_registry_set(bool machine, const char *name, const char *value, struct jw_err *err)
{
    (void)machine;
    (void)name;
    (void)value;
    return none(err);
}

bool jw_env_registry_put_back(bool machine, const char *name, const struct jw_env_reg *was,
                              struct jw_err *err)
{
    (void)machine;
    (void)name;
    (void)was;
    return none(err);
}

void jw_env_registry_announce(void) {}
