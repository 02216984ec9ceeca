/* The other end of os/process/child.h: what a process that was started so has of its parent. */
#ifndef OS_PROCESS_PARENT_H
#define OS_PROCESS_PARENT_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_parent {
    intptr_t in, out;
};

/* From the two last arguments. False: they name no pipes, and nobody of ours started this program. */
bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err) JW_MUST;

/* Exactly `n` bytes. `*gone` and true: there are none, and none will come. */
bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err) JW_MUST;
bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err) JW_MUST;

#endif
