/* The line of a start file with which a login's shell ended, or at which it waits. */
#ifndef SETUP_LOGIN_START_LINE_H
#define SETUP_LOGIN_START_LINE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_start_line {
    const char *file; /* NULL: not known */
    unsigned number;
    /* it is a file of the user's own, and `return` in place of the one `exit` there ends no shell */
    bool returns;
    const char *shell; /* shows its commands with -x; NULL: it cannot */
};

/* Looks for the command (`last`, as sh -x shows it; one that was cut ends with "...") in these files, as far as this
 * shell reads them. A command that occurs in more than one line is not found. */
void jw_start_line_find(const char *const *files, size_t n, const char *shell, const char *home,
                        const char *last, struct jw_arena *a, struct jw_start_line *out);

/* True if the file has a command `return` outside of functions. Lines that are added at its end may then not
 * be read. */
bool jw_start_file_returns(const char *file, struct jw_arena *a);

#endif
