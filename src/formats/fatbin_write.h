/* Writes a container with one PTX, as CUDA 12.5 and newer lay it out. */
#pragma once

#include "base/buf.h"
#include "formats/arch.h"

struct jw_fat_ptx {
    struct jw_arch target;
    uint16_t major, minor; /* its ISA */
    uint64_t packing;      /* 0, or the flag of a compression that jitwarm writes */
    bool bare;             /* no NUL is added, as CUDA 10.1 and older add none */
    const char *options;   /* "": none */
    struct jw_bytes payload;
};

bool jw_fat_write(struct jw_buf *out, const struct jw_fat_ptx *m, struct jw_err *err) JW_MUST;
