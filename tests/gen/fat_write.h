/* Writes containers as each toolkit lays them out. */
#pragma once

#include "base/buf.h"
#include "formats/fatbin.h"

/* The header layouts of different toolkits. */
enum gen_fat_layout {
    GEN_LAYOUT_12_5, /* 12.5 and newer: the identifier, then the options */
    GEN_LAYOUT_12_4, /* 12.4: the identifier (may be empty), then the options */
    GEN_LAYOUT_11_8  /* 11.8 and older: the options, then the identifier */
};

struct gen_fat_image {
    enum jw_fat_kind kind;
    struct jw_arch target;
    uint16_t major, minor;
    uint64_t flags;   /* flags in addition to 64-bit, suffix and compression */
    uint64_t packing; /* 0, or the flag of a compression that jitwarm writes */
    /* For one that it does not write; NULL: that of its row. */
    bool (*pack)(uint64_t packing, struct jw_bytes plain, struct jw_buf *out, struct jw_err *err);
    enum gen_fat_layout layout;
    const char *options;     /* NULL: none */
    const char *identifier;  /* NULL: none */
    struct jw_bytes compat;  /* machine code for sm_100 and newer: a copy of .nv.compat */
    bool bare;               /* the writer adds no NUL to PTX, like CUDA 10.1 and older */
    struct jw_bytes payload; /* PTX without NUL; the writer adds one */
};

/* Appends a container with these entries to `out`, whose length must be a multiple of 8. */
bool gen_fat_write(struct jw_buf *out, const struct gen_fat_image *images, size_t n,
                   struct jw_err *err) JW_MUST;
