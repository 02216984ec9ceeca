/* Finds ptxas, the compiler from PTX to machine code of a CUDA toolkit. It needs no driver and no GPU. (For nvJitLink,
 * the library, see software/find/toolkit_find.h.) */
#ifndef SOFTWARE_FIND_COMPILER_H
#define SOFTWARE_FIND_COMPILER_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

struct jw_compiler {
    const char *name;              /* "ptxas", "nvJitLink" */
    const char *path, *version;    /* "13.0.88" */
    unsigned isa_major, isa_minor; /* the newest PTX that it reads */
    bool library;                  /* `path` is a library; a worker loads it (driver/worker/nvjitlink.h) */
};

/* `asked`: "ptxas" searches CUDA_HOME, CUDA_PATH, PATH and the toolkits' usual folders; otherwise it is an absolute
 * path. The program is started once, for its version. False: JW_E_USAGE, there is none. */
bool jw_compiler_find(const char *asked, struct jw_arena *a, struct jw_compiler *out,
                      struct jw_err *err) JW_MUST;

/* ---- pure parts, for tests ---- */

/* "Cuda compilation tools, release 13.0, V13.0.88": the last of it, and the PTX ISA of that release. */
bool jw_compiler_read(const char *said, struct jw_arena *a, struct jw_compiler *out);

/* The PTX ISA of a toolkit: 9.0 for 13.0, 8.5 for 12.5 and 12.6, 7.8 for 11.8. UINT_MAX: the table does not have this
 * toolkit, so no limit is known, and the compiler itself refuses newer PTX. */
void jw_compiler_isa(unsigned cuda_major, unsigned cuda_minor, unsigned *isa_major, unsigned *isa_minor);

#endif
