#include "machine/shell.h"

#include "base/text.h"
#include "os/machine/env.h"

enum jw_shell jw_shell_here(struct jw_arena *a)
{
    const char *modules = jw_env(a, "PSModulePath");

    return !jw_os_is_windows()                                        ? JW_SHELL_SH
           : modules && jw_text_find_nocase(modules, "\\Documents\\") ? JW_SHELL_POWERSHELL
                                                                      : JW_SHELL_CMD;
}
