#include "facts/driver_settings.h"

#include "base/num.h"
#include "base/text.h"
#include "facts/drivers.h"

#include <stdlib.h>
#include <string.h>

const char *const jw_driver_variables[] = {
    [JW_VAR_CACHE_PATH] = "CUDA_CACHE_PATH",
    [JW_VAR_CACHE_MAXSIZE] = "CUDA_CACHE_MAXSIZE",
    [JW_VAR_CACHE_DISABLE] = "CUDA_CACHE_DISABLE",
    [JW_VAR_FORCE_PTX_JIT] = "CUDA_FORCE_PTX_JIT",
    [JW_VAR_FORCE_JIT] = "CUDA_FORCE_JIT",
    [JW_VAR_DISABLE_PTX_JIT] = "CUDA_DISABLE_PTX_JIT",
    [JW_VAR_DISABLE_JIT] = "CUDA_DISABLE_JIT",
    [JW_VAR_VISIBLE_DEVICES] = "CUDA_VISIBLE_DEVICES",
    [JW_VAR_LIBRARY_PATH] = "LD_LIBRARY_PATH",
};
JW_ROW_FOR_EACH(jw_driver_variables, JW_ALL_VARIABLES, 9);

/* The first driver branch that reads it; 0, as where no row is: all do. */
static const unsigned first_branches[JW_DRIVER_VARIABLES] = {
    [JW_VAR_FORCE_JIT] = 525,
    [JW_VAR_DISABLE_PTX_JIT] = 460,
    [JW_VAR_DISABLE_JIT] = 525,
};

bool jw_variable_heeded(enum jw_driver_variable variable, const char *driver)
{
    return !jw_driver_is_before(driver, first_branches[variable]);
}

uint64_t jw_cache_default(const char *driver)
{
    unsigned branch = jw_branch_of(driver);

    if (!branch)
        return JW_CACHE_UNKNOWN;
    return branch < 525 ? JW_CACHE_DEFAULT_BEFORE : JW_CACHE_DEFAULT;
}

const char *jw_cache_path_read(const char *value)
{
    return value && strlen(value) < 1024 ? value : NULL;
}

bool jw_cache_path_check(const char *option, const char *value, struct jw_err *err)
{
    return !value || jw_cache_path_read(value)
           || jw_fail(err, JW_E_USAGE,
                      "%s: the driver ignores a path of more than 1,023 bytes; this one has %zu",
                      option, strlen(value));
}

bool jw_switch_is_on(const char *value) { return value && (uint32_t)strtoll(value, NULL, 10) == 1; }

bool jw_preload_is_on(const char *value)
{
    return value && (uint32_t)strtoll(value, NULL, 10) != 0;
}

uint64_t jw_cache_limit_read(const char *value, const char *driver)
{
    uint64_t number = value ? (uint64_t)strtoll(value, NULL, 10) : 0;

    if (value && !jw_driver_is_before(driver, JW_LIMIT_64_FIRST_BRANCH))
        return jw_min(number, JW_CACHE_HEEDED);
    return (uint32_t)number ? (uint32_t)number : jw_cache_default(driver);
}

bool jw_setting_same(enum jw_driver_variable variable, const char *a, const char *b,
                     const char *driver)
{
    if (variable == JW_VAR_CACHE_MAXSIZE)
        return jw_cache_limit_read(a, driver) == jw_cache_limit_read(b, driver);
    if (variable == JW_VAR_CACHE_PATH)
        return jw_text_same(jw_cache_path_read(a), jw_cache_path_read(b));
    if (variable >= JW_DRIVER_VARIABLES)
        return jw_text_same(a, b);
    return jw_switch_is_on(a) == jw_switch_is_on(b) || !jw_variable_heeded(variable, driver);
}

bool jw_loads_lazily(const char *driver, const char *loading)
{
    if (!jw_branch_of(driver) || jw_driver_is_before(driver, JW_LAZY_FIRST_BRANCH))
        return false;
    return !loading || !jw_text_equal_nocase(loading, "EAGER");
}

uint64_t jw_cache_room(uint64_t limit, uint64_t used)
{
    uint64_t most = limit - jw_spare(limit);

    return most - jw_min(most, used);
}
