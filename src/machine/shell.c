#include "machine/shell.h"

#include "base/text.h"
#include "os/machine/env.h"

enum jw_shell jw_shell_here(struct jw_arena *a)
{
    const char *modules = jw_env(a, "PSModulePath");

    if (!jw_os_is_windows())
        return JW_SHELL_SH;
    bool of_user = modules && jw_text_find_nocase(modules, "\\Documents\\");

    return of_user ? JW_SHELL_POWERSHELL : JW_SHELL_CMD;
}
