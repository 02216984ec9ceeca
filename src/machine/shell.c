#include "machine/shell.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "os/machine/procfs.h"
#include "os/process/process.h"
#include "os/process/running.h"

#include <stdio.h>
#include <string.h>

static bool shell_of_name(const char *name, enum jw_shell *out)
{
    static const struct {
        const char *name;
        enum jw_shell shell;
    } shells[] = { { "bash", JW_SHELL_SH },  { "zsh", JW_SHELL_SH },  { "dash", JW_SHELL_SH },
                   { "ksh", JW_SHELL_SH },   { "sh", JW_SHELL_SH },   { "fish", JW_SHELL_FISH },
                   { "tcsh", JW_SHELL_CSH }, { "csh", JW_SHELL_CSH }, { "pwsh", JW_SHELL_POWERSHELL } };

    for (size_t i = 0; i < JW_COUNT(shells); i++)
        if (strcmp(name, shells[i].name) == 0) {
            *out = shells[i].shell;
            return true;
        }
    return false;
}

/* 0: not known. */
static unsigned long parent_of(unsigned long pid)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_procfs_stat stat;
    bool refused,
        known = jw_running_text(pid, "stat", &text, &refused) && jw_procfs_stat(jw_buf_cstr(&text), &stat);

    jw_buf_free(&text);
    return known ? stat.parent : 0;
}

static bool is_shell(unsigned long pid, enum jw_shell *out)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool refused, yes = jw_running_text(pid, "comm", &text, &refused);
    char name[32] = "";

    if (yes)
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(jw_buf_cstr(&text), "\n"), jw_buf_cstr(&text));
    jw_buf_free(&text);
    return shell_of_name(name, out);
}

enum jw_shell jw_shell_here(struct jw_arena *a)
{
    enum { ABOVE = 4 };
    enum jw_shell shell = JW_SHELL_SH;
    const char *usual = jw_env(a, "SHELL"), *modules = jw_env(a, "PSModulePath");
    unsigned long pid = jw_os_is_windows() ? 0 : parent_of(jw_process_id());

    if (jw_os_is_windows())
        return modules && jw_text_find_nocase(modules, "\\Documents\\") ? JW_SHELL_POWERSHELL : JW_SHELL_CMD;
    for (size_t i = 0; pid > 1 && i < ABOVE; i++, pid = parent_of(pid))
        if (is_shell(pid, &shell))
            return shell;
    if (usual)
        (void)shell_of_name(jw_path_base(usual), &shell);
    return shell;
}
