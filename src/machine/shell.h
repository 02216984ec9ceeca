/* The shell of a person, into which commands are pasted, and how variables are set there. */
#ifndef MACHINE_SHELL_H
#define MACHINE_SHELL_H

#include "base/arena.h"

#include <stdbool.h>

enum jw_shell { JW_SHELL_SH, JW_SHELL_FISH, JW_SHELL_CSH, JW_SHELL_POWERSHELL, JW_SHELL_CMD };

/* The nearest shell above this process, else the one that $SHELL names. sudo may stand between. */
enum jw_shell jw_shell_here(struct jw_arena *a);

/* The command that sets a variable, or (value NULL) removes it. Windows: for cmd, whatever the shell. */
const char *jw_shell_set(struct jw_arena *a, bool windows, enum jw_shell shell, const char *name,
                         const char *value);

#define JW_SHELL_NEW_FOLDERS "/var/tmp/"

/* The same for a new folder of one's own below /var/tmp (Windows: of that name below %LOCALAPPDATA%), which the
 * command makes. */
const char *jw_shell_set_new_folder(struct jw_arena *a, bool windows, enum jw_shell shell, const char *name,
                                    const char *prefix);

/* Is this the folder of such a line? Then the variable is of the shell that it was typed in. */
bool jw_shell_is_new_folder(const char *path, const char *prefix);

/* Both commands, the second after the first. */
const char *jw_shell_then(struct jw_arena *a, bool windows, const char *first, const char *second);

#endif
