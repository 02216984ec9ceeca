/* Commands that a person may paste, made word by word from an argv: names of files, processes,
 * packages and settings come from others, and one that holds $(...) must reach the program as it
 * is, and run nothing. Pure.
 *
 * POSIX: sh, bash, dash, zsh and fish read the same words, bare or in single quotes. Windows: cmd
 * and PowerShell read the same words, bare or in double quotes, which cannot hold %, $, `, and
 * double quotes. What no quotes hold or no terminal shows (a line break, a control, invisible or
 * bidirectional character, no UTF-8) becomes ?: the command then finds nothing. */
#pragma once

#include "base/arena.h"

bool jw_command_is_plain(const char *word, bool windows); /* no shell needs quotes for it */

/* The words of `argv` (NULL ends them), with blanks between. If that is longer than JW_MAX_COMMAND
 * bytes, the first word and "...", which is no command: half a command would be another one. */
const char *jw_command_text(struct jw_arena *a, const char *const *argv, bool windows);

/* Text to read, not to paste: as many words as a screen holds, and how many more there are. */
const char *jw_command_shown(struct jw_arena *a, const char *const *argv, bool windows);

#define JW_COMMAND(arena, windows, ...)                                                            \
    jw_command_text(arena, (const char *const[]){__VA_ARGS__, NULL}, windows)
