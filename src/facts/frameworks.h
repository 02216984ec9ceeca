/* CUDA software by name and version: what its builds hold, the source of that, and reports about it. */
#ifndef FACTS_FRAMEWORKS_H
#define FACTS_FRAMEWORKS_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the CUDA runtime and cuDNN come from. */
enum jw_framework_libs { JW_LIBS_INSIDE, JW_LIBS_OUTSIDE, JW_LIBS_EITHER };
enum jw_framework_os { JW_ON_LINUX = 1, JW_ON_WINDOWS = 2, JW_ON_AARCH64 = 4 };
enum jw_framework_channel { JW_BY_PIP = 1, JW_BY_CONDA = 2, JW_BY_CONTAINER = 4, JW_BY_BUILD = 8 };
enum jw_framework_mark {
    JW_BUILD_APPROXIMATE = 1,
    JW_BUILD_JAXLIB = 2, /* its versions are jaxlib's */
    JW_BUILD_DATED = 4   /* its versions are dates: 2025.5 */
};
enum jw_confidence { JW_SURE, JW_FAIRLY_SURE, JW_UNSURE };

const char *jw_confidence_name(enum jw_confidence c); /* "high", "medium", "low": the words of the tables */

struct jw_framework {
    const char *name, *title;        /* "onnxruntime-gpu", "ONNX Runtime" */
    const char *aliases, *cpu_names; /* with blanks between them; a * at an end stands for anything */
    const char *compiler; /* that compiles at run time, besides the driver: "ptxas", "nvrtc", "" none */
    const char *advice, *note, *source;
    enum jw_framework_libs libs;
    bool cpu_else; /* without its libraries it runs on the CPU, and only its log says so */
    enum jw_confidence confidence;
};

/* One build, as in the table. */
struct jw_framework_build {
    size_t framework;
    const char *version, *variant, *python, *cuda, *cudnn, *sass, *ptx, *source, *notes, *measured;
    const char *code; /* groups of modules, as jw_gpu_code_of_build reads them; "" not scanned, "0" none */
    const uint16_t *low, *high;   /* three numbers each: the versions that it stands for; */
    unsigned parts;               /* so many of `high` count: 2.3 stands for all of 2.3 */
    unsigned cuda_low, cuda_high; /* the toolkits, 1102 for 11.2; 0: none, or not known */
    const uint16_t *tags;         /* five, 0 ends: +cu112 as 1102, any CUDA 12 as 1299 */
    unsigned os, channel, marks;
    bool is_default;
    enum jw_confidence confidence;
};

#define JW_NO_FRAMEWORK ((size_t)-1)

/* A build with every text "". */
extern const struct jw_framework_build jw_no_framework_build;

bool jw_framework_at(size_t i, struct jw_framework *out); /* false behind the last */
bool jw_framework_build_at(size_t i, struct jw_framework_build *out);

/* By its name or another that it goes by; JW_NO_FRAMEWORK: not in the table. *cpu: the name of a build without CUDA. */
size_t jw_framework_find(const char *name, bool *cpu);

/* The name in the table that is most like this one; NULL: none is near. */
const char *jw_framework_nearest(const char *name);

/* True if it has no GPU code. */
static inline bool jw_framework_for_cpu(const struct jw_framework_build *b)
{
    return !*b->sass && !*b->ptx && b->cuda_low == 0;
}

/* -1, 0, 1: `v` is older than, among, newer than the versions of the build. */
int jw_framework_compare(const uint16_t v[3], const struct jw_framework_build *b);

/* A request: "tensorflow==2.3.1", "torch==2.9+cu130", "tensorflow[and-cuda]", "llama.cpp==2025-06". */
struct jw_framework_spec {
    size_t framework;
    char version[32];   /* as it was written; "" none */
    uint16_t number[3]; /* R2020b as 2020.2 */
    unsigned parts;     /* 0: no version was given */
    unsigned tag;       /* +cu112 as 1102, +cu12 as 1299; 0: none */
    char variant[32];   /* "cu112", "conda"; "" none */
    unsigned channel;   /* bits of enum jw_framework_channel; 0: none was said */
    bool cpu;           /* a build without CUDA was named */
    bool with_libs;     /* [and-cuda]: brings its CUDA libraries along */
    bool guessed;       /* the version is guessed from the libraries in a log */
    bool dated, jaxlib;
};

struct jw_err;
bool jw_framework_parse(const char *text, struct jw_framework_spec *out, struct jw_err *err) JW_MUST;

enum jw_framework_match {
    JW_MATCH_EXACT,      /* the table has this version */
    JW_MATCH_AGREED,     /* the scanned versions before and after it get the same verdict; never picked */
    JW_MATCH_NEAR,       /* it has another one of the same minor version */
    JW_MATCH_NEWER,      /* it has only older ones: the newest of them */
    JW_MATCH_BETWEEN,    /* it has older and newer ones: the nearest older one */
    JW_MATCH_NO_VARIANT, /* the version is there, but not built so; the build is another one of it */
    JW_MATCH_NO_SYSTEM,  /* the version is there, but not for this system; the build is another system's */
    JW_MATCH_NONE
};

/* The build for a system (bits of enum jw_framework_os) and the installed toolkit (0: unknown). */
enum jw_framework_match jw_framework_pick(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                                          struct jw_framework_build *out);

/* The scanned build nearest to a version: below it or the same, or (`newer`) above; false: none. */
bool jw_framework_neighbour(const struct jw_framework_spec *s, unsigned os, bool newer,
                            struct jw_framework_build *out);

/* "8.0" -> 800, "11.2.1" -> 1102; 0: neither of them. */
unsigned jw_cuda_number(const char *text);

enum jw_report_effect {
    JW_REPORT_FAILS,
    JW_REPORT_WRONG,
    JW_REPORT_COST,
    JW_REPORT_NOTE,
    JW_REPORT_DRIVER,
    JW_REPORT_ENDED,
    JW_REPORT_PTX
};

struct jw_report {
    const char *text, *fix, *command, *source;
    enum jw_report_effect effect;
    enum jw_confidence confidence;
};

/* What was reported of this version (`parts` 0: any version) on this GPU; false: nothing of this effect.
 * `framework` may be JW_NO_FRAMEWORK; `cuda`: the toolkit, 0 unknown. */
bool jw_framework_report(size_t framework, const uint16_t v[3], unsigned os, unsigned cuda, unsigned sm,
                         enum jw_report_effect effect, struct jw_report *out);

/* A report about this driver ("580.142", JW_REPORT_DRIVER) or PTX target ("compute_100", JW_REPORT_PTX) on this GPU;
 * false: none. */
bool jw_report_about(enum jw_report_effect effect, const char *what, unsigned os, unsigned sm,
                     struct jw_report *out);

struct jw_cuda_release {
    unsigned cuda;                 /* 1102 */
    unsigned isa_major, isa_minor; /* of the PTX that it makes */
    unsigned oldest, newest;       /* architectures that it compiles for */
    unsigned nvrtc_newest;
    const char *linux_least, *windows_least; /* the oldest driver that its programs start with */
    const char *linux_with, *windows_with;   /* the driver that came with it; "" unknown */
};

/* False: not in the table. */
bool jw_cuda_release_find(unsigned cuda, struct jw_cuda_release *out);
/* The oldest toolkit that compiles for this architecture; false: none that we know. */
bool jw_cuda_release_for(unsigned sm, struct jw_cuda_release *out);

#endif
