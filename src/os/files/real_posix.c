#include "os/files/real.h"
#include "os/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

bool jw_sys_real(const char *path, struct jw_arena *a, const char **real, struct jw_err *err)
{
    char *found = realpath(path, NULL);

    *real = found ? jw_arena_str(a, found) : NULL;
    free(found);
    return found || errno != ENOMEM || jw_sys_fail(err, errno);
}

bool jw_is_circle(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 && errno == ELOOP;
}
