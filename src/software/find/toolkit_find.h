/* Finds NVRTC libraries by file name. Loads none, so it does not know which of them work. Does not search
 * the working folder. */
#ifndef SOFTWARE_FIND_TOOLKIT_FIND_H
#define SOFTWARE_FIND_TOOLKIT_FIND_H

#include "base/arena.h"
#include "machine/run.h"
#include "software/find/discover.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_toolkit_place {
    const char *path; /* absolute; or a file name for the loader */
    unsigned major;   /* from its name; 0: it has none */
    int minor;        /* from that of the builtins beside it; -1: not known */
    /* libnvrtc-builtins is beside it, which NVRTC needs; assumed for the loader's */
    bool builtins;
};

struct jw_toolkit_places {
    struct jw_toolkit_place *v;
    size_t n;
    struct jw_notes notes;
};

/*
 * Lists each file once; `o` as for jw_discover. The order: those with builtins, newest version, place. A minor version that
 * is not known is the oldest of its major one. Place: $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, then the order of
 * discovery, then names for the loader.
 */
struct jw_toolkit_places jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a);

/* The searched places, for a message that nothing was found. */
const char *jw_nvrtc_where(bool windows);

#endif
