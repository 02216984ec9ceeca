#include "os/process/exec.h"

#include "os/machine/interrupt.h"
#include "os/process/command_windows.h"
#include "os/sys.h"

#include <stdio.h>

bool jw_exec(const char *const argv[], int *exit_code, struct jw_err *err)
{
    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    if (jw_interrupt_forget()) {
        *exit_code = JW_EXEC_INTERRUPTED;
        return jw_fail(err, JW_E_INTERRUPTED, "%s: interrupted before it was started", argv[0]);
    }
    return jw_command_run(argv, NULL, exit_code, err);
}
