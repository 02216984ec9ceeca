/* The driver build that programs load here, and the library with which it compiles PTX, as files
 * show them: nothing is loaded. */
#pragma once

#include "base/arena.h"
#include "memory/drivers.h"

struct jw_driver_file {
    /* there is a file where the loader takes the library (Windows: where it was met last), whether
     * or not it was probed */
    bool found;
    const char *library;
    const char *real; /* `library` with its links resolved, if `found` */
    /* a clause that names the library: why no program can load it, by its headers, or find it;
     * NULL: none is seen */
    const char *truncated;
    const char *build;                   /* its build id; NULL: none was seen */
    const struct jw_driver_state *known; /* the record of its build; NULL: none */
};

/* Looks at the library `named`, or, if that is NULL, at the one that a program started here would
 * load. `met` is from jw_drivers_load. */
void jw_driver_file_here(const char *named, const struct jw_drivers *met, struct jw_arena *a,
                         struct jw_driver_file *out);

/* Is the library of this build where it was met? Then programs of another environment load it. */
bool jw_driver_is_here(const struct jw_driver_state *build, struct jw_arena *a);

struct jw_compiler_file {
    /* NULL: none is found, or it is not known where one would be (Windows, WSL) */
    const char *path;
    /* its build id, size and time, as a file that was written to may be damaged; "missing"; "":
     * unknown */
    const char *id;
    bool lacking; /* by its files it is missing or not whole, so that nothing can be compiled */
};

/* The compiler that this libcuda loads when it compiles: the first on the loader's path, else one
 * that lies beside it. driver-fact: F102-compiler-by-name */
void jw_compiler_file_of(const char *libcuda, struct jw_arena *a, struct jw_compiler_file *out);

/* The first compiler that the driver loads in cuInit where it preloads, and that the loader does
 * not find; NULL: all are there. driver-fact: F120-preload */
const char *jw_driver_lacks_preload(struct jw_arena *a);

/* Is the compiler lacking, and did no probe prove that the driver compiles all the same? */
bool jw_driver_lacks_compiler(const struct jw_driver_file *file,
                              const struct jw_compiler_file *compiler);
