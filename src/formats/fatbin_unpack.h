/* Decompresses payloads. */
#pragma once

#include "formats/fatbin.h"

struct jw_buf;
struct jw_unpacking;

/* One compression of payloads: a row of the table in fatbin_unpack.c. */
struct jw_packing {
    uint64_t flag; /* of enum jw_fat_flag */
    const char *name;
    unsigned first_branch; /* of the drivers that read it; 0: all do */
    bool (*unpack)(struct jw_unpacking *u, struct jw_err *err);
    bool (*pack)(struct jw_bytes plain, struct jw_buf *out, struct jw_err *err);
};

/* The row for the flags of an entry; NULL: stored raw, or marked with several compressions. */
const struct jw_packing *jw_packing_of(uint64_t flags);

/* Writes the decoded payload of an entry to `out` in pieces: exactly jw_fat_plain(e) bytes. Fails
 * if it is obfuscated, damaged or larger than JW_MAX_PLAIN. zstd uses a small buffer; an LZ4 block
 * needs both sides in memory. */
bool jw_fat_unpack(const struct jw_source *src, const struct jw_fat_entry *e, struct jw_sink out,
                   struct jw_err *err) JW_MUST;

/* Sets the toolkit of machine code, of which the first bytes alone are decoded where its
 * compression allows that. Code that cannot be decoded has none. False only for an interruption. */
bool jw_fat_toolkit(const struct jw_source *src, struct jw_fat_entry *e,
                    struct jw_err *err) JW_MUST;

/* Decodes PTX or machine code, and checks that it is whole and for the architecture in its header.
 * Sets what `e` has of a decoded text. */
bool jw_fat_check(const struct jw_source *src, struct jw_fat_entry *e, struct jw_err *err) JW_MUST;

/* The unpacked size in the header of a zstd frame; false: not given. */
bool jw_zstd_plain(struct jw_bytes head, uint64_t *plain) JW_MUST;
