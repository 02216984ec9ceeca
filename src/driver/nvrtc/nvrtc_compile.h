/*
 * A .cu file made into PTX by an NVRTC that is found at run time. The result is of use only to a program that
 * loads this very PTX: what nvcc or another NVRTC makes of the same source differs, and the driver's cache
 * compares bytes.
 *
 * The same file, name, options and NVRTC give the same PTX. NVRTC puts numbers into the names of what is
 * local to a file, and from 12.9 on takes the seed of them from us, which is a digest of the source; an older
 * one is not told, and `seeded` is false then: the PTX may be another the next time, and what was cached for
 * this one lost on it.
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

/* Which of this machine's NVRTC libraries is to compile. */

/* What a library can do for a target. */
enum jw_nvrtc_fit {
    JW_FIT_NONE,   /* nothing that runs there */
    JW_FIT_UNTOLD, /* it is too old to say what it knows */
    JW_FIT_OLDER,  /* an older architecture, whose PTX every newer GPU takes */
    JW_FIT_EXACTLY
};

struct jw_nvrtc_offer {
    enum jw_nvrtc_fit fit;
    struct jw_target target; /* that it would compile for */
    bool too_new; /* into PTX that the driver here does not compile: an older library's is worth more */
};

/* What is to be compiled for. */
struct jw_nvrtc_wish {
    struct jw_target target;
    unsigned driver_cuda; /* 13010, as the driver tells it; 0: not known, and no library is too new */
};

struct jw_nvrtc_offer jw_nvrtc_offer(const struct jw_nvrtc_library *lib, struct jw_nvrtc_wish wish);

/* Is `a`, of library `la`, to be taken rather than `b`? */
bool jw_nvrtc_better(struct jw_nvrtc_offer a, const struct jw_nvrtc_library *la, struct jw_nvrtc_offer b,
                     const struct jw_nvrtc_library *lb);

/* A place that was looked at, and what came of it. */
struct jw_nvrtc_tried {
    const char *path, *how;
    unsigned major, minor; /* 0.0: it did not tell */
    const char *outcome;   /* "used", "not needed: ...", or why not, as a sentence */
};

struct jw_nvrtc_choice {
    struct jw_nvrtc_worker *worker; /* NULL: none can be used; the caller's to stop */
    const struct jw_toolkit_place *place;
    struct jw_nvrtc_offer offer;
    struct jw_nvrtc_tried *tried; /* one for each place */
    size_t n_tried;
};

/*
 * Asks the places, each in a process of its own, but those that by their names cannot be better: one whose
 * PTX the driver compiles goes before all others, an exact one before an older architecture, then the
 * newest. A library that crashes or hangs is one that cannot be used. False only when none can be asked:
 * interrupted, no worker to be had.
 */
bool jw_nvrtc_choose(const struct jw_toolkit_places *places, struct jw_nvrtc_wish wish,
                     const struct jw_nvrtc_worker_options *o, struct jw_arena *a, struct jw_nvrtc_choice *out,
                     struct jw_err *err) JW_MUST;

struct jw_nvrtc_options {
    const char *source;          /* path of the .cu file; headers beside it are found */
    const char *const *includes; /* folders, as -I has them */
    size_t n_includes;
    const char *const *defines; /* "NAME", "NAME=VALUE" */
    size_t n_defines;
    const char *const *extra; /* further options of NVRTC's own, as they are */
    size_t n_extra;
    const char *arch; /* of the GPU: "compute_86", "sm_90a" */
    /* 13010: the CUDA version that the driver tells, which limits what it compiles; 0: not known. */
    unsigned driver_cuda;
    const char *library; /* path of the NVRTC to use, or a file name for the loader; NULL: it is looked for */
    const struct jw_discover_options *where; /* of that search; NULL: this machine */
    const char *exe;                         /* our own program, for the worker; NULL: this one */
    unsigned timeout_ms;            /* for NVRTC's start, and for the compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted; /* NULL: never */
};

/* Filled as far as it came, also when the compilation fails. */
struct jw_nvrtc_report {
    const char *library, *how; /* that was used, and how it was found; NULL: it did not come to that */
    unsigned major, minor;
    bool simulated;
    char arch[20];         /* the PTX is for this one: "compute_86" */
    const char *arch_note; /* NULL, or why it is not the one that was asked for */
    /* NULL, or that the driver here does not compile this PTX, and that no better NVRTC was found. */
    const char *driver_note;
    bool seeded;
    const char *log; /* what NVRTC said, of a success too (warnings), made printable; "" nothing */
    bool log_cut;    /* it said more */
    size_t kernels;  /* in the PTX */
    unsigned milliseconds;
    const struct jw_nvrtc_tried *tried; /* every NVRTC that was found, and what came of it */
    size_t n_tried;
    const char *const *notes; /* of the search */
    size_t n_notes;
    struct jw_arena arena; /* of the above */
};

/*
 * Appends the PTX, checked to be such, without a NUL at its end. Everything of the options is checked before
 * an NVRTC is called. False, with a sentence that names the source, and these codes: JW_E_USAGE for what the
 * options say; JW_E_FORMAT: the source does not compile (see `log`), or cannot be one; JW_E_DRIVER: no NVRTC
 * can be used, or it crashed, hung or failed.
 */
bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_buf *ptx, struct jw_nvrtc_report *out,
                      struct jw_err *err) JW_MUST;

void jw_nvrtc_report_free(struct jw_nvrtc_report *r); /* accepts a zeroed one */

#endif
