/*
 * Which NVRTC libraries this machine has. Files are looked at by their names alone and none is loaded:
 * whether one can be used, and for which architectures, only itself can tell.
 */
#ifndef SOFTWARE_FIND_NVRTC_FIND_H
#define SOFTWARE_FIND_NVRTC_FIND_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/list.h"
#include "software/find/discover.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_nvrtc_place {
    const char *path; /* absolute; or a file name for the loader */
    const char *how;  /* "$CUDA_HOME", "active virtual environment", "the loader" */
    unsigned major;   /* 12, as its name says; 0: it does not */
    /* libnvrtc-builtins lies beside it, without which it compiles nothing; of the loader's: assumed. */
    bool builtins;
};

struct jw_nvrtc_places {
    struct jw_nvrtc_place *v;
    size_t n;
    struct jw_notes notes;
};

/*
 * In this order: those with their builtins, newest major version, place: $CUDA_HOME and $CUDA_PATH,
 * /usr/local/cuda*, what discovery finds (Python's and conda's packages, the toolkit's usual folders, the
 * loader's path), and the names that the loader may know more about. Each file is there once. `o` as for
 * jw_discover. False only without memory.
 */
bool jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a, struct jw_nvrtc_places *out,
                   struct jw_err *err) JW_MUST;

/* Where that was, for a sentence that says that there was none. */
const char *jw_nvrtc_where(bool windows);

#endif
