/*
 * Compiles a .cu file to PTX with an NVRTC that is found at run time. Only a program that loads this very PTX gains
 * from it: the driver's cache compares bytes, and another NVRTC makes other PTX.
 *
 * The same file, name, options and NVRTC give the same PTX. NVRTC numbers the names of file-local symbols; from 12.9 on
 * jitwarm sets the seed, a digest of the source. The next PTX of an older one may differ.
 * With `keep`, a source without headers is not compiled again, and equal PTX stays the same file.
 */
#ifndef DRIVER_NVRTC_NVRTC_COMPILE_H
#define DRIVER_NVRTC_NVRTC_COMPILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "driver/worker/nvrtc_worker.h"
#include "formats/arch.h"
#include "jitwarm/err.h"
#include "software/find/discover.h"
#include "software/find/toolkit_find.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a library can do for a target. */
enum jw_nvrtc_fit {
    JW_FIT_NONE,    /* nothing that runs there */
    JW_FIT_UNKNOWN, /* unknown: it is too old to say */
    JW_FIT_OLDER,   /* an older architecture, whose PTX runs on newer GPUs */
    JW_FIT_EXACTLY
};

struct jw_nvrtc_offer {
    enum jw_nvrtc_fit fit;
    struct jw_arch target; /* the architecture that it compiles for */
    bool too_new;          /* the driver here does not compile its PTX */
};

/* The requested target. */
struct jw_nvrtc_wish {
    struct jw_arch target;
    unsigned driver_cuda; /* 13010; 0: unknown, then no library is too new */
};

struct jw_nvrtc_offer jw_nvrtc_offer(const struct jw_nvrtc_library *lib, struct jw_nvrtc_wish wish);

/* Is `a`, of library `la`, better than `b`? */
bool jw_nvrtc_better(struct jw_nvrtc_offer a, const struct jw_nvrtc_library *la, struct jw_nvrtc_offer b,
                     const struct jw_nvrtc_library *lb);

/* A place that was searched, and the outcome. */
struct jw_nvrtc_tried {
    const char *path;
    unsigned major, minor; /* 0.0: unknown */
    const char *outcome;   /* "used", "not needed: ...", or why it was not used */
};

struct jw_nvrtc_choice {
    struct jw_nvrtc_worker *worker; /* NULL: none is usable; the caller stops it */
    const struct jw_toolkit_place *place;
    struct jw_nvrtc_offer offer;
    struct jw_nvrtc_tried *tried; /* one for each place */
    size_t n_tried;
};

/*
 * Chooses a library; each one is loaded in a process of its own. Order: its PTX must compile on this driver, then an
 * exact architecture before an older one, then the newest version. A library that crashes or hangs is skipped. False
 * only when interrupted, or when no worker can be started.
 */
bool jw_nvrtc_choose(const struct jw_toolkit_places *places, struct jw_nvrtc_wish wish,
                     const struct jw_nvrtc_worker_options *o, struct jw_arena *a, struct jw_nvrtc_choice *out,
                     struct jw_err *err) JW_MUST;

struct jw_nvrtc_options {
    const char *source;   /* path of the .cu file; its folder is searched for headers */
    const char *arch;     /* of the GPU: "compute_86", "sm_90a" */
    unsigned driver_cuda; /* 13010: the driver's CUDA version, which limits the PTX; 0: unknown */
    const char *library;  /* path of the NVRTC, or a file name for the loader; NULL: search */
    const struct jw_discover_options *where; /* to search; NULL: this machine */
    const char *keep;                        /* folder that keeps PTX (nvrtc_keep.h); NULL: none */
    const char *exe;                         /* for the worker; NULL: this program */
    unsigned timeout_ms;                     /* of the start and of the compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted;          /* NULL: never */
};

/* Filled as far as possible, also after a failure. */
struct jw_nvrtc_report {
    unsigned major, minor;   /* of the NVRTC */
    char arch[20];           /* of the PTX: "compute_86" */
    const char *arch_note;   /* NULL, or why it is not the requested one */
    const char *driver_note; /* NULL, or that this driver cannot compile the PTX */
    const char *kept;        /* the PTX in `keep`; NULL: not kept */
    bool reused;             /* it was there: NVRTC compiled nothing */
    const char *log;         /* NVRTC's log, made printable; also after a success */
    struct jw_arena arena;   /* of the above */
};

/*
 * Appends validated PTX without its NUL. Fails with JW_E_USAGE for bad options (checked before NVRTC runs), JW_E_FORMAT
 * when the source does not compile (see `log`), JW_E_DRIVER when no NVRTC is usable, or it crashed, hung or failed.
 */
bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_buf *ptx, struct jw_nvrtc_report *out,
                      struct jw_err *err) JW_MUST;

void jw_nvrtc_report_free(struct jw_nvrtc_report *r); /* accepts a zeroed one */

#endif
