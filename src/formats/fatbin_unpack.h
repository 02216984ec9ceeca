/* Payloads as they were before compression. */
#ifndef FORMATS_FATBIN_UNPACK_H
#define FORMATS_FATBIN_UNPACK_H

#include "formats/fatbin.h"

/*
 * The decoded payload of an entry, in pieces, to `out`. Exactly jw_fat_plain(e) bytes come out, or it fails
 * with a
 * sentence: what is obfuscated, damaged, or claims to be larger than JW_MAX_PLAIN.
 * zstd, zlib and LZ4 frames stream through a small buffer; an LZ4 block needs both sides in memory.
 */
bool jw_fat_unpack(const struct jw_source *src, const struct jw_fat_entry *e, struct jw_sink out,
                   struct jw_err *err) JW_MUST;

/* What a zstd frame says of its plain size, by its first bytes; false: nothing. */
bool jw_zstd_plain(struct jw_bytes head, uint64_t *plain) JW_MUST;

#endif
