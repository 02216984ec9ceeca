/* The build of a driver library and its version, read from files; and whether this is WSL, a container or MPS. */
#ifndef DRIVER_WORKER_IDENTITY_H
#define DRIVER_WORKER_IDENTITY_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * The build id: "gnu:<build-id>" of an ELF file, "pe:<time stamp><size of image>" of a PE file. A file with neither
 * gets "b2:<BLAKE2b-256 of the file>". In `a`.
 */
bool jw_identity_of_file(const char *path, struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;

/* Facts from the headers of an ELF library, read once. */
struct jw_library_head {
    const char *build; /* its build id, as above; "": it has none; NULL: it cannot be read */
    /* why it is not all there: "is not a whole library (400,000 of 28,004,216 bytes)"; NULL: nothing is seen */
    const char *truncated;
};

/* Most of a library that was cut off loads, and crashes later. `digest`: one without a build id is read for a digest. */
struct jw_library_head jw_library_look(const char *path, bool digest, struct jw_arena *a);

/* "580.126.09" out of "libcuda.so.580.126.09", or out of the kernel module's text; NULL: not found. In `a`. */
const char *jw_identity_version_in_name(const char *path, struct jw_arena *a);
const char *jw_identity_version_in_text(const char *text, struct jw_arena *a);

/* The version of this machine's kernel module. `root` is "" except in tests. */
const char *jw_identity_kernel_version(const char *root, struct jw_arena *a);

/* The folder of this LD_LIBRARY_PATH (or NULL) that holds this libcuda, a path without links. NULL: none does, or one
 * of the system's. */
const char *jw_identity_put_before(const char *library, const char *folders, struct jw_arena *a);

struct jw_surroundings {
    bool wsl, container;
};

struct jw_surroundings jw_surroundings_look(const char *root);

/* The surroundings of this machine, or of $JITWARM_SYSROOT. All false on Windows. */
struct jw_surroundings jw_surroundings_here(struct jw_arena *a);

#endif
