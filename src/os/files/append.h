/*
 * An append-only file of jitwarm, mode 0600. It has one writer at a time: the caller holds a lock elsewhere. Other
 * processes can read it meanwhile. Errors do not name the file; they carry `err->os`.
 */
#ifndef OS_FILES_APPEND_H
#define OS_FILES_APPEND_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_append {
    intptr_t handle; /* JW_APPEND_CLOSED when not open; os/files/file.h takes it */
    uint64_t size;
    bool torn; /* a failed write left bytes after `size`; the next write removes them first */
};

#define JW_APPEND_CLOSED ((struct jw_append){ .handle = -1 })

/* Creates a missing file. */
bool jw_append_open(struct jw_append *f, const char *path, struct jw_err *err) JW_MUST;

/* Appends all `n` bytes. A failed write leaves the file as it was. */
bool jw_append_write(struct jw_append *f, const void *p, size_t n, struct jw_err *err) JW_MUST;

/* truncates it to `size` */
bool jw_append_truncate(struct jw_append *f, uint64_t size, struct jw_err *err) JW_MUST;

void jw_append_close(struct jw_append *f); /* accepts a closed one */

/* One for each system. */
bool jw_sys_append_open(const char *path, intptr_t *handle, uint64_t *size, struct jw_err *err) JW_MUST;

#endif
