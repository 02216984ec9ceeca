/* A person at a terminal. */
#ifndef OS_MACHINE_ASK_H
#define OS_MACHINE_ASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Waits for a line, and gives it without its end, cut to `size`. False: there is none (end of input, an error), or
 * `*interrupted` (NULL: never) was set while we waited. */
bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted);

enum jw_secret_answer {
    JW_SECRET_GIVEN,
    JW_SECRET_NO_TERMINAL, /* there is nobody to ask */
    JW_SECRET_NONE         /* the terminal was closed, an error, or `*interrupted` was set */
};

/*
 * A line that is not shown while it is typed, asked on the terminal of this process whatever its standard streams are.
 * Without its end and with no NUL behind it: `*n` bytes. One that is longer than `size` is refused as a whole (*n is
 * size + 1). Wipe it (base/secret.h).
 */
enum jw_secret_answer jw_ask_secret(const char *prompt, char *secret, size_t size, size_t *n,
                                    const atomic_bool *interrupted);

#endif
