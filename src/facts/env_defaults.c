#include "facts/env_defaults.h"

#include "base/text.h"
#include "facts/drivers.h"
#include "facts/rows.h"

#include <stdlib.h>
#include <string.h>

const char *const jw_driver_variables[] = {
    "CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE",   "CUDA_CACHE_MAXSIZE", "CUDA_FORCE_PTX_JIT",
    "CUDA_FORCE_JIT",  "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT",
};

static uint64_t limit_of(const char *scope, const char *os)
{
    uint64_t value = 0;

    for (size_t i = 0; i < jw_facts_env_n && !value; i++) {
        const struct jw_env_row *r = &jw_facts_env[i];

        if (strcmp(jw_facts_pool + r->variable, "CUDA_CACHE_MAXSIZE") == 0
            && jw_text_starts(jw_facts_pool + r->scope, scope) && strcmp(jw_facts_pool + r->os, os) == 0)
            (void)jw_text_u64(jw_facts_pool + r->value, &value);
    }
    return value;
}

struct jw_cache_limits jw_cache_limits(void)
{
    return (struct jw_cache_limits){ .before = limit_of("default, CUDA 6.5..11.x", "all"),
                                     .since = limit_of("default, current guide", "desktop/server"),
                                     .max = limit_of("maximum", "all") };
}

/* The branch of a row, "default, driver branch 525"; 0: it is about something else. */
static uint64_t branch_of(const struct jw_env_row *r)
{
    static const char scope[] = "default, driver branch ";
    const char *text = jw_facts_pool + r->scope;
    uint64_t branch = 0;

    return strcmp(jw_facts_pool + r->variable, "CUDA_CACHE_MAXSIZE") == 0 && jw_text_starts(text, scope)
                   && jw_text_u64(text + sizeof scope - 1, &branch)
               ? branch
               : 0;
}

uint64_t jw_cache_default(const char *driver)
{
    struct jw_driver_version v;
    struct jw_err ignored = { 0 };
    uint64_t nearest = 0, value = jw_cache_limits().before;

    if (!driver || !jw_driver_parse(driver, &v, &ignored))
        return 0;
    for (size_t i = 0; i < jw_facts_env_n; i++) {
        uint64_t branch = branch_of(&jw_facts_env[i]);

        if (branch <= nearest || branch > v.branch)
            continue;
        nearest = branch;
        (void)jw_text_u64(jw_facts_pool + jw_facts_env[i].value, &value);
    }
    return value;
}

const char *jw_cache_path_read(const char *value)
{
    return value && strlen(value) < 1024 ? value : NULL;
}

bool jw_switch_is_on(const char *value)
{
    return value && (uint32_t)strtoll(value, NULL, 10) == 1;
}

uint64_t jw_cache_bytes_for(uint64_t ptx_bytes)
{
    enum { SMALL_CHANGE = 3 << 10 };

    return 2 * ptx_bytes + SMALL_CHANGE;
}

static uint64_t number_at(const char *value, uint64_t max)
{
    uint64_t n = 0;
    bool minus;

    while (*value == ' ' || (*value >= '\t' && *value <= '\r'))
        value++;
    minus = *value == '-';
    value += minus || *value == '+';
    for (; *value >= '0' && *value <= '9'; value++) {
        if (n > max)
            return max;
        n = n * 10 + (uint64_t)(*value - '0');
    }
    return (minus && n) || n > max ? max : n;
}

uint64_t jw_cache_limit_read(const char *value, const char *driver)
{
    if (value && !jw_driver_limit_32(driver))
        return number_at(value, jw_cache_limits().max);

    uint32_t low = value ? (uint32_t)number_at(value, UINT64_MAX) : 0;

    return low ? low : jw_cache_default(driver);
}
