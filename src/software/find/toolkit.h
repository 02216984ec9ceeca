/* CUDA toolkits: the versions that are installed, of a container image, too, and the compiler ptxas. (For the libraries
 * NVRTC and nvJitLink see software/find/toolkit_find.h.) */
#ifndef SOFTWARE_FIND_TOOLKIT_H
#define SOFTWARE_FIND_TOOLKIT_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_toolkit {
    const char *where; /* the folder, or the variable */
    unsigned major, minor;
    bool image; /* of the container's image, by its CUDA_VERSION */
};

enum { JW_TOOLKITS = 8 };

/* At most JW_TOOLKITS; CUDA_HOME and CUDA_PATH first. `sysroot`: "" except in tests. */
void jw_toolkits(const char *sysroot, struct jw_arena *a, struct jw_toolkit out[JW_TOOLKITS], size_t *n);

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

/* The "cuda" of a version.json, or "CUDA Version 10.1.243" of a version.txt. */
bool jw_toolkit_version(const char *text, unsigned *major, unsigned *minor);

/* "13.0.1" */
bool jw_toolkit_number(const char *text, unsigned *major, unsigned *minor);

/* "Cuda compilation tools, release 13.0, V13.0.88": the last of it, and the PTX ISA of that release. */
bool jw_compiler_read(const char *said, struct jw_arena *a, struct jw_compiler *out);

/* The PTX ISA of a toolkit: 9.0 for 13.0, 8.5 for 12.5 and 12.6, 7.8 for 11.8. UINT_MAX: the table does not have this
 * toolkit, so no limit is known, and the compiler itself refuses newer PTX. */
void jw_compiler_isa(unsigned cuda_major, unsigned cuda_minor, unsigned *isa_major, unsigned *isa_minor);

#endif
