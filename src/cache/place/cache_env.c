#include "cache/place/cache_env.h"

#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* "4G" and "4GiB": four times 2^30. 0: it has no unit. */
static uint64_t meant(const char *value)
{
    char unit[64];
    uint64_t n;
    size_t last = strlen(value);

    if (strspn(value, "0123456789") == last || last > sizeof unit - sizeof "iB")
        return 0;
    (void)snprintf(unit, sizeof unit, "%s%s", value, strchr("kKmMgG", value[last - 1]) ? "iB" : "");
    return jw_text_size(unit, &n) ? n : 0;
}

uint64_t jw_cache_env_least(const struct jw_cache_env *d)
{
    uint64_t wanted = d->max_size ? meant(d->max_size) : 0;

    return wanted > (d->usual ? d->usual : JW_CACHE_DEFAULT) ? wanted : d->usual;
}

void jw_cache_env_default_limit(struct jw_cache_env *d, const char *driver)
{
    d->usual = jw_cache_default(driver);
    d->limit = jw_cache_limit_read(d->max_size, driver);
}

void jw_cache_env_find(const char *cache, struct jw_arena *a, struct jw_cache_env *out)
{
    const char *path = jw_cache_path_read(jw_env(a, jw_driver_variables[JW_VAR_CACHE_PATH]));

    *out = (struct jw_cache_env){ .folder = cache ? cache : path,
                                  .named = cache != NULL,
                                  .nameless = !cache && path && !*path,
                                  .max_size = jw_env(a, jw_driver_variables[JW_VAR_CACHE_MAXSIZE]),
                                  .disable = jw_env(a, jw_driver_variables[JW_VAR_CACHE_DISABLE]) };
    if (!cache && !(path && *path))
        out->folder = jw_cache_env_default(a, &out->why_none);
    out->disabled = jw_switch_is_on(out->disable) || out->nameless;
    out->limit = jw_cache_limit_read(out->max_size, NULL);
}

/* Returns the variable of a pair that decides, where it is on; else NULL. */
static const char *switched_on(struct jw_arena *a, enum jw_driver_variable first, const char *driver)
{
    enum jw_driver_variable decides = jw_env(a, jw_driver_variables[first]) ? first : first + 1;
    const char *name = jw_driver_variables[decides];

    return jw_variable_heeded(decides, driver) && jw_switch_is_on(jw_env(a, name)) ? name : NULL;
}

void jw_cache_env_edits(const char *folder, struct jw_child_edit out[JW_CACHE_EDITS])
{
    out[0] = (struct jw_child_edit){ jw_driver_variables[JW_VAR_CACHE_PATH], folder };
    out[1] = (struct jw_child_edit){ jw_driver_variables[JW_VAR_CACHE_DISABLE], "0" };
}

const char *jw_cache_forced_by(struct jw_arena *a, const char *driver)
{
    return switched_on(a, JW_VAR_FORCE_PTX_JIT, driver);
}

const char *jw_cache_forbidden_by(struct jw_arena *a, const char *driver)
{
    return switched_on(a, JW_VAR_DISABLE_PTX_JIT, driver);
}
