#include "os/files/real.h"

#include <stdlib.h>

const char *jw_sys_real(const char *path, struct jw_arena *a)
{
    char *found = realpath(path, NULL);
    const char *real = found ? jw_arena_str(a, found) : NULL;

    free(found);
    return real;
}
