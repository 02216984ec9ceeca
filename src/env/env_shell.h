/*
 * Finds the variables that a shell's file sets, with line and value, without running it: commands of sh, bash, zsh,
 * ksh, fish and csh that set or unset, even inside conditions. Also Environment= lines of systemd units. Pure.
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
    const char *value; /* NULL: unset */
    unsigned line;     /* from 1 */
    bool exact;        /* false: the value contains $, ` or a glob, as written */
};

struct jw_env_assigns {
    struct jw_env_assign *v;
    size_t n;
};

/* Only names for which `wants` is true. Text with a NUL sets nothing. */
bool jw_env_shell_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                       struct jw_env_assigns *out, struct jw_err *err) JW_MUST;

/* Environment= and DefaultEnvironment= of a unit or of system.conf, UnsetEnvironment= too. */
bool jw_env_unit_read(struct jw_bytes text, bool (*wants)(const char *name), struct jw_arena *a,
                      struct jw_env_assigns *out, struct jw_err *err) JW_MUST;

#endif
