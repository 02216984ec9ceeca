/* Joins arguments into a Windows command line that CommandLineToArgvW and the C runtimes split into
 * the same arguments. In an argument, backslashes are special only before a quote: 2n+1 of them and
 * a quote mean n backslashes and a quote. In argv[0] they are never special, and it cannot contain
 * a quote. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

/* Appends the line for `argv` (NULL at the end). The system takes 32,766 UTF-16 units. */
bool jw_winargv_line(struct jw_buf *line, const char *const argv[], struct jw_err *err) JW_MUST;
