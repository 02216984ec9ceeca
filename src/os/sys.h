/* System calls for the portable files of this room, and their errors for those of other rooms. */
#pragma once

#include "base/compiler.h"
#include "base/fault.h"
#include "jitwarm/err.h"

#include <stddef.h>
#include <stdint.h>

/* Sets `err` to the message of a system error (errno, GetLastError()). Returns false. */
bool jw_sys_fail(struct jw_err *err, long code);

/* Tells whether this error means that the file does not exist. */
bool jw_sys_is_not_found(long code);

/* The fault point at the start of each function: true if this call must fail. */
static inline bool jw_sys_fault(struct jw_err *err)
{
    return jw_fault_here() && !jw_fail(err, JW_E_IO, "injected failure");
}

/* In place of a position: the next bytes, of a pipe */
#define JW_SYS_NEXT UINT64_MAX

/* Both may do a part, `*done` bytes. Reading none means the end. */
bool jw_sys_read(intptr_t handle, uint64_t at, void *dst, size_t n, size_t *done,
                 struct jw_err *err) JW_MUST;
bool jw_sys_write(intptr_t handle, uint64_t at, const void *p, size_t n, size_t *done,
                  struct jw_err *err) JW_MUST;
/* Of a source: starts reading in the background. */
void jw_sys_prefetch(void *file, uint64_t at, uint64_t n);
bool jw_sys_close(intptr_t handle, struct jw_err *err) JW_MUST;
void jw_sys_remove(const char *path); /* if it can */
