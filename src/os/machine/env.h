/* The environment of this process: variables, folders, terminal, arguments. UTF-8. */
#pragma once

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdio.h>

/* A variable's value in `a`; NULL: unset. */
const char *jw_env(struct jw_arena *a, const char *name);

/* A variable with a secret: the value in `a`. Wipes it from the environment. */
char *jw_env_take(struct jw_arena *a, const char *name);

/* Home, configuration, state and data folder of this user; NULL: unknown. POSIX: if HOME is another
 * user's, root gets its own folders for all but the home. */
const char *jw_env_home(struct jw_arena *a);
const char *jw_env_config_user(struct jw_arena *a); /* $XDG_CONFIG_HOME or ~/.config; %APPDATA% */
/* $XDG_STATE_HOME or ~/.local/state; %LOCALAPPDATA% */
const char *jw_env_state_user(struct jw_arena *a);
/* $XDG_DATA_HOME or ~/.local/share; %LOCALAPPDATA% */
const char *jw_env_data_user(struct jw_arena *a);
const char *jw_env_config_system(struct jw_arena *a); /* /etc; %ProgramData% */

/* Tells whether the stream is a terminal; its columns (80 if unknown). */
bool jw_term_is(FILE *stream);
unsigned jw_term_columns(FILE *stream);
/* whether it shows ANSI colours; switches a Windows console to them */
bool jw_term_colors(FILE *stream);

/* Prepares this process; main calls it first. Linux: opens standard streams that are closed, and no
 * longer ignores SIGCHLD, so that the ends of children are known; fails if HOME is too long, or the
 * umask closes new files to this user. Windows: sets the console to UTF-8 without translated line
 * ends; fails if the system cannot give arguments and variables in UTF-8. */
bool jw_env_begin(struct jw_err *err);

unsigned jw_cpu_count(void); /* CPUs that this process may use; at least 1 */

bool jw_os_is_windows(void);

/* Names of this system and architecture in packs. */
static inline const char *jw_os_name(void) { return jw_os_is_windows() ? "windows" : "linux"; }

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
