#include "machine/shell.h"

#include "base/compiler.h"
#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <string.h>

enum jw_shell jw_shell_here(struct jw_arena *a)
{
    static const struct {
        const char *name;
        enum jw_shell shell;
    } others[] = { { "fish", JW_SHELL_FISH },
                   { "tcsh", JW_SHELL_CSH },
                   { "csh", JW_SHELL_CSH },
                   { "pwsh", JW_SHELL_POWERSHELL } };
    const char *usual = jw_env(a, "SHELL"), *modules = jw_env(a, "PSModulePath");

    if (jw_os_is_windows())
        return modules && jw_text_find_nocase(modules, "\\Documents\\") ? JW_SHELL_POWERSHELL : JW_SHELL_CMD;
    for (size_t i = 0; usual && i < JW_COUNT(others); i++)
        if (strcmp(jw_path_base(usual), others[i].name) == 0)
            return others[i].shell;
    return JW_SHELL_SH;
}
