/* GPU architectures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct jw_arch_fact {
    uint16_t sm;
    uint16_t first_branch;        /* of Linux drivers; 0: only the Tegra's own */
    uint16_t last_branch;         /* 0: still supported */
    uint8_t isa_major, isa_minor; /* the first PTX ISA that can name it */
    bool isolated;     /* Tegra: its SASS runs on no other minor version, and vice versa */
    bool has_a, has_f; /* sm_90a, sm_100f exist */
};

const struct jw_arch_fact *jw_arch_find(unsigned sm); /* NULL: not in the table */
