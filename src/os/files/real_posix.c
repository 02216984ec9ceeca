#include "base/mem.h"
#include "os/files/real.h"
#include "os/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

bool jw_sys_real(const char *path, char **real, bool *there, struct jw_err *err)
{
    char *found = realpath(path, NULL);

    *there = found != NULL;
    if (!found)
        return errno != ENOMEM || jw_sys_fail(err, errno);
    *real = jw_strdup(found);
    free(found);
    return true;
}

bool jw_is_circle(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 && errno == ELOOP;
}
