#include "base/arena.h"
#include "os/machine/interrupt.h"
#include "os/process/exec.h"
#include "os/process/work_log.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool refuse_command(const char *name, int why, int *exit_code, struct jw_err *err)
{
    if (why == ENOENT && strchr(name, '/') && access(name, F_OK) == 0)
        return jw_fail(err, JW_E_IO, "%s: the program that is to run it is missing (its #! line, its loader)",
                       name);
    if (!jw_sys_is_not_found(why))
        return jw_sys_fail(err, why) || jw_wrap(err, "%s", name);
    *exit_code = JW_EXEC_NOT_FOUND;
    return jw_fail(err, JW_E_IO, "%s: not found", name);
}

bool jw_exec(const char *const argv[], const struct jw_child_edit *edits, size_t n, int *exit_code,
             struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char **environment = NULL;

    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    if (jw_interrupt_forget()) {
        *exit_code = JW_EXEC_INTERRUPTED;
        return jw_fail(err, JW_E_INTERRUPTED, "%s: interrupted before it was started", argv[0]);
    }
    if (!jw_child_environment(edits, n, false, &a, &environment, err)) {
        jw_arena_free(&a);
        return false;
    }
    jw_work_log();
    (void)execvpe(argv[0], (char *const *)argv, (char *const *)environment);
    int why = errno;

    jw_arena_free(&a);
    return refuse_command(argv[0], why, exit_code, err);
}
