/* Reads cubins: GPU machine code in an ELF file with e_machine 190. */
#pragma once

#include "formats/arch.h"
#include "formats/elf.h"

struct jw_cubin {
    struct jw_arch target;
    bool new_layout; /* byte order of e_flags: CUDA 13, and from sm_100 on 12.8 and 12.9 */
};

/* `elf`: its header, with machine 190. */
bool jw_cubin_read(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                   struct jw_cubin *out, struct jw_err *err) JW_MUST;
