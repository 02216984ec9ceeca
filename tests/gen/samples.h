/*
 * Files that hold CUDA code, made in memory: every format that scan reads, in every shape, sound by
 * default. What is to be damaged is patched afterwards, so each function tells where things came to
 * lie.
 *
 * Everything appends to a jw_buf and cannot fail: a generator that runs out of room ends the
 * program.
 */
#pragma once

#include "base/buf.h"
#include "gen/fat_write.h"

#define GEN_BUF JW_BUF((size_t)64 << 20)
#define GEN_MAX 32 /* sections of one file, members of one archive, entries of one container */

/* ---- CUDA code ---- */

/* A PTX text with `kernels` kernels called k0, k1, ... */
void gen_ptx(struct jw_buf *out, unsigned major, unsigned minor, struct jw_arch target,
             unsigned kernels);

struct gen_cubin {
    struct jw_arch target;
    bool cuda13; /* its e_flags and .nv.compat, else those of CUDA 12 */
    bool relocatable;
    bool empty;            /* without a kernel, as the device linker makes it of nothing */
    struct jw_bytes extra; /* one more section, .nv.info: what a test wants inside */
};
void gen_cubin(struct jw_buf *out, struct gen_cubin c);

/* The .nv.compat attributes of a target: 12 bytes. */
void gen_compat(struct jw_buf *out, struct jw_arch target);

/*
 * One container, told in words: "P80 E86 E90a:s N75". P is PTX (too little to be counted in a
 * verdict), B more of it, E machine code, S the same without a kernel, N NVVM, X a form that nobody
 * knows; then the target; then how it is packed: ":s" zstd,
 * ":l" LZ4, nothing: raw. Payloads match their headers.
 */
void gen_fat(struct jw_buf *out, const char *words);

/* The same with a payload that the caller chooses. */
/* zstd, and LZ4 for all else, as others' tools make them. */
bool gen_pack(uint64_t packing, struct jw_bytes in, struct jw_buf *out, struct jw_err *err);
void gen_fat_images(struct jw_buf *out, const struct gen_fat_image *images, size_t n);

/* ---- Host files ---- */

enum { GEN_PROGBITS = 1, GEN_NOBITS = 8 };

struct gen_section {
    const char *name;
    struct jw_bytes data;
    uint64_t addr;  /* 0: one is chosen */
    uint64_t align; /* 0: 8 */
    uint32_t type;  /* 0: GEN_PROGBITS */
    uint64_t size;  /* of a NOBITS section; PE: VirtualSize, 0: that of the data */
    bool unloaded;  /* not SHF_ALLOC: no address, no segment */
};

struct gen_host {
    size_t n;
    uint64_t at[GEN_MAX], addr[GEN_MAX]; /* of each section's bytes: in the file, in memory */
    uint64_t table;                      /* of section headers */
    uint64_t header;                     /* PE: of "PE\0\0" */
    uint64_t names;                      /* of section names */
};

struct gen_elf {
    uint16_t type, machine; /* 0: 3 (shared) and 62 (x86-64) */
    uint8_t os_abi, abi_version;
    uint32_t flags;
    bool bare;     /* no section table, as sstrip leaves it */
    bool extended; /* the count and the name index are in section 0 */
};

/* Section i of `sections` has header number i + 1. */
struct gen_host gen_elf(struct jw_buf *out, struct gen_elf how, const struct gen_section *sections,
                        size_t n);

/* An ELF library with `fat` in .nv_fatbin and a wrapper for each container, empty (lld) unless
 * `wrapped`. */
struct gen_host gen_library(struct jw_buf *out, struct jw_bytes fat, bool wrapped);

/* `wrappers`: of the containers at these offsets of a section loaded at `addr`. */
void gen_wrappers(struct jw_buf *out, uint32_t version, uint64_t addr, const uint64_t *offsets,
                  size_t n);

#define GEN_IMAGE_BASE 0x180000000ULL
struct gen_host gen_pe(struct jw_buf *out, const struct gen_section *sections, size_t n);

/* ---- Boxes ---- */

struct gen_member {
    const char *name;
    struct jw_bytes data;
    bool deflated;
    bool zip64;      /* sizes and place in the extra field */
    uint16_t flags;  /* 1: encrypted */
    uint16_t method; /* not 0: claimed instead of what was done */
    uint64_t plain;  /* not 0: claimed instead of the truth */
};

struct gen_box {
    uint64_t at[GEN_MAX]; /* of each member's data */
    uint64_t header[GEN_MAX];
    uint64_t end; /* of the end record */
    uint64_t directory;
};

struct gen_box gen_zip(struct jw_buf *out, const struct gen_member *members, size_t n,
                       const char *comment);

/* Deflated without a zlib header; `level` as zlib counts. */
void gen_deflate(struct jw_buf *out, struct jw_bytes plain, int level);

/* ---- Numbers, little-endian ---- */

void gen_put16(struct jw_buf *b, uint64_t v);
void gen_put32(struct jw_buf *b, uint64_t v);
void gen_put64(struct jw_buf *b, uint64_t v);

/* ---- Patching ---- */

void gen_set16(struct jw_buf *b, uint64_t at, uint16_t v);
void gen_set32(struct jw_buf *b, uint64_t at, uint32_t v);
void gen_set64(struct jw_buf *b, uint64_t at, uint64_t v);
void gen_pad(struct jw_buf *b, size_t to); /* zeros up to a multiple of `to` */

/* Ends the program when a buffer lost something. */
void gen_check(const struct jw_buf *b);
void gen_must(bool ok, const struct jw_err *err);
