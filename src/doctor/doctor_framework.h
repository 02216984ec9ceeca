/*
 * Judges what software does on a GPU, from scanned files or from the table of known builds. Pure: nothing here reads
 * files, the system or the environment.
 */
#ifndef DOCTOR_DOCTOR_FRAMEWORK_H
#define DOCTOR_DOCTOR_FRAMEWORK_H

#include "cache/memory/state.h"
#include "doctor/finding.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/frameworks.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"

enum jw_word {
    JW_WORD_NONE, /* no verdict; see the reason */
    JW_WORD_NATIVE,
    JW_WORD_WARM, /* everything to be compiled is in the driver's cache */
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

/* An installed CUDA library. */
enum jw_presence { JW_PRESENCE_UNKNOWN, JW_PRESENCE_NONE, JW_PRESENCE_VERSION };
struct jw_library {
    enum jw_presence presence;
    unsigned version; /* 1102 for 11.2 */
    uint32_t majors;  /* bits of major versions whose minor versions are unknown; 0: use `version` */
};

struct jw_setting {
    const char *name, *value;
};

/* The circumstances. */
struct jw_case {
    enum jw_case_system system;
    bool aarch64;
    bool container;
    const char *cache; /* the cache of the user; NULL: not known */
    uint64_t cache_used;
    const struct jw_compile_rate *rates; /* measured by prime with this driver */
    size_t n_rates;
    const char *driver; /* NULL: not known */
    const char *python; /* "3.11"; NULL: not known */
    struct jw_library cuda, cudnn;
    const char *not_kept; /* why nothing is cached: a sentence; NULL: it is */
    const struct jw_setting *env;
    size_t n_env;
    const struct jw_gpu *gpus;
    size_t n_gpus;
};

/* NULL: not set. */
const char *jw_case_env(const struct jw_case *c, const char *name);
/* True if set, not empty and not 0. */
bool jw_case_env_on(const struct jw_case *c, const char *name);
bool jw_case_forced(
    const struct jw_case *c); /* a variable has the driver compile even where there is machine code */
unsigned jw_case_os(const struct jw_case *c); /* bits of enum jw_framework_os */
enum jw_drives jw_case_drives(const struct jw_case *c, unsigned sm);
const char *jw_case_least(const struct jw_case *c, const struct jw_cuda_release *t); /* driver of a toolkit */
bool jw_case_serves(const struct jw_case *c, unsigned cuda); /* False: its driver is older than that */

/* What a driver would do with the modules of a piece of software on one GPU. */
struct jw_gpu_code {
    uint64_t native, jit, warm, blocked, none; /* modules; jit excludes warm */
    char from[24];                             /* "compute_70" is compiled, "sm_52" runs; "" nothing */
    unsigned isa_major, isa_minor;
    uint64_t ptx_bytes;       /* to be compiled; 0: not known */
    bool apart;               /* not scanned, and the versions around it differ */
    bool packed;              /* blocked because the driver cannot read zstd */
    const char *needs_driver; /* branch, for blocked; NULL or "": not known */
};

struct jw_software {
    size_t framework;          /* in the table; JW_NO_FRAMEWORK */
    struct jw_framework about; /* when it is there */
    const char *title;         /* "TensorFlow" */
    const char *version;       /* "2.3.1"; "" not known */
    const char *variant;       /* "cu112"; "" none named */
    bool toolkit_only;         /* no software named: any program of this CUDA toolkit (cuda 0: of any) */
    bool from_files;
    bool by_message;  /* the architectures come from the program's own message */
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

/* What was reported of it on such a GPU; false: nothing of this effect. */
bool jw_software_report(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                        enum jw_report_effect effect, struct jw_report *out);

/* Software that is not in the table. */
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

/* The reason of a verdict, or of none. */
enum jw_reason {
    JW_BECAUSE_CODE,         /* its code */
    JW_BECAUSE_UNKNOWN,      /* its content is not known */
    JW_BECAUSE_VARIANT,      /* no such build of this version */
    JW_BECAUSE_SYSTEM,       /* no build for this system */
    JW_BECAUSE_PYTHON,       /* no build for this Python */
    JW_BECAUSE_HIDDEN,       /* CUDA_VISIBLE_DEVICES shows no GPU */
    JW_BECAUSE_DROPPED,      /* the driver no longer supports the GPU */
    JW_BECAUSE_GPU,          /* the driver is too old for the GPU */
    JW_BECAUSE_TOOLKIT,      /* the toolkit needs a newer driver */
    JW_BECAUSE_SWITCHED_OFF, /* a variable forbids the driver to compile */
    JW_BECAUSE_FORCED,       /* a variable makes the driver skip machine code */
    JW_BECAUSE_PACKED,       /* the driver cannot read zstd */
    JW_BECAUSE_UNASKED       /* no software was named, and the driver supports the GPU */
};

/* Why compiled code is not cached. */
enum jw_every { JW_KEPT, JW_CACHE_OFF, JW_CACHE_SUFFIX, JW_CACHE_SMALL, JW_CACHE_GONE, JW_CACHE_BROKEN };
enum jw_certainty { JW_CERTAIN, JW_LIKELY, JW_AT_RISK };

struct jw_judgement {
    enum jw_word word, also; /* also: a second verdict, or JW_WORD_NONE */
    enum jw_reason reason;
    enum jw_every every;
    enum jw_certainty certainty;
    char from[24];
    bool known_to_fail; /* reports say that compiling fails */
};

const char *jw_certainty_name(enum jw_certainty c); /* "certain", "likely", "risk" */

struct jw_judgement jw_judge(const struct jw_case *c, const struct jw_software *s, size_t gpu);

/* ---- filling jw_software ---- */

/* Judges lists such as "35 37 90a", built with toolkit `cuda` (0: unknown). */
struct jw_gpu_code jw_gpu_code_of_lists(const char *sass, const char *ptx, unsigned cuda, unsigned sm,
                                        const char *driver, bool force_jit);

/* Judges the modules of a scanned build; all zero for other builds. */
struct jw_gpu_code jw_gpu_code_of_build(const struct jw_framework_build *b, unsigned sm, const char *driver,
                                        bool force_jit);

/* Fills from the table; `spec` NULL: any program of the case's toolkit. */
void jw_software_of_table(const struct jw_case *c, const struct jw_framework_spec *spec, struct jw_arena *a,
                          struct jw_software *out);

/* Replaces the table's architectures by those that the program printed. */
void jw_software_of_message(const struct jw_case *c, const char *sass, const char *ptx,
                            struct jw_software *s);

/* Adds the verdict of one scanned file. */
void jw_gpu_code_add(struct jw_gpu_code *code, const struct jw_scan_verdict *v);

/* ---- a better build ---- */

struct jw_better {
    bool found;
    bool same_version;     /* the same version with another `tag` */
    unsigned tag;          /* 1208 for cu128; 0: none */
    char first[24];        /* "2.4" */
    bool older;            /* `first` is an older version */
    char from[24], to[24]; /* the best range, if not `first`; "": none; `to` "": one version */
    unsigned cuda;         /* of those */
    const char *cudnn;
};

void jw_better_build(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                     struct jw_better *out);

/* "2.4", "R2020b", "2025-05" */
void jw_version_text(const struct jw_framework_build *b, const uint16_t v[3], unsigned parts, char out[24]);

/* The newest architecture that the software's run-time compiler knows, if older than the GPU; else 0. */
unsigned jw_compiler_too_old(const struct jw_software *s, unsigned cuda, unsigned sm);

/* ---- sentences ---- */

/* Adds findings for all judgements (n_gpus for each software). */
void jw_doctor_frameworks(const struct jw_case *c, const struct jw_software *s, size_t n,
                          const struct jw_judgement *judgements, struct jw_findings *f);

/* How the content is known: "read from its files". Lives with the findings. */
const char *jw_software_known(const struct jw_software *s, struct jw_findings *f);

/* "TensorFlow 2.3.1" */
const char *jw_software_name(const struct jw_software *s, struct jw_findings *f);

/* "NVIDIA GeForce RTX 3070 (compute capability 8.6)" */
const char *jw_gpu_phrase(const struct jw_gpu *gpu, struct jw_findings *f);

#endif
