/* The verdict on a file: its effect on a GPU, the reason, and the cost; and its sentences. */
#ifndef SOFTWARE_SCAN_VERDICT_WORDS_H
#define SOFTWARE_SCAN_VERDICT_WORDS_H

#include "formats/select.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"
#include "software/find/discover.h"

/* By urgency: what does not run or may not, then compiling, then what nobody has to change. Of several files the most urgent one counts. */
enum jw_verdict {
    JW_VERDICT_BLOCKED, /* the driver is too old for its code */
    JW_VERDICT_NONE,    /* it has no code that this GPU can run, and a program fails */
    JW_VERDICT_UNKNOWN, /* some of its code is of a form that this jitwarm does not know, or it is damaged */
    JW_VERDICT_LINKS,   /* the driver links it while it starts, of inputs that it compiles first */
    JW_VERDICT_JIT,     /* the driver compiles PTX at the first start */
    JW_VERDICT_LAZY,    /* only modules that the library loads on demand would be compiled */
    JW_VERDICT_NATIVE,
    JW_VERDICT_RDC, /* only inputs for the device linker */
    /* no program misses anything: no CUDA code, link stubs, code for nvJitLink, machine code that is loaded on demand, a loose file for
     * another GPU */
    JW_VERDICT_NOTHING,
    JW_VERDICTS
};

extern const char *const jw_verdict_names[JW_VERDICTS]; /* "jit" */

/* What a file holds: its entries of one kind and target. */
struct jw_scan_row {
    enum jw_code_kind kind;
    char arch[20], suffix; /* "compute_90a", 'a' */
    uint16_t sm;           /* 90 */
    uint16_t major, minor; /* PTX: its ISA; else the format's version */
};

enum { JW_VERDICT_FROM = 16 };

struct jw_scan_verdict {
    enum jw_verdict verdict;
    /* By what the driver does with them: modules; those in containers that the library loads on demand. A job is JIT, all others are left out. */
    uint64_t modules[JW_SELECTED_KINDS], lazy[JW_SELECTED_KINDS];
    uint64_t unknown_at; /* the place of the first module of an unknown form */
    /* inputs that the driver links instead of results: among the modules are those that it compiles, of equal text one, or refuses. missing:
     * with neither machine code nor PTX */
    uint64_t inputs, inputs_missing;
    /* of modules that are compiled: how long that takes, and how much longer where no driver is given; 0: a plain scan does not know */
    double seconds, slower;
    uint64_t jit_ptx_bytes; /* the size of their PTX, unpacked */
    uint64_t embedded_jit;  /* among JIT: in the program's data, compiled when it first needs them */
    uint64_t lazy_ptx_bytes;
    struct jw_arch from[JW_VERDICT_FROM]; /* the PTX targets that are compiled, newest first */
    size_t n_from;
    unsigned needs_driver, lazy_needs; /* the oldest branch; for blocked modules on demand; 0: any */
    bool undriven;                     /* blocked: the driver does not support the GPU yet, or no longer */
    struct jw_need too_new[JW_NEED_KINDS]; /* blocked: of each kind the newest; branch 0: none */
    bool on_use; /* PTX that is compiled is of an ISA of which programs load the modules that they use */
};

/* The gate of a build: is such a verdict known to run? `native`: also without that anything is compiled or linked. */
bool jw_scan_passes(const struct jw_scan_verdict *v, bool native);
/* Does this file fail it on this GPU, by its place? One that could not be read or understood may hold anything. */
bool jw_scan_fails(const struct jw_scan_file *f, size_t gpu, enum jw_code_owner of, bool native);

/* A verdict with reason and consequence: "all 143 modules must be compiled from compute_90: 263 MiB of PTX,
 * 4 to 36 minutes on one core, needs driver 590 or newer". `driver`: its version, NULL: any. */
void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                    const struct jw_scan_file *file, const char *driver);

/* The content of a file: "machine code for sm_86 sm_89; PTX for compute_75 (ISA 9.1)". */
void jw_holdings_say(struct jw_buf *out, const struct jw_scan_row *rows, size_t n);

#endif
