/* The shell into which a person pastes commands, and files that are read alike. */
#pragma once

#include "base/arena.h"

enum jw_shell {
    JW_SHELL_SH,         /* export NAME='value' */
    JW_SHELL_POWERSHELL, /* $env:NAME = 'value' */
    JW_SHELL_CMD,        /* set "NAME=value" */
    JW_ENVIRONMENT_D, /* NAME="value" of systemd's environment.d: login shells can read it, too */
    JW_SHELLS
};

/* A POSIX shell. Windows: PowerShell if the user's modules are among its folders, which PowerShell
 * adds for its children; else cmd. */
enum jw_shell jw_shell_here(struct jw_arena *a);
