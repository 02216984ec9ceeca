/* The library with which libcuda compiles PTX, as files show it: nothing is loaded. */
#ifndef DRIVER_PROBE_COMPILER_FILE_H
#define DRIVER_PROBE_COMPILER_FILE_H

#include "base/arena.h"

enum { JW_ERROR_NO_COMPILER = 221 }; /* CUDA_ERROR_JIT_COMPILER_NOT_FOUND */

struct jw_compiler_file {
    const char *path; /* NULL: none is found, or it is not known where one would be (Windows, WSL) */
    /* tells it from another one by build id, size and time: one that was written to may be damaged; "missing"; "": not
     * known */
    const char *id;
    /* why nothing can be compiled with it, as far as files show: a clause; NULL: nothing is seen */
    const char *lacking;
};

/* The compiler that this libcuda loads when it compiles: the first on the loader's path, else one that lies beside it.
 * driver-fact: F102-compiler-by-name */
void jw_compiler_file_of(const char *libcuda, struct jw_arena *a, struct jw_compiler_file *out);

/* The clause of one that fails where another one compiled. */
const char *jw_compiler_fails(const struct jw_compiler_file *c, struct jw_arena *a);

#endif
