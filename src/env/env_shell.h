/*
 * Which variables do a shell's files set, in which line, and to what? Read, never run: of sh, bash, zsh, ksh, fish and csh the
 * commands that set and unset, wherever they stand; whether a condition around them holds is not known. Likewise the
 * Environment= lines of systemd's units. Text in, assignments out; no files.
 */
#ifndef ENV_ENV_SHELL_H
#define ENV_ENV_SHELL_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_env_assign {
    const char *name;
    const char *value; /* NULL: it is unset */
    unsigned line;     /* from 1 */
    bool
        exact; /* the value is what the shell makes of it; else there is a $, ` or glob in it, kept as written */
};

struct jw_env_assigns {
    struct jw_env_assign *v;
    size_t n;
};

/* Of the names that `wants` is true for. Text with a NUL in it is none of a shell's, and sets nothing. */
bool jw_env_shell_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                       struct jw_env_assigns *out, struct jw_err *err) JW_MUST;

/* Environment= and DefaultEnvironment= of a unit or of system.conf, UnsetEnvironment= too. */
bool jw_env_unit_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                      struct jw_env_assigns *out, struct jw_err *err) JW_MUST;

#endif
