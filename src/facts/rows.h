/* The generated tables (facts_tables.c, made by scripts/gen_facts.py). For this folder only. */
#pragma once

#include "facts/archs.h"

#include <stddef.h>

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
    uint8_t module_ms;            /* as jw_driver_module_seconds */
};

/* Its texts are offsets in jw_facts_texts. */
struct jw_error_row {
    uint16_t code; /* 0: a line in a log */
    uint8_t severity;
    uint32_t name, also, says, meaning, cause, remedy, variable, value, command;
};

/* Names are offsets in jw_facts_pool. */
extern const struct jw_arch_fact jw_facts_archs[];
extern const struct jw_chip_row jw_facts_chips[];
extern const struct jw_gpu_row jw_facts_gpus[];
extern const struct jw_branch_row jw_facts_branches[];
extern const struct jw_error_row jw_facts_errors[];
extern const size_t jw_facts_archs_n, jw_facts_chips_n, jw_facts_gpus_n, jw_facts_branches_n,
    jw_facts_errors_n;
extern const char jw_facts_pool[];
extern const char jw_facts_texts[]; /* of errors */
