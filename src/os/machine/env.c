/* Variables by the C library: on Windows it has them in UTF-8, by the code page in jitwarm.manifest. */
#include "os/machine/env.h"

#include "base/limits.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

const char *jw_env(struct jw_arena *a, const char *name)
{
    const char *value = getenv(name);

    return value ? jw_arena_str(a, value) : NULL;
}

char *jw_env_take(struct jw_arena *a, const char *name)
{
    char *value = getenv(name), *out = value ? jw_arena_str(a, value) : NULL;

    if (out) {
        sodium_memzero(value, strlen(value));
#ifdef _WIN32
        (void)_putenv_s(name, "");
#else
        (void)unsetenv(name);
#endif
    }
    return out;
}

bool jw_env_all(struct jw_arena *a, const char *const **all, size_t *n, struct jw_err *err)
{
    const char **list;
    size_t max = 0;

    *n = 0;
    while (environ && environ[max])
        max++;
    if (max > JW_MAX_VARIABLES)
        return jw_fail(err, JW_E_LIMIT, "more than %zu environment variables", JW_MAX_VARIABLES);
    list = jw_arena_alloc(a, (max + 1) * sizeof *list);
    for (size_t i = 0; i < max; i++)
        list[i] = jw_arena_str(a, environ[i]);
    *n = max;
    *all = list;
    return true;
}
