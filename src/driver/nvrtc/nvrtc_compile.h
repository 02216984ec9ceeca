/*
 * Compiles a .cu file to PTX with an NVRTC that is found at run time. Only a program that loads this very PTX gains
 * from it: the driver's cache compares bytes, and another NVRTC makes other PTX.
 *
 * Each library works in a process of its own. The first one is taken that compiles for the architecture and for this
 * driver, newest first; if none does, the first that compiles for an older architecture. One that crashes or hangs is
 * passed over. With `keep`, a source without headers is not compiled again while the files of the libraries are the
 * same (what a library of the loader made always is: its file is not known), and equal PTX stays the same file.
 */
#ifndef DRIVER_NVRTC_NVRTC_COMPILE_H
#define DRIVER_NVRTC_NVRTC_COMPILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "formats/arch.h"
#include "jitwarm/err.h"
#include "software/find/discover.h"

#include <stdatomic.h>
#include <stdbool.h>

struct jw_nvrtc_options {
    const char *source; /* path of the .cu file; its folder, also that of a link, is searched for headers */
    struct jw_arch target; /* the GPU's */
    unsigned driver_cuda;  /* 13010: the driver's CUDA version, which limits the PTX; 0: unknown */
    const char *library;   /* path of the NVRTC, or a file name for the loader; NULL: search */
    const struct jw_discover_options *where; /* to search; NULL: this machine */
    const char *keep;                        /* folder that keeps PTX (nvrtc_keep.h); NULL: none */
    unsigned timeout_ms;                     /* of the start and of the compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted;          /* NULL: never */
};

/* Filled as far as possible, also after a failure. Texts live in the arena of the call. */
struct jw_nvrtc_report {
    unsigned major, minor; /* of the NVRTC that compiled; 0.0: none did */
    const char *arch;      /* of the PTX: "compute_86" */
    const char *arch_note; /* NULL, or why it is not the requested one */
    const char *kept;      /* the PTX in `keep`; NULL: not kept */
    bool reused;           /* it was there: NVRTC compiled nothing */
    const char *log;       /* NVRTC's log, made printable; also after a success */
};

/*
 * Appends validated PTX without its NUL. Fails with JW_E_USAGE for a bad architecture, JW_E_FORMAT when the source does not
 * compile (see `log`), JW_E_DRIVER when no NVRTC is usable.
 */
bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_arena *a, struct jw_buf *ptx,
                      struct jw_nvrtc_report *out, struct jw_err *err) JW_MUST;

#endif
