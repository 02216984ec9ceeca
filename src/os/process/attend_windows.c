#include "os/process/attend.h"

#include "base/mem.h"
#include "os/process/birth_windows.h"
#include "os/process/command_windows.h"
#include "os/process/exec.h"
#include "os/sys.h"

#include <stdio.h>

bool jw_attend(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits, int *exit_code,
               struct jw_err *err)
{
    wchar_t *environment = NULL;

    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);

    bool ok = jw_birth_environment(edits, n_edits, false, &environment, err)
              && jw_command_run(argv, environment, exit_code, err);

    jw_free(environment);
    return ok;
}
