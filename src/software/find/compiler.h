/*
 * A CUDA toolkit's own compiler from PTX to machine code, found on this machine: ptxas, a program. (nvJitLink, the same as a
 * library: software/find/toolkit_find.h.) Nothing of the driver's, and no GPU, is needed for it.
 */
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
    bool simulated;                /* it says itself that it only pretends */
    bool library; /* `path` is loaded, by a worker (driver/worker/nvjitlink.h), and not started */
};

/*
 * `asked`: "ptxas", which is looked for in CUDA_HOME, CUDA_PATH, PATH and where toolkits are installed; or the absolute
 * path of one. It is started once, to tell its version. False: JW_E_USAGE, none is there, or it is none.
 */
bool jw_compiler_find(const char *asked, struct jw_arena *a, struct jw_compiler *out,
                      struct jw_err *err) JW_MUST;

/* ---- pure parts, for tests ---- */

/* "Cuda compilation tools, release 13.0, V13.0.88": the last of it, and the PTX ISA of that release. */
bool jw_compiler_read(const char *said, struct jw_arena *a, struct jw_compiler *out);

/* The PTX ISA that came with a toolkit: 9.0 of 13.0, 8.5 of 12.5 and 12.6, 7.8 of 11.8. Of one that our table does not have
 * no limit is known: UINT_MAX, and the compiler itself refuses what is too new. */
void jw_compiler_isa(unsigned cuda_major, unsigned cuda_minor, unsigned *isa_major, unsigned *isa_minor);

#endif
