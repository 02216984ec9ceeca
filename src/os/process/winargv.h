/*
 * One command line out of many arguments, so that CommandLineToArgvW and the C runtimes take it apart into
 * the same ones. In an argument backslashes count only before a quote: 2n+1 of them and a quote mean n and
 * the quote itself. In the program's name, the first, they never count, and a quote cannot be said at all.
 */
#ifndef OS_PROCESS_WINARGV_H
#define OS_PROCESS_WINARGV_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* Appends the line for `argv`, NULL at its end; its length in UTF-16 units is at most 32,766. */
bool jw_winargv_line(struct jw_buf *line, const char *const argv[], struct jw_err *err) JW_MUST;

#endif
