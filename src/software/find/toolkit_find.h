/*
 * Which NVRTC and nvJitLink libraries this machine has. Files are looked at by their names alone and none is loaded: whether one can
 * be used, and for which architectures, only itself can tell. Nothing is looked for in the folder that we happen to be in.
 */
#ifndef SOFTWARE_FIND_TOOLKIT_FIND_H
#define SOFTWARE_FIND_TOOLKIT_FIND_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/list.h"
#include "software/find/discover.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_toolkit_place {
    const char *path; /* absolute; or a file name for the loader */
    const char *how;  /* "$CUDA_HOME", "active virtual environment", "the loader" */
    unsigned major;   /* 12, as its name says; 0: it does not */
    /* libnvrtc-builtins lies beside it, without which NVRTC compiles nothing; of the loader's: assumed. */
    bool builtins;
};

struct jw_toolkit_places {
    struct jw_toolkit_place *v;
    size_t n;
    struct jw_notes notes;
};

/*
 * Each file is there once; `o` and false as for jw_discover. By place is: $CUDA_HOME and $CUDA_PATH,
 * /usr/local/cuda*, what discovery finds (Python's and conda's packages, the toolkit's usual folders, the loader's path).
 *
 * NVRTC: those with their builtins, newest major version, place; at the end names that the loader may know more about.
 * nvJitLink: those that $CUDA_HOME or $CUDA_PATH name, newest major version, place. The loader is not asked.
 */
bool jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a, struct jw_toolkit_places *out,
                   struct jw_err *err) JW_MUST;
bool jw_nvjitlink_find(const struct jw_discover_options *o, struct jw_arena *a, struct jw_toolkit_places *out,
                       struct jw_err *err) JW_MUST;

/* Is a file of this name meant to be an nvJitLink, rather than a program? "libnvJitLink.so.12", "nvJitLink_120_0.dll". */
bool jw_is_nvjitlink_name(const char *name);

/* Where that was, for a sentence that says that there was none. */
const char *jw_nvrtc_where(bool windows);
const char *jw_nvjitlink_where(bool windows);

#endif
