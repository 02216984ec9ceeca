/* Selects the container entry that a driver runs or compiles for a device. */
#pragma once

#include "facts/drivers.h"
#include "formats/fatbin.h"

enum jw_selected {
    JW_SELECTED_NATIVE,  /* has machine code */
    JW_SELECTED_JIT,     /* the driver compiles PTX */
    JW_SELECTED_BLOCKED, /* has code, but the driver is too old for it */
    JW_SELECTED_RDC,     /* an input for the device linker, which is not linked */
    JW_SELECTED_LTO,     /* only NVVM code, for nvJitLink */
    JW_SELECTED_UNKNOWN, /* no known code fits, but some of a newer form, which a driver may take */
    JW_SELECTED_STUB,    /* only a linker's stub: machine code below 4 KB, without a kernel */
    /* a result of the device linker that the driver links again (scan_judge.h) */
    JW_SELECTED_LINKED,
    JW_SELECTED_NONE,
    JW_SELECTED_KINDS
};

/* The abilities of the driver. Zeroed: unknown, blocks nothing. */
struct jw_driver_limits {
    unsigned branch;      /* JW_BRANCH_TO_COME: it compiles any PTX */
    unsigned isa;         /* its newest PTX, 84 for ISA 8.4; 0: not known */
    uint16_t newest_code; /* as jw_driver_newest_code */
};
/* zeroed for NULL, and what is no version */
struct jw_driver_limits jw_driver_limits(const char *driver);

enum jw_need_kind {
    JW_NEED_CUDA_13, /* machine code that CUDA 13 made for a GPU which older drivers drive, too */
    JW_NEED_TOOLKIT, /* machine code of a newer toolkit (jw_fat_toolkit was asked) */
    JW_NEED_ISA,     /* PTX */
    JW_NEED_PACKING, /* a compression of the payload */
    JW_NEED_KINDS
};

/* The oldest driver branch that reads an entry, and why older ones do not. */
struct jw_need {
    unsigned branch; /* 0: every one */
    enum jw_need_kind kind;
    unsigned version; /* 124 for CUDA 12.4, 84 for ISA 8.4 */
    const char *packing;
};

/* driver-fact: F76-isa-limit, F77-zstd-550, F98-cuda-13-code, F105-code-of-toolkit */
struct jw_need jw_needed(const struct jw_fat_entry *e, const struct jw_driver_limits *driver);

struct jw_choice {
    enum jw_selected outcome;
    /* the entry that runs; NULL for NONE, LTO, STUB and UNKNOWN */
    const struct jw_fat_entry *entry;
};

/* Does it look like a result of the device linker in which nothing was linked? Ordinary code is
 * registered by a wrapper of version 1. nvcc leaves an empty result in each program, and if it was
 * asked for PTX alone, there are only the inputs. */
enum { JW_STUB_BYTES = 4096 };
bool jw_looks_like_stub(const struct jw_fat *fat, const struct jw_fat_entry *entries);

/* `linked`: `fat` is an input of the device linker. Then the outcome is no RDC, STUB or LINKED. */
struct jw_choice jw_select(const struct jw_fat *fat, const struct jw_fat_entry *entries,
                           unsigned sm, const struct jw_driver_limits *driver, bool linked);

/* An input of the device linker. */
static inline bool jw_is_link_input(const struct jw_fat *fat)
{
    return fat->role == JW_ROLE_RDC && (!fat->doubtful || fat->unknown);
}
