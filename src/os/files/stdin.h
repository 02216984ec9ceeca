/* Standard input as bytes, in order. */
#ifndef OS_FILES_STDIN_H
#define OS_FILES_STDIN_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Up to `n` bytes, as soon as there are any; `*got` 0: it has ended. JW_E_INTERRUPTED: `*interrupted` (NULL: never) was
 * set while we waited. */
bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted,
                   struct jw_err *err) JW_MUST;

#endif
