/* zstd frames (RFC 8878): compressed in one call, measured without decompressing, and decompressed
 * in one call. Frames of a pack state the size of their content and have a checksum. Only the
 * content and the build of libzstd decide the bytes that are made here. */
#pragma once

#include "base/compiler.h"
#include "base/source.h"
#include "jitwarm/err.h"

struct jw_zstd_frame {
    uint64_t bytes;   /* of the whole frame, compressed */
    uint64_t content; /* by its header */
};

/* Measures the frame at `at`, which must end at `end` or before; else JW_E_FORMAT. Only the
 * headers of its blocks are read. One that is longer than any frame of `max` bytes of content is
 * refused. */
bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, size_t max,
                           struct jw_zstd_frame *out, struct jw_err *err) JW_MUST;

#define JW_ZSTD_PACK_MEMORY                                                                        \
    ((uint64_t)2 << 20) /* of a compressor: the use of libzstd 1.5.4, rounded up */

/* One whole frame; `out` has jw_zstd_room(content.n) bytes, and `*n` is how many it takes. */
bool jw_zstd_pack(struct jw_bytes content, uint8_t *out, size_t *n, struct jw_err *err) JW_MUST;
size_t jw_zstd_room(size_t n);

/* One whole frame, which was measured, and what it holds: exactly `n` bytes. */
bool jw_zstd_unpack(struct jw_bytes frame, uint8_t *out, size_t n, struct jw_err *err) JW_MUST;
