/*
 * zstd frames, made and unmade in parts. A frame states the size of its content and has a checksum; above level 9 it
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

struct jw_zstd_unpack {
    struct ZSTD_DCtx_s *z;
    bool whole; /* the frame has ended */
};

bool jw_zstd_unpack_open(struct jw_zstd_unpack *u, struct jw_err *err) JW_MUST;
bool jw_zstd_unpack_begin(struct jw_zstd_unpack *u, struct jw_err *err) JW_MUST;

/* Some of `in` into some of the `room` bytes at `out`; `in` becomes what is left. `*made` 0 with room left: it wants more,
 * or the frame has ended. JW_E_FORMAT: it is damaged. */
bool jw_zstd_unpack_some(struct jw_zstd_unpack *u, struct jw_bytes *in, uint8_t *out, size_t room,
                         size_t *made, struct jw_err *err) JW_MUST;
void jw_zstd_unpack_close(struct jw_zstd_unpack *u); /* accepts a zeroed one */

#endif
