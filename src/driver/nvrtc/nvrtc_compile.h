/* Compiles a .cu file to PTX with an NVRTC that is found at run time. Only a program that loads
 * this very PTX gains from it: the driver's cache compares bytes, and another NVRTC makes other
 * PTX.
 *
 * Each library works in a process of its own, newest first. The first that compiles for this GPU
 * and driver is taken, if need be for an older architecture. A library is skipped if it crashes, or
 * hangs: for a minute in its load, for 30 in a compilation. One that a user other than this one and
 * root can change, or exchange, is never loaded. */
#pragma once

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "software/find/toolkit_find.h"

#include <stdatomic.h>

struct jw_nvrtc_options {
    /* path of the .cu file; its folder, also that of a link, is searched for headers */
    const char *source;
    uint16_t sm; /* architecture of the GPU */
    /* 13010: the driver's CUDA version, which limits the PTX; 0: unknown */
    unsigned driver_cuda;
    const struct jw_listing *libraries; /* jw_nvrtc_find */
    const char *folder;                 /* where the PTX is kept */
    unsigned timeout_ms;                /* limit of one library; 0: 30 min */
    const atomic_bool *interrupted;     /* NULL: never */
};

struct jw_nvrtc_made {
    const char *ptx;  /* validated, in `folder`. The same PTX stays the same file, untouched */
    const char *note; /* NULL, or why it is not for the requested architecture: a sentence */
    /* NULL, or which newer NVRTC was not loaded, as another user could have written it. Also set
     * where nothing is made. */
    const char *untrusted;
};

/* The texts live in the arena. JW_E_FORMAT: the source cannot be read or does not compile, or the
 * PTX cannot be written; JW_E_DRIVER: no NVRTC can be used; JW_E_TRUST: none is trusted. */
bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_arena *a,
                      struct jw_nvrtc_made *out, struct jw_err *err) JW_MUST;
