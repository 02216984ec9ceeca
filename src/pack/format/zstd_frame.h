/*
 * The outside of a zstd frame (RFC 8878), without decompressing it: how long it is, how much it says it holds, how much
 * memory its reader needs.
 *
 *   u32 0xFD2FB528   1 descriptor   [1 window]   [content size]   blocks   [4 checksum]
 *
 *   descriptor   bits 0-1 dictionary id   2 checksum   3-4 zeros   5 single segment   6-7 size of the content size
 *   block        3 bytes: bit 0 last, bits 1-2 type (raw, run, compressed), the others its size; then its bytes
 *
 * Frames of a pack state the size of their content, have a checksum, and no dictionary.
 */
#ifndef PACK_FORMAT_ZSTD_FRAME_H
#define PACK_FORMAT_ZSTD_FRAME_H

#include "base/compiler.h"
#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_zstd_frame {
    uint64_t bytes;   /* of the whole frame, compressed */
    uint64_t content; /* what it says it holds */
    uint64_t window;  /* how far back it looks */
    bool checksum;
};

/*
 * The frame at `at`; nothing of it may lie at or beyond `end`. JW_E_FORMAT. What the content would be is not looked at, but
 * a frame that is longer than that content could make it is refused.
 */
bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                           struct jw_err *err) JW_MUST;

#endif
