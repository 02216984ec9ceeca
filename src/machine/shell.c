#include "machine/shell.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
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
    unsigned long parent = 0;
    bool refused;

    if (!jw_running_text(pid, "stat", &text, &refused) || !jw_procfs_parent(jw_buf_cstr(&text), &parent))
        parent = 0;
    jw_buf_free(&text);
    return parent;
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
    const char *usual = jw_env(a, "SHELL");
    unsigned long pid = jw_os_is_windows() ? 0 : parent_of(jw_process_id());

    for (size_t i = 0; pid > 1 && i < ABOVE; i++, pid = parent_of(pid))
        if (is_shell(pid, &shell))
            return shell;
    if (usual)
        (void)shell_of_name(jw_path_base(usual), &shell);
    return shell;
}

const char *jw_shell_set(struct jw_arena *a, bool windows, enum jw_shell shell, const char *name,
                         const char *value)
{
    const char *word = value ? JW_COMMAND(a, windows, value) : NULL;

    if (windows) {
        const char *set = JW_COMMAND(a, true, jw_arena_printf(a, "%s=%s", name, value ? value : ""));

        return jw_arena_printf(a, *set == '"' ? "set %s" : "set \"%s\"",
                               set); /* else a blank before & counts */
    }
    switch (shell) {
    case JW_SHELL_FISH:
        return value ? jw_arena_printf(a, "set -gx %s %s", name, word)
                     : jw_arena_printf(a, "set -e %s", name);
    case JW_SHELL_CSH:
        return value ? jw_arena_printf(a, "setenv %s %s", name, word)
                     : jw_arena_printf(a, "unsetenv %s", name);
    case JW_SHELL_POWERSHELL:
        return value ? jw_arena_printf(a, "$env:%s = %s", name,
                                       *word == '\'' ? word : jw_arena_printf(a, "'%s'", word))
                     : jw_arena_printf(a, "Remove-Item Env:%s", name);
    default:
        return value ? jw_arena_printf(a, "export %s=%s", name, word) : jw_arena_printf(a, "unset %s", name);
    }
}

bool jw_shell_is_new_folder(const char *path, const char *prefix)
{
    size_t n = strlen(prefix), begins = sizeof JW_SHELL_NEW_FOLDERS - 1;

    return strncmp(path, JW_SHELL_NEW_FOLDERS, begins) == 0 && strncmp(path + begins, prefix, n) == 0
           && path[begins + n] == '.';
}

const char *jw_shell_set_new_folder(struct jw_arena *a, bool windows, enum jw_shell shell, const char *name,
                                    const char *prefix)
{
    const char *make = jw_arena_printf(a, "mktemp -d " JW_SHELL_NEW_FOLDERS "%s.XXXXXXXX", prefix);

    if (windows)
        return jw_arena_printf(a, "set %s=%%LOCALAPPDATA%%\\%s", name, prefix);
    switch (shell) {
    case JW_SHELL_FISH: return jw_arena_printf(a, "set -gx %s (%s)", name, make);
    case JW_SHELL_CSH: return jw_arena_printf(a, "setenv %s \"`%s`\"", name, make);
    case JW_SHELL_POWERSHELL: return jw_arena_printf(a, "$env:%s = $(%s)", name, make);
    default: return jw_arena_printf(a, "export %s=\"$(%s)\"", name, make);
    }
}

const char *jw_shell_then(struct jw_arena *a, bool windows, const char *first, const char *second)
{
    return jw_arena_printf(a, "%s %s %s", first, windows ? "&" : "&&", second);
}
