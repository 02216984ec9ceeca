#include "os/files/real.h"
#include "os/sys.h"

#include <errno.h>
#include <stdlib.h>

bool jw_sys_real(const char *path, struct jw_arena *a, const char **real, struct jw_err *err)
{
    char *found = realpath(path, NULL);

    *real = found ? jw_arena_str(a, found) : NULL;
    free(found);
    return found || errno != ENOMEM || jw_sys_fail(err, errno);
}
