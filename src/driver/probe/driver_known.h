/* The driver build that programs load here, and the library with which it compiles PTX, as files show them: nothing is loaded. */
#ifndef DRIVER_PROBE_DRIVER_KNOWN_H
#define DRIVER_PROBE_DRIVER_KNOWN_H

#include "base/arena.h"
#include "memory/drivers.h"

struct jw_driver_file {
    /* a library is where the loader would take one (Windows: where one was met last); also one that was never probed */
    bool found;
    const char *library;
    const char *real; /* the same without links, where one is found */
    /* why no program can load it, as far as its headers show, or find it: a clause that names it; NULL: nothing is seen */
    const char *truncated;
    const char *build;                   /* of that library; NULL: it has none that is seen */
    const struct jw_driver_state *known; /* the record of its build; NULL: none */
};

/* The library that a program started here would load, or the one that is `named`; NULL: none is. `met`:
 * jw_drivers_load. */
void jw_driver_file_here(const char *named, const struct jw_drivers *met, struct jw_arena *a,
                         struct jw_driver_file *out);

struct jw_compiler_file {
    const char *path; /* NULL: none is found, or it is not known where one would be (Windows, WSL) */
    /* tells it from another one by build id, size and time: one that was written to may be damaged; "missing"; "": not
     * known */
    const char *id;
    bool lacking; /* nothing can be compiled with it, as far as files show, or the probe did */
};

/* The compiler that this libcuda loads when it compiles: the first on the loader's path, else one that lies beside it.
 * driver-fact: F102-compiler-by-name */
void jw_compiler_file_of(const char *libcuda, struct jw_arena *a, struct jw_compiler_file *out);

/* Can that driver not compile with this compiler, and was not proven to compile all the same? */
bool jw_driver_lacks_compiler(const struct jw_driver_file *file, const struct jw_compiler_file *compiler);

#endif
