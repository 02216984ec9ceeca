#include "cause/remedy.h"

#include "base/command.h"
#include "cause/quote.h"

static bool of_windows(enum jw_shell shell)
{
    return shell == JW_SHELL_CMD || shell == JW_SHELL_POWERSHELL;
}

/* Returns NULL where the shell cannot hold the value. */
static const char *set(const struct jw_remedy *r, enum jw_shell shell, struct jw_arena *a)
{
    struct jw_buf line = JW_LINE(a);

    return jw_env_put(shell, r->what, r->value, &line, JW_IGNORED)
               ? jw_arena_printf(a, "%.*s", (int)line.n - 1, jw_buf_cstr(&line))
               : NULL;
}

static const char *run(const struct jw_remedy *r, enum jw_shell shell, bool whole,
                       struct jw_arena *a)
{
    const char *line = jw_command_text(a, r->words, of_windows(shell));
    const char *and = shell == JW_SHELL_POWERSHELL ? ";" : " &&"; /* PowerShell 5 has no && */

    if (r->more && *r->more)
        line = jw_arena_printf(
            a, "%s %s", line,
            (whole ? jw_command_text : jw_command_shown)(a, r->more, of_windows(shell)));
    for (const char *const *const *then = r->then; then && *then; then++)
        line = jw_arena_printf(a, "%s%s %s %s", line, and,
                               jw_command_text(a, r->words, of_windows(shell)),
                               jw_command_text(a, *then, of_windows(shell)));
    if (r->folder)
        line = jw_arena_printf(a, "%s%s %s",
                               shell == JW_SHELL_CMD
                                   ? JW_COMMAND(a, true, "cd", "/d", r->folder)
                                   : JW_COMMAND(a, of_windows(shell), "cd", r->folder),
                               and, line);

    /* Windows has no sudo: a person opens the administrator's console */
    return r->where == JW_REMEDY_ADMIN && !of_windows(shell) ? jw_arena_printf(a, "sudo %s", line)
                                                             : line;
}

const char *jw_remedy_line(const struct jw_remedy *r, enum jw_shell shell, bool whole,
                           struct jw_arena *a)
{
    switch (r->kind) {
    case JW_REMEDY_SET: return set(r, shell, a);
    case JW_REMEDY_RUN: return run(r, shell, whole, a);
    case JW_REMEDY_PASTE:
    case JW_REMEDY_SAY: return r->what;
    case JW_REMEDY_NOTHING: break;
    }
    return NULL;
}
