/*
 * A file of our own that grows at its end, mode 0600. There is one writer: whoever opens it holds a lock elsewhere.
 * Others may read it meanwhile. Errors do not name the file; they carry `err->os`.
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
    bool torn; /* behind `size` lies what a failed write left; the next one takes it away first */
};

#define JW_APPEND_CLOSED ((struct jw_append){ .handle = -1 })

/* Made when it is missing, empty then. */
bool jw_append_open(struct jw_append *f, const char *path, struct jw_err *err) JW_MUST;

/* All `n` bytes at the end, in one write if the system takes them so. One that fails leaves the file as it was. */
bool jw_append_write(struct jw_append *f, const void *p, size_t n, struct jw_err *err) JW_MUST;

bool jw_append_cut(struct jw_append *f, uint64_t size,
                   struct jw_err *err) JW_MUST; /* what lies behind goes */
bool jw_append_sync(struct jw_append *f, struct jw_err *err) JW_MUST;
void jw_append_close(struct jw_append *f); /* accepts a closed one */

/*
 * Closes it and gives it the name `to`, over what has that name; it is called `from` until then, in the same folder.
 * `lasting`: whatever happens to the machine, the name holds the old bytes or all of the new.
 */
bool jw_append_become(struct jw_append *f, const char *from, const char *to, bool lasting,
                      struct jw_err *err) JW_MUST;

bool jw_append_remove(const char *path, struct jw_err *err) JW_MUST; /* true when it is not there */

/* ---- a level below: one file per system ---- */

bool jw_sys_append_open(const char *path, intptr_t *handle, uint64_t *size, struct jw_err *err) JW_MUST;
bool jw_sys_append_write(intptr_t handle, const void *p, size_t n, struct jw_err *err) JW_MUST;
bool jw_sys_append_cut(intptr_t handle, uint64_t size, struct jw_err *err) JW_MUST;
bool jw_sys_append_sync(intptr_t handle, struct jw_err *err) JW_MUST;
bool jw_sys_append_remove(const char *path, struct jw_err *err) JW_MUST;

#endif
