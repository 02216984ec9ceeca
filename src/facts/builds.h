/*
 * Prebuilt CUDA software by name and version: the builds whose packages were scanned, and what was reported of some. What is
 * not in the table is not known: a version says nothing of another one.
 */
#ifndef FACTS_BUILDS_H
#define FACTS_BUILDS_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_err;

/* Software that has builds. */
struct jw_product {
    const char *name, *title;        /* "onnxruntime-gpu", "ONNX Runtime" */
    const char *aliases, *cpu_names; /* with blanks between them; a * at an end stands for anything */
    const char *compiler; /* that compiles at run time, besides the driver: "ptxas", "nvrtc", "" none */
    bool libs_outside;    /* its CUDA libraries are installed apart from it */
    bool cpu_else;        /* without them it runs on the CPU, and only its log says so */
};

#define JW_NO_PRODUCT ((size_t)-1)

bool jw_product_at(size_t i, struct jw_product *out); /* false behind the last */

/* By its name or another that it goes by, in any spelling of pip; JW_NO_PRODUCT: not in the table. *cpu: the name of a build
 * without CUDA. */
size_t jw_product_find(const char *name, bool *cpu);

/* The name in the table that is most like this one; NULL: none is near. */
const char *jw_product_nearest(const char *name);

enum jw_build_system { JW_BUILD_LINUX, JW_BUILD_AARCH64, JW_BUILD_WINDOWS, JW_BUILD_SYSTEMS };

const char *jw_build_system_title(enum jw_build_system s); /* "Linux", "Linux (aarch64)", "Windows" */
const char *jw_build_system_name(enum jw_build_system s);  /* "linux", "linux-aarch64", "windows" */
enum jw_build_system jw_build_system_here(bool windows, const char *arch);

/* A package that was scanned. */
struct jw_build {
    size_t product;
    const char *package, *version; /* as pip names them: "torch", "2.9.1" */
    const char *measured;          /* "2026-11-20" */
    const char *cuda_text, *cudnn; /* "11.2", "12.x"; "8"; "" not known, or none */
    const char *code;              /* groups of modules, for software/scan/scan_build.h; "0": no CUDA code */
    unsigned cuda;                 /* the oldest toolkit that `cuda_text` may mean: 1102; 0: not known */
    enum jw_build_system system;
    uint16_t number[3];
};

bool jw_build_at(size_t i, struct jw_build *out); /* false behind the last */

/* -1, 0, 1: a is older than, like, newer than b. */
int jw_build_compare(const uint16_t a[3], const uint16_t b[3]);

/* "tensorflow==2.3.1", "torch==2.9", "Torch_2"... */
struct jw_build_request {
    size_t product;
    char name[48], version[32]; /* as written; version "" none */
    bool cpu;                   /* a package without CUDA was named */
};

/* True if a text is NAME==VERSION, or may be the name of a package: it has letters of one only. */
bool jw_build_is_request(const char *text);

/* Fails for a name that is not in the table, and names the nearest. */
bool jw_build_parse(const char *text, struct jw_build_request *out, struct jw_err *err) JW_MUST;

/* A build of this name and version; 2.9 stands for each 2.9.x, no version for all. */
bool jw_build_fits(const struct jw_build *b, const struct jw_build_request *r);

enum jw_report_effect {
    JW_REPORT_FAILS,  /* what the driver compiles of it does not work */
    JW_REPORT_WRONG,  /* it computes wrong results */
    JW_REPORT_COST,   /* how long others waited */
    JW_REPORT_DRIVER, /* a driver is bad */
    JW_REPORT_ENDED   /* its makers gave up the GPU: code for it is that of libraries inside */
};

struct jw_report {
    const char *text, *fix, *command, *source;
};

/* What was reported of this version on this GPU; false: nothing of this effect. `product` may be JW_NO_PRODUCT; `cuda`: the
 * toolkit, 0 unknown. */
bool jw_build_report(size_t product, const uint16_t v[3], enum jw_build_system system, unsigned cuda,
                     unsigned sm, enum jw_report_effect effect, struct jw_report *out);

/* A report about this driver ("580.142") on this GPU; false: none. */
bool jw_driver_report(const char *driver, enum jw_build_system system, unsigned sm, struct jw_report *out);

#endif
