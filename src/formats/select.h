/* Which entry of a container a driver would run on a device, and what that means. */
#ifndef FORMATS_SELECT_H
#define FORMATS_SELECT_H

#include "formats/fatbin.h"

enum jw_outcome {
    JW_OUT_NATIVE,  /* machine code is there */
    JW_OUT_JIT,     /* the driver compiles PTX */
    JW_OUT_BLOCKED, /* something is there, but this driver is too old for it */
    JW_OUT_RDC,     /* an input of the device linker, not loadable alone */
    JW_OUT_LTO,     /* only NVVM code, for nvJitLink */
    JW_OUT_NONE
};

/* What the driver can read. Zeroed: nothing is known, nothing is blocked. */
struct jw_driver_limits {
    bool known;
    uint16_t isa_major, isa_minor; /* the newest PTX that it compiles */
    bool zstd;                     /* it unpacks zstd */
    bool force_jit;                /* CUDA_FORCE_PTX_JIT: machine code is passed over */
};

struct jw_choice {
    enum jw_outcome outcome;
    const struct jw_fat_entry *entry; /* what runs or would run; NULL for NONE and LTO */
    bool stub; /* nothing but a linker's stub: machine code only, under 4 KB in all, without a kernel */
};

/* Does it look like what the device linker makes of nothing? Ordinary code is registered by a wrapper of version 1. */
enum { JW_STUB_BYTES = 4096 };
bool jw_looks_like_stub(const struct jw_fat *fat, const struct jw_fat_entry *entries);

struct jw_choice jw_select(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm,
                           const struct jw_driver_limits *driver);

#endif
