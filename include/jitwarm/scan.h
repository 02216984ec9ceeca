/*
 * scan: finds the CUDA code in files, and decides for each GPU whether it runs as it is or must be compiled. It never
 * loads the driver.
 */
#ifndef JITWARM_SCAN_H
#define JITWARM_SCAN_H

#include "jitwarm/err.h"
#include "jitwarm/gpu.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A file gets the first verdict that applies. */
enum jw_verdict {
    JW_VERDICT_BLOCKED, /* the driver is too old for its code */
    JW_VERDICT_LINKS,   /* the driver links it while it starts, of inputs that it compiles first */
    JW_VERDICT_JIT,     /* the driver compiles PTX at the first start */
    JW_VERDICT_UNKNOWN, /* some of its code is of a form that this jitwarm does not know */
    JW_VERDICT_NATIVE,
    JW_VERDICT_LAZY, /* only modules that the library loads on demand would be compiled */
    JW_VERDICT_RDC,  /* only inputs for the device linker */
    JW_VERDICT_NONE, /* no code that this GPU can run */
    JW_VERDICT_NO_CODE,
    JW_VERDICTS
};

extern const char *const jw_verdict_names[JW_VERDICTS]; /* "jit" */

struct jw_scan_root {
    const char *path;
    unsigned depth; /* levels of folders to enter; 0: none */
    bool named;     /* the user named it: list it even without CUDA code, and fail if it cannot be read */
};

struct jw_scan_options {
    const struct jw_scan_root *roots;
    size_t n_roots;
    const struct jw_gpu *gpus;
    size_t n_gpus;
    const char *driver;         /* check for this driver version; NULL: for any */
    const char *const *exclude; /* patterns of base/path.h */
    size_t n_exclude;
    bool quick; /* a report that only describes: large data is searched in samples, no payload decoded */
    bool trusted_only;          /* skip files that other users can change */
    const char *const *vouched; /* roots that `trusted_only` does not apply to */
    size_t n_vouched;
    unsigned jobs;                  /* threads; 0: as many as there are processors */
    const atomic_bool *interrupted; /* may be NULL */
    /* may be NULL; called from any thread, one at a time */
    void (*progress)(void *ctx, const char *path);
    void *progress_ctx;
};

/* What a file holds: its entries of one kind, target and format. */
struct jw_scan_row {
    const char *kind;      /* "ptx" "elf" "nvvm" "other" */
    char arch[20], suffix; /* "compute_90a", 'a' */
    uint16_t sm;           /* 90 */
    uint16_t major, minor; /* PTX: its ISA; else the format's version */
};

struct jw_scan_verdict {
    enum jw_verdict verdict;
    uint64_t native, jit, blocked, none, rdc, lto;
    uint64_t unknown; /* modules without known code that fits, and with code of an unknown form */
    uint64_t links;   /* results of the device linker without code for this GPU */
    /* inputs that the driver links instead; those that it compiles are in jit and blocked. missing: with
     * neither machine code nor PTX. lto: with link-time code alone; it is not known whether the driver compiles it */
    uint64_t inputs, inputs_missing, inputs_lto; /* of equal text they are one module in jit */
    uint64_t lazy_native, lazy_jit, lazy_none;   /* in containers that the library loads on demand */
    /* jit and blocked modules that are compiled, and the size of their PTX, unpacked */
    uint64_t ptx_modules, jit_ptx_bytes;
    uint64_t embedded_jit; /* among jit: in the program's data, compiled when it first needs them */
    uint64_t lazy_ptx_bytes;
    const char *const *from; /* the PTX targets that are compiled, newest first */
    size_t n_from;
    const char *needs_driver; /* branch, "590"; NULL: any; "": newer than any known */
    bool beside;              /* no code for this GPU, and a file of the same name but for the GPU has some */
    bool undriven;            /* blocked: the driver does not support the GPU yet, or no longer */
    const char *needs_packing; /* a compression is the reason for blocked or needs_driver; NULL: it is not */
    bool needs_cuda_13;        /* machine code of CUDA 13 is */
    unsigned code_of;          /* machine code of this toolkit is, 129 for CUDA 12.9; 0: it is not */
    uint16_t isa_major, isa_minor; /* the newest PTX ISA that is compiled */
};

/* The file does not work on this GPU: none of its registered or on-demand modules has code for it. */
bool jw_scan_unusable(const struct jw_scan_verdict *v);

/* Verdict `none`, but no program misses anything: link stubs, code for nvJitLink, or machine code that is loaded on demand. */
bool jw_scan_harmless(const struct jw_scan_verdict *v);

struct jw_scan_file {
    const char *path;
    const char *format;
    uint64_t size;
    uint64_t containers, lazy_containers;
    const struct jw_scan_row *rows;
    size_t n_rows;
    struct jw_scan_verdict *verdicts; /* one for each GPU of the options */
    size_t n_verdicts;
    const char *const *problems;
    size_t n_problems;
    bool named;
    uint64_t ptx_pieces; /* texts of PTX that are not whole: the program makes PTX of them while it runs */
};

enum jw_scan_why {
    JW_SKIP_UNREADABLE,
    JW_SKIP_DAMAGED,
    JW_SKIP_OTHERS /* may change it: options.trusted_only */
};

struct jw_scan_skipped {
    const char *path, *reason;
    enum jw_scan_why why;
    bool named;
};

/* Advice that follows the reason in a message; "": there is none that always holds. */
static inline const char *jw_scan_remedy(const struct jw_scan_skipped *s)
{
    return s->why == JW_SKIP_DAMAGED ? "; if it is damaged, copy or install it again" : "";
}

struct jw_scan_report {
    const struct jw_scan_file *files; /* by path */
    size_t n_files;
    const struct jw_scan_skipped *skipped;
    size_t n_skipped;
    struct jw_scan_memory *memory;
};

/*
 * False if there is no result at all: an interruption, or a named file that has to be unpacked first (a .deb, .rpm or .tar:
 * JW_E_USAGE). A file that cannot be read is in `skipped`, and the scan continues.
 */
bool jw_scan(const struct jw_scan_options *options, struct jw_scan_report *out, struct jw_err *err);
void jw_scan_free(struct jw_scan_report *report); /* accepts a zeroed one */

#endif
