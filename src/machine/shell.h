/* The shell of a person, into which commands are pasted. */
#ifndef MACHINE_SHELL_H
#define MACHINE_SHELL_H

#include "base/arena.h"

enum jw_shell { JW_SHELL_SH, JW_SHELL_POWERSHELL, JW_SHELL_CMD };

/* A POSIX shell. Windows: PowerShell if the user's modules are among its folders, which PowerShell adds
 * for its children; else cmd. */
enum jw_shell jw_shell_here(struct jw_arena *a);

#endif
