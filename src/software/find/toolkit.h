/* CUDA toolkits: the versions that are installed, of a container image, too. (For the library NVRTC see
 * software/find/toolkit_find.h.) */
#ifndef SOFTWARE_FIND_TOOLKIT_H
#define SOFTWARE_FIND_TOOLKIT_H

#include "base/arena.h"

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

/* ---- pure parts, for tests ---- */

/* The "cuda" of a version.json, or "CUDA Version 10.1.243" of a version.txt. */
bool jw_toolkit_version(const char *text, unsigned *major, unsigned *minor);

/* "13.0.1" */
bool jw_toolkit_number(const char *text, unsigned *major, unsigned *minor);

#endif
