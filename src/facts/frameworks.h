/*
 * CUDA frameworks by name and version: the code that packages of the usual index hold, and reports about
 * them. It is for advice only: the code of a file is read from the file, and a package that is in no row is
 * not known.
 */
#ifndef FACTS_FRAMEWORKS_H
#define FACTS_FRAMEWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Software that has rows. */
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

enum jw_build_system { JW_BUILD_LINUX, JW_BUILD_AARCH64, JW_BUILD_WINDOWS };

enum jw_build_system jw_build_system_here(bool windows, const char *arch);

/* Versions whose packages hold the same code for GPUs. */
struct jw_framework {
    size_t product;
    const char *versions, *package; /* "2.5-2.6", "2.11-"; as pip names it: "torch" */
    const char *cuda_text, *cudnn;  /* "11.2"; "8.1"; "" none */
    const char *machine_code, *ptx; /* "50 60 70", "80"; "" none */
    unsigned cuda;                  /* 1102; 0: it holds no CUDA code */
    unsigned modules, isa_major, isa_minor;
    uint64_t ptx_bytes; /* at most, of the newest PTX */
    uint16_t low[3], high[3];
    unsigned parts; /* of `high` count: 2.3 stands for all of 2.3 */
};

/* The rows for this system, oldest first for each product; false behind the last. */
bool jw_framework_at(size_t i, enum jw_build_system system, struct jw_framework *out);

/* -1, 0, 1: all its versions are older than this one, it is one of them, they are newer. */
int jw_framework_compare(const struct jw_framework *f, const uint16_t version[3]);

/* "torch==2.9.1+cu128", as a log names it. */
struct jw_release {
    size_t product;             /* JW_NO_PRODUCT: not in the table */
    char name[48], version[32]; /* as written */
    uint16_t number[3];
    bool cpu; /* a package without CUDA was named */
};

struct jw_release jw_release_of(const char *name, const char *version);

/* False for a text that is not NAME==VERSION. */
bool jw_release_parse(const char *text, struct jw_release *out);

/* The row of a release for this system; a version with a tag of another toolkit (+cu118) is in none. */
bool jw_framework_find(const struct jw_release *r, enum jw_build_system system, struct jw_framework *out);

enum jw_report_effect {
    JW_REPORT_FAILS,  /* its code does not work when the driver compiles it */
    JW_REPORT_WRONG,  /* it computes wrong results */
    JW_REPORT_COST,   /* how long others waited */
    JW_REPORT_DRIVER, /* a driver is bad */
    JW_REPORT_ENDED   /* its makers gave up the GPU: code for it is that of libraries inside */
};

struct jw_report {
    const char *text, *fix, *command, *source;
};

/* Finds what was reported of this version on this GPU; false: nothing of this effect. `product` may be JW_NO_PRODUCT;
 * `cuda`: the toolkit, 0 unknown. */
bool jw_framework_report(size_t product, const uint16_t v[3], enum jw_build_system system, unsigned cuda,
                         unsigned sm, enum jw_report_effect effect, struct jw_report *out);

/* A report about this driver ("580.142") on this GPU; false: none. */
bool jw_driver_report(const char *driver, enum jw_build_system system, unsigned sm, struct jw_report *out);

#endif
