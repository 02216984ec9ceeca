/* The build of a driver library and its version, read from its file. */
#pragma once

#include "base/arena.h"

/* Facts from the headers of a library, read once. */
struct jw_library_head {
    /* its build id: ELF "gnu:<build-id>", PE "pe:<time stamp><size of image>"; "": it has none;
     * NULL: it cannot be read */
    const char *build;
    /* "is not a whole library (400,000 of 28,004,216 bytes)"; NULL: its headers look whole */
    const char *truncated;
    const char *foreign; /* the processor of an ELF file that is not for this one: "aarch64" */
};

/* Reads these facts. They tell a library that was cut off, which mostly loads, and crashes
 * later. */
struct jw_library_head jw_library_look(const char *path, struct jw_arena *a);

/* The version in the name of a file, in `a`: "580.126.09" of "libcuda.so.580.126.09"; NULL:
 * none. */
const char *jw_identity_version_in_name(const char *path, struct jw_arena *a);

/* The folder in `folders`, an LD_LIBRARY_PATH or NULL, that holds this libcuda, a path without
 * links. NULL: none does, or it is a folder of the system. */
const char *jw_identity_put_before(const char *library, const char *folders, struct jw_arena *a);
