/*
 * zstd frames, made in parts and unmade at once. A frame states the size of its content and has a checksum; above level 9 it
 * looks as far back as any decoder does without being asked (128 MiB), which finds what kernels of one library have in
 * common. Nothing but content and level decides about its bytes, and the build of libzstd.
 */
#ifndef PACK_FORMAT_ZSTD_STREAM_H
#define PACK_FORMAT_ZSTD_STREAM_H

#include "base/compiler.h"
#include "base/source.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { JW_ZSTD_LEVEL_MOST = 19, JW_ZSTD_NEAR = 9 /* the highest level without the long look back */ };
#define JW_ZSTD_WINDOW ((uint64_t)128 << 20) /* the furthest look back */

/* About how much memory one that makes frames of that much content takes. */
uint64_t jw_zstd_pack_memory(int level, uint64_t content);

struct jw_zstd_pack {
    struct ZSTD_CCtx_s *z;
    uint8_t *chunk;
    struct jw_sink out;
};

/* `level` 1 to JW_ZSTD_LEVEL_MOST. Then any number of frames. */
bool jw_zstd_pack_open(struct jw_zstd_pack *p, int level, struct jw_err *err) JW_MUST;
bool jw_zstd_pack_begin(struct jw_zstd_pack *p, uint64_t content, struct jw_sink out,
                        struct jw_err *err) JW_MUST;
bool jw_zstd_pack_put(struct jw_zstd_pack *p, const void *bytes, size_t n, struct jw_err *err) JW_MUST;
bool jw_zstd_pack_end(struct jw_zstd_pack *p, struct jw_err *err) JW_MUST;
void jw_zstd_pack_close(struct jw_zstd_pack *p); /* accepts a zeroed one */

/* What decompresses may be kept for the next frame. */
struct ZSTD_DCtx_s *jw_zstd_unpack_new(void);
/* One whole frame, which was measured, and what it holds: exactly `n` bytes. */
bool jw_zstd_unpack(struct ZSTD_DCtx_s *z, struct jw_bytes frame, uint8_t *out, size_t n,
                    struct jw_err *err) JW_MUST;
void jw_zstd_unpack_free(struct ZSTD_DCtx_s *z); /* accepts NULL */

#endif
