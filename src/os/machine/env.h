/* What this process was told about its surroundings, in UTF-8. */
#ifndef OS_MACHINE_ENV_H
#define OS_MACHINE_ENV_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdio.h>

/* A variable's value in `a`, or NULL when it is unset or memory is out. */
const char *jw_env(struct jw_arena *a, const char *name);

/* The same for a secret: it is gone from the environment afterwards, so that no child inherits it, and wiped where it was. */
char *jw_env_take(struct jw_arena *a, const char *name);

bool jw_env_has(const char *name); /* is it set? Tells the two NULLs apart, and allocates nothing */

/* The whole environment as "NAME=value" texts in `a`, in the system's order. */
bool jw_env_all(struct jw_arena *a, const char *const **all, size_t *n, struct jw_err *err) JW_MUST;

/* Home, configuration and state folders as the system defines them; NULL when the system does not say. POSIX: root in another
 * user's home has its own, but for the home. */
const char *jw_env_home(struct jw_arena *a);
const char *jw_env_config_user(struct jw_arena *a);   /* $XDG_CONFIG_HOME or ~/.config; %APPDATA% */
const char *jw_env_state_user(struct jw_arena *a);    /* $XDG_STATE_HOME or ~/.local/state; %LOCALAPPDATA% */
const char *jw_env_data_user(struct jw_arena *a);     /* $XDG_DATA_HOME or ~/.local/share; %LOCALAPPDATA% */
const char *jw_env_config_system(struct jw_arena *a); /* /etc; %ProgramData% */

/* Is this stream a terminal, and how many columns has it (80 when unknown)? */
bool jw_term_is(FILE *stream);
unsigned jw_term_columns(FILE *stream);
bool jw_term_colors(FILE *stream); /* one that shows ANSI colours; switches the Windows console to them */

/*
 * Call once, first in main. argv as UTF-8 (on Windows from the wide command line, so that a plain main will
 * do), UTF-8 and untranslated line ends on standard output, and no standard stream left closed.
 */
bool jw_env_args(int *argc, char ***argv, struct jw_arena *a, struct jw_err *err);

unsigned jw_cpu_count(void); /* that this process may use; at least 1 */

char jw_path_list_separator(void);
bool jw_os_is_windows(void);

/* As packs name this system, and the machine code of this program. */
static inline const char *jw_os_name(void)
{
    return jw_os_is_windows() ? "windows" : "linux";
}

static inline const char *jw_os_arch(void)
{
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

#endif
