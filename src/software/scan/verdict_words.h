/* The verdict on a file: its effect on a GPU and the reason; and its sentences. */
#pragma once

#include "formats/select.h"
#include "jitwarm/scan.h"

/* By urgency: what does not run or may not, then compiling, then what nobody has to change. */
enum jw_verdict {
    JW_VERDICT_NONE,    /* it has no code that this GPU can run, and a program fails */
    JW_VERDICT_BLOCKED, /* the driver is too old for its code */
    /* damaged, some of its code is of a form that this jitwarm does not know, or a link lacks
       inputs: it may fail, or compile */
    JW_VERDICT_UNKNOWN,
    JW_VERDICT_COMPILES, /* the driver compiles PTX, or links, at a start or when it is used */
    JW_VERDICT_NATIVE,
    /* nothing is loaded: no CUDA code, inputs of the device linker, link stubs, code for nvJitLink,
     * a loose file for another GPU, a library for a newer driver beside one that runs */
    JW_VERDICT_NOTHING,
    JW_VERDICTS
};

extern const char *const jw_verdict_names[JW_VERDICTS]; /* "native"; of UNKNOWN and NOTHING NULL */

struct jw_scan_verdict {
    enum jw_verdict verdict;
    /* By what the driver does: modules, and those that the library loads on demand. A job is JIT,
     * others are left out. */
    uint64_t modules[JW_SELECTED_KINDS], lazy[JW_SELECTED_KINDS];
    uint64_t unknown_at; /* the place of the first module of an unknown form */
    /* Of inputs that the driver links instead of results that need them those with neither machine
     * code nor PTX. Among the modules are those that it compiles, of equal text one, or refuses. */
    uint64_t inputs_missing;
    /* of modules that are compiled, those that store options which a driver may refuse */
    uint64_t odd_options;
    const char *odd_option; /* the first of them, and what is behind it */
    uint64_t jit_ptx_bytes; /* of modules that are compiled: the size of their PTX, unpacked */
    unsigned needs_driver;  /* the oldest branch; 0: any */
    const char *refused;    /* a driver that was asked did not compile it: its words; NULL: none */
    bool undriven;          /* blocked: the driver does not support the GPU yet, or no longer */
    struct jw_need too_new[JW_NEED_KINDS]; /* blocked: of each kind the newest; branch 0: none */
};

/* The modules of the file, with inputs that are compiled for a link; not those on demand. */
uint64_t jw_verdict_modules(const struct jw_scan_verdict *v);

/* The reason for a verdict: "compiled: 143 of 143 modules, 263 MiB of PTX". `driver`: its version,
 * NULL: any. */
void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                    const struct jw_scan_file *file, const char *driver);

/* The content of a file: "machine code for sm_86 sm_89; PTX for compute_75 (ISA 9.1)". */
void jw_holdings_say(struct jw_buf *out, const struct jw_fat_entry *rows, size_t n);
