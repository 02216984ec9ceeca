/* The place where the program of a log ran: its Python, and a command as it is typed there. */
#ifndef DOCTOR_LOG_LOG_PLACE_H
#define DOCTOR_LOG_LOG_PLACE_H

#include "base/arena.h"
#include "machine/shell.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the interpreter of the environment with the file that a line names:
 * "/home/ada/venv/lib/python3.10/site-packages/torch/x.py" is that of /home/ada/venv/bin/python3.10. If several
 * environments share such a folder, it is "python3.10" alone. False: the line names no such file.
 */
bool jw_log_python_of(const char *line, char *out, size_t size);

/*
 * A command of facts/tables/errors.csv, which are written for a POSIX shell, in this Python's environment
 * (`python` "": not known), and in the words of Windows or of the person's shell. `pip`: the command that
 * installs there; NULL: that Python's own. NULL: there is no such command there.
 */
const char *jw_log_command_there(struct jw_arena *a, const char *command, const char *python, const char *pip,
                                 bool windows, enum jw_shell shell);

#endif
