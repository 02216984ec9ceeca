/* The build of a driver library and its version, read from its file. */
#ifndef DRIVER_WORKER_IDENTITY_H
#define DRIVER_WORKER_IDENTITY_H

#include "base/arena.h"

/* Facts from the headers of a library, read once. */
struct jw_library_head {
    /* its build id: "gnu:<build-id>" of an ELF file, "pe:<time stamp><size of image>" of a PE file; "": it has none; NULL: it cannot be
     * read */
    const char *build;
    /* why it is not all there: "is not a whole library (400,000 of 28,004,216 bytes)"; NULL: nothing is seen */
    const char *truncated;
    bool foreign; /* it is an ELF file for another processor */
};

/* Most of a library that was cut off loads, and crashes later. */
struct jw_library_head jw_library_look(const char *path, struct jw_arena *a);

/* "580.126.09" out of "libcuda.so.580.126.09"; NULL: not found. In `a`. */
const char *jw_identity_version_in_name(const char *path, struct jw_arena *a);

/* The folder of this LD_LIBRARY_PATH (or NULL) that holds this libcuda, a path without links. NULL: none does, or one
 * of the system's. */
const char *jw_identity_put_before(const char *library, const char *folders, struct jw_arena *a);

#endif
