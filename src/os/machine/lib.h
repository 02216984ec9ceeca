/*
 * A library that is loaded while we run. Its constructors run, and may do anything: only a process that may
 * be lost opens one that is not ours.
 */
#ifndef OS_MACHINE_LIB_H
#define OS_MACHINE_LIB_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

struct jw_lib {
    void *handle;
};

/* A function of unknown type; cast it (or copy its bytes) to the right one before a call. */
typedef void (*jw_lib_fn)(void);

/*
 * `name` is a bare file name ("libcuda.so.1"), looked for where the system looks for libraries (on Windows in
 * System32 and nowhere else), or an absolute path. The sentence is the loader's own, which says what was
 * missing.
 */
bool jw_lib_open(struct jw_lib *lib, const char *name, struct jw_err *err) JW_MUST;

jw_lib_fn jw_lib_symbol(const struct jw_lib *lib, const char *name); /* NULL: it has none of this name */

/* Absolute path of the file that was loaded, links resolved, appended. */
bool jw_lib_path(const struct jw_lib *lib, struct jw_buf *path, struct jw_err *err) JW_MUST;

/* The path of the first library of this process that `is` one, appended; `*found` false: none. */
bool jw_lib_loaded(bool (*is)(const char *path), struct jw_buf *path, bool *found,
                   struct jw_err *err) JW_MUST;

void jw_lib_close(struct jw_lib *lib); /* accepts a zeroed one */

#endif
