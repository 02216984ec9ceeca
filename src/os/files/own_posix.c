#include "os/files/own.h"
#include "os/sys.h"

#include <errno.h>
#include <sys/stat.h>

bool jw_own_file(const char *path, struct jw_err *err)
{
    if (jw_sys_fault(err))
        return false;
    return chmod(path, S_IRUSR | S_IWUSR) == 0 || errno == EPERM || errno == ENOTSUP
           || jw_sys_fail(err, errno);
}
