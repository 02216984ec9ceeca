/* Checks what software does on the GPUs here, or on those of a log. Pure: nothing here reads files, the system or the
 * environment. */
#ifndef DOCTOR_DOCTOR_SOFTWARE_H
#define DOCTOR_DOCTOR_SOFTWARE_H

#include "cache/memory/state.h"
#include "doctor/finding.h"
#include "driver/witness/variables.h"
#include "facts/frameworks.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"
#include "software/find/run_time.h"

enum jw_software_verdict {
    JW_SOFTWARE_UNKNOWN,
    JW_SOFTWARE_NATIVE,
    JW_SOFTWARE_WARM, /* everything to be compiled is in the driver's cache */
    JW_SOFTWARE_JIT_FIRST,
    JW_SOFTWARE_JIT_EVERY,
    JW_SOFTWARE_NO_KERNEL,
    JW_SOFTWARE_DRIVER_OLD,
    JW_SOFTWARE_PTX_TOO_NEW,
    JW_SOFTWARE_NO_COMPILER, /* it would have to be compiled, and this driver compiles nothing here */
    JW_SOFTWARE_REFUSED,     /* this driver could not compile it for jitwarm; the rest is warm or native */
    JW_SOFTWARE_CPU_BUILD,
    JW_SOFTWARE_LIBS_MISSING,
    JW_SOFTWARE_RUN_TIME, /* it has no code, and compiles while it runs */
    JW_SOFTWARE_VERDICTS
};

extern const char *const jw_software_verdict_names[JW_SOFTWARE_VERDICTS]; /* "JIT_FIRST"; NULL for UNKNOWN */
extern const char *const jw_software_verdict_texts[JW_SOFTWARE_VERDICTS]; /* "compiled at the first start" */

/* Major versions of an installed library, as bits; `looked` false: nobody looked. */
struct jw_library {
    bool looked;
    uint32_t majors;
};

struct jw_doctor_machine;

/* The circumstances. */
struct jw_software_case {
    const struct jw_doctor_machine *machine; /* NULL: those of a log */
    enum jw_build_system system;
    bool container;
    uint64_t cache_used;
    const struct jw_compile_rate *rates; /* measured by prime with this driver */
    size_t n_rates;
    double waited_s;    /* of a log: where it stood still while the driver compiled; 0: it did not */
    const char *driver; /* NULL: not known */
    struct jw_library cuda, cudnn;
    const char *not_kept; /* why nothing is cached: a sentence; NULL: it is */
    const struct jw_variable *env;
    size_t n_env;
    const struct jw_gpu *gpus;
    size_t n_gpus;
};

const char *jw_case_env(const struct jw_software_case *c, const char *name); /* NULL: not set */
/* A variable has the driver compile even where there is machine code. */
bool jw_case_forced(const struct jw_software_case *c);

/* Counts of the modules of a piece of software on one GPU, by the driver's action. */
struct jw_gpu_code {
    uint64_t native, jit, warm, refused, blocked, none, unknown; /* modules; jit excludes warm and refused */
    char from[24];    /* "compute_70": the PTX that is compiled; "" none */
    uint64_t damaged; /* entries in the cache, of those that are compiled again */
    unsigned isa_major, isa_minor;
    uint64_t ptx_bytes;       /* to be compiled; 0: not known */
    bool undriven;            /* blocked because the driver does not drive the GPU */
    bool packed;              /* blocked because the driver cannot read zstd */
    bool cuda_13;             /* or machine code of CUDA 13 */
    unsigned needs_toolkit;   /* blocked because the driver is too old for this toolkit */
    const char *needs_driver; /* for blocked; NULL or "": not known */
};

/* Adds the verdict of one scanned file. */
void jw_gpu_code_add(struct jw_gpu_code *code, const struct jw_scan_verdict *v);

/* CUDA libraries that its files name, and that it does not bring. */
struct jw_needed_libraries {
    bool looked;         /* false: its files were not asked */
    unsigned cuda;       /* the oldest CUDA by their numbers: 12; 0: none has one */
    const char *missing; /* "libcublas.so.12, libcudnn_ops_infer.so.8"; "": none */
    const char *install; /* the command that installs them; "": none is known */
    const char *unseen;  /* installed, in a folder that neither it nor the loader looks into; "": none */
    const char *folders; /* those folders, as LD_LIBRARY_PATH takes them */
    const char *how;     /* that it needs them is known: "its files name them" */
};

enum jw_software_source {
    JW_FROM_NOTHING,
    JW_FROM_FILES,
    JW_FROM_TABLE,
    JW_FROM_MESSAGE /* the program's own message lists its architectures */
};

const char *jw_software_source_name(enum jw_software_source s); /* "files" */

struct jw_software {
    const char *title, *version; /* "TensorFlow", "2.3.1"; version "": not known */
    enum jw_software_source from;
    const char *path; /* of its largest file, or of the folder of loose files; NULL: none */
    bool is_ptx;      /* PTX text alone, not a container: a program of one's own, and no package */
    /* loose files of one folder: "m0.ptx, m1.ptx, m2.ptx and 37 more"; NULL: it is something else */
    const char *files;
    uint64_t n_files;        /* the number of these */
    uint64_t modules;        /* in the files */
    const char *pip;         /* "/venv/bin/python -m pip": of its environment; NULL or "": none is known */
    const char *package;     /* the name that pip knows; NULL: not asked by one */
    size_t product;          /* in the table; JW_NO_PRODUCT */
    struct jw_product about; /* when it is there */
    uint16_t number[3];      /* of its version */
    struct jw_framework *framework; /* its row of the table; NULL: there is none */
    bool guessed;                   /* the version is that of the libraries in a log */
    bool cpu;                       /* a package without CUDA */
    /* it compiles while it runs; NULL: it does not, or that is not known */
    const struct jw_run_time *run_time;
    struct jw_needed_libraries libraries;
    struct jw_gpu_code *code; /* one for each GPU of the case */
};

/* Why compiled code is not cached. */
enum jw_uncached {
    JW_KEPT,
    JW_CACHE_FORCED,
    JW_CACHE_OFF,
    JW_CACHE_SUFFIX,
    JW_CACHE_SMALL,
    JW_CACHE_GONE,
    JW_CACHE_BROKEN
};
enum jw_certainty { JW_CERTAIN, JW_LIKELY, JW_AT_RISK };

struct jw_software_check {
    enum jw_software_verdict verdict;
    enum jw_software_verdict code; /* the same without regard to libraries that are missing */
    enum jw_uncached every;
    enum jw_certainty certainty;
    bool switched_off; /* NO_KERNEL because a variable forbids the driver to compile */
    bool forced;       /* NO_KERNEL because a variable makes the driver skip machine code */
};

struct jw_software_check jw_check_software(const struct jw_software_case *c, const struct jw_software *s,
                                           size_t gpu);

/* ---- the toolkit that it is built with: 1202, of CUDA 12.2 ---- */

/* The oldest driver that its programs start with, where that of the case is older; NULL: it is not, or nothing is known. */
const char *jw_toolkit_needs_driver(const struct jw_software_case *c, unsigned cuda);

/* A program of a newer toolkit than the driver serves finds no GPU at all. */
void jw_block_by_toolkit(const struct jw_software_case *c, unsigned cuda, struct jw_gpu_code *code);

/* ---- the table ---- */

/* Title and row of a release that the table has; changes nothing else. */
void jw_software_look_up(const struct jw_release *r, enum jw_build_system system, struct jw_arena *a,
                         struct jw_software *s);

/* Fills in software that a log names, from the table, for the GPUs of the case. */
bool jw_software_of_release(const struct jw_software_case *c, const struct jw_release *r, struct jw_arena *a,
                            struct jw_software *out, struct jw_err *err) JW_MUST;

/* The nearest versions that compile nothing on this GPU, newer ones first. Those whose own compiler does not know the GPU
 * come last. False: none is known. */
bool jw_software_ready(const struct jw_software_case *c, const struct jw_software *s,
                       const struct jw_gpu *gpu, struct jw_framework *out, bool *older);

/* The toolkit whose ptxas or NVRTC knows the GPU, where that of this toolkit does not: 1101; 0: it does, or none is
 * called. */
unsigned jw_own_compiler_needs(const struct jw_product *about, unsigned cuda, unsigned sm);

/* Software of which a message lists the architectures: "50 60 70", PTX "80". */
bool jw_software_of_message(const struct jw_software_case *c, const char *title, const char *sass,
                            const char *ptx, struct jw_arena *a, struct jw_software *out,
                            struct jw_err *err) JW_MUST;

/* ---- sentences ---- */

/* Adds findings for all checks (n_gpus for each software). */
void jw_doctor_software(const struct jw_software_case *c, const struct jw_software *s, size_t n,
                        const struct jw_software_check *checks, struct jw_findings *f);

/* Findings that were reported of any program of this toolkit (705 for CUDA 7.5) on the GPUs. */
void jw_doctor_toolkit(const struct jw_software_case *c, unsigned cuda, struct jw_findings *f);

const char *jw_software_name(const struct jw_software *s, struct jw_findings *f); /* "TensorFlow 2.3.1" */

#endif
