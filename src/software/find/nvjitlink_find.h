/* Which nvJitLink libraries this machine has. Files are looked at by their names alone and none is loaded. */
#ifndef SOFTWARE_FIND_NVJITLINK_FIND_H
#define SOFTWARE_FIND_NVJITLINK_FIND_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/list.h"
#include "software/find/discover.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_nvjitlink_place {
    const char *path; /* absolute */
    const char *how;  /* "$CUDA_HOME", "active virtual environment" */
    unsigned major;   /* 12, as its name says; 0: it does not */
};

struct jw_nvjitlink_places {
    struct jw_nvjitlink_place *v;
    size_t n;
    struct jw_notes notes;
};

/*
 * The one to take first: those that $CUDA_HOME or $CUDA_PATH name, then the newest major version, then by place
 * (software/find/library_folders.h). Each file is there once. The loader is not asked, and nothing is looked for in the folder that
 * we happen to be in. `o` as for jw_discover. False only without memory.
 */
bool jw_nvjitlink_find(const struct jw_discover_options *o, struct jw_arena *a,
                       struct jw_nvjitlink_places *out, struct jw_err *err) JW_MUST;

/* Is a file of this name meant to be an nvJitLink, rather than a program? "libnvJitLink.so.12", "nvJitLink_120_0.dll". */
bool jw_is_nvjitlink_name(const char *name);

/* Where that was, for a sentence that says that there was none. */
const char *jw_nvjitlink_where(bool windows);

#endif
