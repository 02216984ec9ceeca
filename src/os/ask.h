/* A person at a terminal. */
#ifndef OS_ASK_H
#define OS_ASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Waits for a line, and gives it without its end, cut to `size`. False: there is none (end of input, an error), or
 * `*interrupted` (NULL: never) was set while we waited. */
bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted);

#endif
