/* Questions to the user at a terminal. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a line without its newline, cut to `size`. False: end of input, an error, or `*interrupted`
 * (may be NULL) was set meanwhile. */
bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted);

enum jw_secret_answer {
    JW_SECRET_GIVEN,
    JW_SECRET_NO_TERMINAL, /* no terminal */
    JW_SECRET_NONE         /* the terminal was closed, an error, or `*interrupted` was set */
};

/* Reads a line without echo, from the terminal of this process, even if its standard streams are
 * redirected. `*n` bytes without newline or NUL. For a line longer than `size`, `*n` is size + 1.
 * The caller wipes it (sodium_memzero). */
enum jw_secret_answer jw_ask_secret(const char *prompt, char *secret, size_t size, size_t *n,
                                    const atomic_bool *interrupted);
