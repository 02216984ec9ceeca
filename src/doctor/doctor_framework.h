/*
 * What will this software do on that GPU? One classifier, for files that were scanned and for builds that only the
 * table knows. Pure: nothing here reads a file, asks the system, or looks at the environment.
 */
#ifndef DOCTOR_DOCTOR_FRAMEWORK_H
#define DOCTOR_DOCTOR_FRAMEWORK_H

#include "cache/memory/state.h"
#include "doctor/finding.h"
#include "facts/frameworks.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"

enum jw_word {
    JW_WORD_NONE, /* no verdict: the reason says why */
    JW_WORD_NATIVE,
    JW_WORD_WARM, /* all that the driver would compile is in its cache */
    JW_WORD_JIT_FIRST,
    JW_WORD_JIT_EVERY,
    JW_WORD_NO_KERNEL,
    JW_WORD_DRIVER_OLD,
    JW_WORD_PTX_TOO_NEW,
    JW_WORD_CPU_BUILD,
    JW_WORD_LIBS_MISSING,
    JW_WORD_WRONG_RESULT_RISK,
    JW_WORDS
};

const char *jw_word_name(enum jw_word w); /* "JIT_FIRST"; NULL for JW_WORD_NONE */

enum jw_case_system { JW_CASE_LINUX, JW_CASE_WINDOWS, JW_CASE_WSL };

/* A library that the software would use. */
enum jw_presence { JW_PRESENCE_UNKNOWN, JW_PRESENCE_NONE, JW_PRESENCE_VERSION };
struct jw_library {
    enum jw_presence presence;
    unsigned version; /* 1102 for 11.2 */
    uint32_t majors;  /* 0, or bits of the major versions that were seen, whose minor ones nobody knows */
};

struct jw_setting {
    const char *name, *value;
};

/* The circumstances. */
struct jw_case {
    enum jw_case_system system;
    bool aarch64; /* Linux or WSL on such a processor */
    bool container;
    const char *cache; /* the cache of the user; NULL: not known */
    uint64_t cache_used;
    const struct jw_compile_rate *rates; /* that prime measured with this machine's driver */
    size_t n_rates;
    const char *driver; /* NULL: not known */
    const char *python; /* "3.11"; NULL: not known */
    struct jw_library cuda, cudnn;
    const char
        *not_kept; /* what was seen to keep the driver from keeping anything: a sentence; NULL: nothing */
    const struct jw_setting *env;
    size_t n_env;
    const struct jw_gpu *gpus; /* two of a kind are two */
    size_t n_gpus;
};

/* NULL: not set. */
const char *jw_case_env(const struct jw_case *c, const char *name);
/* Set to anything but 0 and nothing? */
bool jw_case_env_on(const struct jw_case *c, const char *name);
unsigned jw_case_os(const struct jw_case *c); /* bits of enum jw_framework_os */

/* What a driver would do with the modules of a piece of software on one GPU. */
struct jw_gpu_code {
    uint64_t native, jit, warm, blocked, none; /* jit: without the warm ones */
    char from[24]; /* "compute_70": what is compiled; "sm_52": what runs; "" nothing */
    unsigned isa_major, isa_minor;
    uint64_t ptx_bytes;       /* to be compiled; 0: not known */
    bool apart;               /* nobody scanned the version, and those around it do not agree */
    bool packed;              /* blocked, because the driver cannot unpack it (zstd) */
    const char *needs_driver; /* branch, for blocked; NULL or "": not known */
};

struct jw_software {
    size_t framework;          /* in the table; JW_NO_FRAMEWORK */
    struct jw_framework about; /* when it is there */
    const char *title;         /* "TensorFlow" */
    const char *version;       /* "2.3.1"; "" not known */
    const char *variant;       /* "cu112"; "" none named */
    bool toolkit_only; /* no software was named: any program of this CUDA toolkit, or (cuda 0) of any */
    bool from_files;
    bool by_message;  /* a program's own message lists its architectures */
    const char *path; /* of its largest file; NULL: none */
    uint64_t modules; /* in the files */
    bool has_build;
    struct jw_framework_build build;
    struct jw_framework_spec spec;
    enum jw_framework_match match;
    enum jw_confidence sure;
    bool cpu;                 /* a package without CUDA */
    unsigned cuda;            /* the toolkit that it is built with; 0: not known */
    struct jw_gpu_code *code; /* one for each GPU of the case */
};

/* Of software that the table does not know. */
#define JW_FRAMEWORK_UNKNOWN                                                                                 \
    ((struct jw_framework){ .name = "",                                                                      \
                            .title = "",                                                                     \
                            .aliases = "",                                                                   \
                            .cpu_names = "",                                                                 \
                            .compiler = "",                                                                  \
                            .advice = "",                                                                    \
                            .note = "",                                                                      \
                            .source = "",                                                                    \
                            .confidence = JW_UNSURE })

/* Why there is no verdict, or why it is this one. */
enum jw_reason {
    JW_BECAUSE_CODE,         /* of the code that is in it */
    JW_BECAUSE_UNKNOWN,      /* the table does not say what is in it */
    JW_BECAUSE_VARIANT,      /* there is no such build of this version */
    JW_BECAUSE_SYSTEM,       /* ... for this system */
    JW_BECAUSE_PYTHON,       /* ... for this Python */
    JW_BECAUSE_HIDDEN,       /* CUDA_VISIBLE_DEVICES shows no GPU */
    JW_BECAUSE_DROPPED,      /* the driver no longer drives the GPU */
    JW_BECAUSE_GPU,          /* the driver does not know the GPU yet */
    JW_BECAUSE_TOOLKIT,      /* the toolkit needs a newer driver */
    JW_BECAUSE_SWITCHED_OFF, /* a variable forbids the driver to compile */
    JW_BECAUSE_FORCED,       /* the driver is told to compile although machine code is there */
    JW_BECAUSE_PACKED,       /* the driver cannot unpack it (zstd) */
    JW_BECAUSE_UNASKED       /* no software was named, and the driver drives the GPU */
};

/* Why what is compiled will not be kept. */
enum jw_every { JW_KEPT, JW_CACHE_OFF, JW_CACHE_SUFFIX, JW_CACHE_SMALL, JW_CACHE_GONE, JW_CACHE_BROKEN };
enum jw_certainty { JW_CERTAIN, JW_LIKELY, JW_AT_RISK };

struct jw_judgement {
    enum jw_word word, also; /* also: what would be so besides; JW_WORD_NONE: nothing */
    enum jw_reason reason;
    enum jw_every every;
    enum jw_certainty certainty;
    char from[24];
    bool known_to_fail; /* compiling it was reported to fail */
};

const char *jw_certainty_name(enum jw_certainty c); /* "certain", "likely", "risk" */

struct jw_judgement jw_judge(const struct jw_case *c, const struct jw_software *s, size_t gpu);

/* ---- who fills jw_software ---- */

/* What jw_select says of lists as the table writes them ("35 37 90a"), compiled with a toolkit (0: not known). */
struct jw_gpu_code jw_gpu_code_of_lists(const char *sass, const char *ptx, unsigned cuda, unsigned sm,
                                        const char *driver, bool force_jit);

/* What jw_select says of the modules of a build that was scanned; nothing, of others. */
struct jw_gpu_code jw_gpu_code_of_build(const struct jw_framework_build *b, unsigned sm, const char *driver,
                                        bool force_jit);

/* A named build, from the table; `spec` NULL: any program of the case's toolkit. */
bool jw_software_of_table(const struct jw_case *c, const struct jw_framework_spec *spec, struct jw_arena *a,
                          struct jw_software *out) JW_MUST;

/* What a program said of itself: the architectures in its message take the place of what the table has. */
void jw_software_of_message(const struct jw_case *c, const char *sass, const char *ptx,
                            struct jw_software *s);

/* Adds what was read from one file. `gpus` of the report's options are those of the case. */
void jw_gpu_code_add(struct jw_gpu_code *code, const struct jw_scan_verdict *v);

/* ---- which build would do better ---- */

struct jw_better {
    bool found;
    bool same_version;     /* only built otherwise: `tag` */
    unsigned tag;          /* 1208 for cu128; 0: none */
    char first[24];        /* "2.4" */
    bool older;            /* `first` is the newest of those before */
    char from[24], to[24]; /* the best of them where the first is not; "" no better; `to` "" alone */
    unsigned cuda;         /* of those */
    const char *cudnn;
};

void jw_better_build(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                     struct jw_better *out);

/* "2.4", "R2020b", "2025-05" */
void jw_version_text(const struct jw_framework_build *b, const uint16_t v[3], unsigned parts, char out[24]);

/* The run-time compiler of this software does not know the GPU? Then the newest architecture that it knows. */
unsigned jw_compiler_too_old(const struct jw_software *s, unsigned cuda, unsigned sm);

/* ---- sentences ---- */

/* What all judgements (n_gpus of them for each software, in turn) mean to the user. */
void jw_doctor_frameworks(const struct jw_case *c, const struct jw_software *s, size_t n,
                          const struct jw_judgement *judgements, struct jw_findings *f);

/* "read from its files", "scanned: version ...": how it is known. Lives with the findings. */
const char *jw_software_known(const struct jw_software *s, struct jw_findings *f);

/* "TensorFlow 2.3.1" */
const char *jw_software_name(const struct jw_software *s, struct jw_findings *f);

/* "NVIDIA GeForce RTX 3070 (compute capability 8.6)" */
const char *jw_gpu_phrase(const struct jw_gpu *gpu, struct jw_findings *f);

#endif
