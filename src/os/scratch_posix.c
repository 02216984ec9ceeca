#include "os/scratch.h"
#include "os/sys.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

bool jw_sys_mkdir_private(const char *path, bool *taken, struct jw_err *err)
{
    *taken = false;
    if (jw_sys_fault(err))
        return false;
    if (mkdir(path, 0700) == 0)
        return true;
    *taken = errno == EEXIST;
    return *taken || jw_sys_fail(err, errno);
}

void jw_sys_rmdir(const char *path)
{
    (void)rmdir(path);
}

/* A process of somebody else's is alive, too (EPERM). */
bool jw_sys_process_alive(unsigned long pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}
