/* Variables by the C library: on Windows in UTF-8, by the code page in jitwarm.manifest. */
#include "os/machine/env.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

const char *jw_env(struct jw_arena *a, const char *name)
{
    const char *value = getenv(name);

    return value ? jw_arena_str(a, value) : NULL;
}

char *jw_env_take(struct jw_arena *a, const char *name)
{
    char *value = getenv(name);
    char *out = value ? jw_arena_str(a, value) : NULL;

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
