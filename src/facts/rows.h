/* The generated tables (facts_tables.c, made by scripts/gen_facts.py). For the files of this folder only. */
#ifndef FACTS_ROWS_H
#define FACTS_ROWS_H

#include "facts/archs.h"

#include <stddef.h>
#include <stdint.h>

struct jw_chip_row {
    uint16_t sm;
    char name[8];
};

/* Sorted by device, then subsystem; device 0, at the end, is an integrated GPU. */
struct jw_gpu_row {
    uint16_t device, sub_vendor, sub_device;
    uint16_t name; /* in the pool; 0: the product has no name */
    uint8_t chip;  /* in jw_facts_chips */
};

struct jw_branch_row {
    uint16_t branch;
    uint8_t cuda_major, cuda_minor;
    uint8_t isa_major, isa_minor; /* the newest PTX that it compiles */
    uint8_t newest_code;          /* as jw_driver_newest_code */
    char text[4];
};

struct jw_release_row {
    uint8_t isa_major, isa_minor;
    uint16_t linux_least, windows_least; /* in the pool: the oldest driver that its programs start with */
    uint8_t cuda_major, cuda_minor;
    uint16_t nvrtc_newest, nvcc_oldest, nvcc_newest; /* architectures, 86 for sm_86 */
};

/* In the texts of errors. */
struct jw_error_row {
    uint16_t code; /* 0: a line in a log */
    uint8_t severity;
    uint32_t name, also, says, meaning, cause, remedy, command;
};

/* All in the pool. */
struct jw_env_row {
    uint16_t variable, scope, os, value;
};

/* All in the pool. */
struct jw_chooser_row {
    uint16_t software, variable, folder; /* the end of the folder's path */
    uint16_t yields;                     /* the user's own setting counts */
};

/* A row of framework_names.csv. Its texts are in the pool of software; blanks separate names. */
struct jw_product_row {
    uint16_t name, title, aliases, cpu_names, compiler;
    uint8_t libs_outside, cpu_else;
};

/* A row of frameworks.csv. Its texts are in the pool of software. */
struct jw_framework_row {
    uint16_t versions, package, cuda_text, cudnn, machine_code, ptx;
    uint16_t low[3], high[3];
    uint8_t parts; /* so many numbers of `high` count: 2.3 stands for all of 2.3 */
    uint16_t cuda; /* 1102 for 11.2; 0: it holds no CUDA code */
    uint16_t modules, ptx_mb;
    uint8_t isa_major, isa_minor;
    uint8_t product; /* in jw_facts_products */
    uint8_t os;      /* bits by enum jw_build_system */
};

/* A report about some versions on some GPUs. */
struct jw_report_row {
    uint16_t text, fix, command, source, about; /* about: a driver, or "" */
    uint16_t low[3], high[3];                   /* the versions; */
    uint8_t parts;     /* so many numbers of `high` count: 2.3 stands for all of 2.3 */
    uint16_t cuda_max; /* only where the toolkit is not newer than this; 0: any */
    uint16_t sm_low, sm_high;
    uint8_t product;    /* JW_FACTS_ANY: each */
    uint8_t os, effect; /* bits by enum jw_build_system; enum jw_report_effect */
};

enum { JW_FACTS_ANY = 255 };

extern const struct jw_arch_fact jw_facts_archs[];
extern const struct jw_chip_row jw_facts_chips[];
extern const struct jw_gpu_row jw_facts_gpus[];
extern const struct jw_branch_row jw_facts_branches[];
extern const struct jw_release_row jw_facts_releases[];
extern const struct jw_error_row jw_facts_errors[];
extern const struct jw_env_row jw_facts_env[];
extern const struct jw_chooser_row jw_facts_choosers[];
extern const struct jw_product_row jw_facts_products[];
extern const struct jw_framework_row jw_facts_frameworks[];
extern const struct jw_report_row jw_facts_reports[];
extern const size_t jw_facts_archs_n, jw_facts_chips_n, jw_facts_gpus_n, jw_facts_branches_n,
    jw_facts_releases_n, jw_facts_errors_n, jw_facts_env_n, jw_facts_products_n, jw_facts_frameworks_n,
    jw_facts_reports_n, jw_facts_choosers_n;
extern const char jw_facts_pool[];
extern const unsigned char jw_facts_packed[];
extern const size_t jw_facts_packed_n;
extern const size_t
    jw_facts_plain[]; /* where each part of what is packed ends, as the next function has them */

/* The long texts are compressed, and unpacked at the first call. Thread-safe. */
struct jw_facts_texts {
    const char *software, *errors; /* of names, frameworks and reports; of errors */
};
struct jw_facts_texts jw_facts_texts(void);

#endif
