/* A library loaded at run time, which stays until the process ends. Its constructors run and can do
 * anything, so only worker processes load libraries of others. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <string.h>

struct jw_lib {
    void *handle;
};

/* A function of unknown type; cast it (or copy its bytes) to the right one before a call. */
typedef void (*jw_lib_fn)(void);

/* `name` is an absolute path, or a file name ("libcuda.so.1") in the system's library path (on
 * Windows only System32). The error has the loader's message. */
bool jw_lib_open(struct jw_lib *lib, const char *name, struct jw_err *err) JW_MUST;

jw_lib_fn jw_lib_symbol(const struct jw_lib *lib, const char *name); /* NULL: no such symbol */

/* An entry point, and its place in a table of pointers to functions. */
struct jw_lib_entry {
    const char *symbol;
    size_t at;
    enum { JW_LIB_MAY, JW_LIB_MUST } need;
};

/* Fills the table; a missing JW_LIB_MAY becomes NULL. Returns a missing JW_LIB_MUST, or NULL. */
static inline const char *jw_lib_bind(const struct jw_lib *lib, const struct jw_lib_entry *entries,
                                      size_t n, void *table)
{
    for (const struct jw_lib_entry *e = entries; e < entries + n; e++) {
        jw_lib_fn fn = jw_lib_symbol(lib, e->symbol);

        if (!fn && e->need == JW_LIB_MUST)
            return e->symbol;
        memcpy((char *)table + e->at, &fn, sizeof fn);
    }
    return NULL;
}

/* Appends the absolute path, without links, of the first library of this process for which `is`
 * returns true; of `lib` if there is none, or `is` is NULL. */
bool jw_lib_path(const struct jw_lib *lib, bool (*is)(const char *path), struct jw_buf *path,
                 struct jw_err *err) JW_MUST;
