/* Selects the container entry that a driver runs or compiles for a device. */
#ifndef FORMATS_SELECT_H
#define FORMATS_SELECT_H

#include "facts/drivers.h"
#include "formats/fatbin.h"

enum jw_selected {
    JW_SELECTED_NATIVE,  /* has machine code */
    JW_SELECTED_JIT,     /* the driver compiles PTX */
    JW_SELECTED_BLOCKED, /* has code, but the driver is too old for it */
    JW_SELECTED_RDC,     /* an input for the device linker, not loadable alone */
    JW_SELECTED_LTO,     /* only NVVM code, for nvJitLink */
    JW_SELECTED_UNKNOWN, /* no known machine code that fits, and code of a form that newer toolkits write: a driver may take it */
    JW_SELECTED_NONE
};

/* The abilities of the driver. Zeroed: unknown, blocks nothing. */
struct jw_driver_limits {
    bool known;
    unsigned branch;      /* JW_BRANCH_TO_COME: it compiles any PTX */
    uint16_t newest_code; /* loads no machine code of a newer toolkit (jw_driver_newest_code); 0: no limit */
};

/* The oldest driver branch that reads an entry, and for what; all zero: every one. */
struct jw_need {
    unsigned branch;
    const char *packing; /* its payload is compressed so */
    bool cuda_13;        /* machine code that CUDA 13 made for a GPU which older drivers drive, too */
    unsigned code_of;    /* machine code of this toolkit is too new (jw_fat_toolkit was asked) */
};

/* driver-fact: F76-isa-limit, F77-zstd-550, F98-cuda-13-code, F105-code-of-toolkit */
struct jw_need jw_needed(const struct jw_fat_entry *e, const struct jw_driver_limits *driver);

struct jw_choice {
    enum jw_selected outcome;
    const struct jw_fat_entry *entry; /* the entry that runs; NULL for NONE, LTO and UNKNOWN */
    bool stub;                        /* only a linker's stub: machine code below 4 KB, without a kernel */
};

/*
 * Whether it looks like a result of the device linker in which nothing was linked. Ordinary code is registered by a
 * wrapper of version 1. nvcc leaves one without any entry in each program, and where it was asked for PTX alone the
 * inputs are all that there is.
 */
enum { JW_STUB_BYTES = 4096 };
bool jw_looks_like_stub(const struct jw_fat *fat, const struct jw_fat_entry *entries);

struct jw_choice jw_select(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm,
                           const struct jw_driver_limits *driver);

/* Says which code of an input of the device linker the driver takes when it links: NATIVE, JIT, BLOCKED, LTO or NONE. */
struct jw_choice jw_select_input(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm,
                                 const struct jw_driver_limits *driver);

/*
 * Tells whether the driver links when a program loads this result of the device linker: it has neither machine code
 * nor PTX for this device, or no entry at all, and the program has inputs. The list of inputs behind a wrapper of
 * version 2 is filled while the program starts, so that a file does not say which inputs belong to which result: all
 * of them may. driver-fact: F87-links-at-load, F88-link-list
 */
bool jw_links_result(const struct jw_fat *fat, const struct jw_choice *c);

/* An input of the device linker in a program or library; not in an object, an archive or a file of its own. */
bool jw_is_link_input(const struct jw_fat *fat);

#endif
