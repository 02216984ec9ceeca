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
#include "driver/nvrtc/nvrtc_choose.h"
#include "jitwarm/err.h"
#include "software/find/discover.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

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
