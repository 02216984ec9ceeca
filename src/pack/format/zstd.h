/*
 * zstd frames (RFC 8878): made at once, measured from outside without decompressing them, and unmade at once.
 *
 *   u32 0xFD2FB528   1 descriptor   [1 window]   [content size]   blocks   [4 checksum]
 *
 *   descriptor   bits 0-1 dictionary id   2 checksum   3-4 zeros   5 single segment   6-7 size of the content size
 *   block        3 bytes: bit 0 last, bits 1-2 type (raw, run, compressed), the others its size; then its bytes
 *
 * Frames of a pack state the size of their content, have a checksum, and no dictionary. A frame may
 * look as far back as any decoder does without being asked (128 MiB). Nothing but the content and the build of libzstd
 * decides about the bytes that are made here.
 */
#ifndef PACK_FORMAT_ZSTD_H
#define PACK_FORMAT_ZSTD_H

#include "base/compiler.h"
#include "base/source.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_zstd_frame {
    uint64_t bytes;   /* of the whole frame, compressed */
    uint64_t content; /* by its header */
    uint64_t window;  /* how far back it looks */
    bool checksum;
};

/*
 * Measures the frame at `at`, which must end at `end` or before; else JW_E_FORMAT. It is not unpacked, but a
 * frame that is too long for its content is refused.
 */
bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                           struct jw_err *err) JW_MUST;

#define JW_ZSTD_WINDOW ((uint64_t)128 << 20)    /* the furthest look back */
#define JW_ZSTD_PACK_MEMORY ((uint64_t)2 << 20) /* of a compressor: the use of libzstd 1.5.4, rounded up */

/* The compressor may be kept for the next frame. */
struct ZSTD_CCtx_s *jw_zstd_pack_new(void);
/* One whole frame; `out` has jw_zstd_room(content.n) bytes, and `*n` is how many it takes. */
bool jw_zstd_pack(struct ZSTD_CCtx_s *z, struct jw_bytes content, uint8_t *out, size_t *n,
                  struct jw_err *err) JW_MUST;
size_t jw_zstd_room(size_t n);
void jw_zstd_pack_free(struct ZSTD_CCtx_s *z); /* accepts NULL */

/* The decompressor may be kept for the next frame. */
struct ZSTD_DCtx_s *jw_zstd_unpack_new(void);
/* One whole frame, which was measured, and what it holds: exactly `n` bytes. */
bool jw_zstd_unpack(struct ZSTD_DCtx_s *z, struct jw_bytes frame, uint8_t *out, size_t n,
                    struct jw_err *err) JW_MUST;
void jw_zstd_unpack_free(struct ZSTD_DCtx_s *z); /* accepts NULL */

#endif
