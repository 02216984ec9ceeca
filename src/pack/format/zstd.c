#include "pack/format/zstd.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"

#include <zstd.h>
#include <zstd_errors.h>

/* ---- made, and unmade ---- */

enum { WORK_MEMORY = 1 << 20 /* for a message */ };

static bool zstd_failed(size_t code, struct jw_err *err)
{
    if (!ZSTD_isError(code))
        return false;
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        jw_out_of_memory(WORK_MEMORY);
    return !jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(code));
}

/* ---- measured from outside ---- */

enum { MAGIC = 4, AT_DESCRIPTOR = 4 };
#define ZSTD_FRAME 0xFD2FB528U

static bool measure(struct jw_bytes in, struct jw_zstd_frame *out, struct jw_err *err)
{
    unsigned long long content = ZSTD_CONTENTSIZE_UNKNOWN;

    if (in.n <= AT_DESCRIPTOR || jw_le32(in.p) != ZSTD_FRAME)
        return jw_fail(err, JW_E_FORMAT, "zstd: no frame where one should begin");
    out->bytes = ZSTD_findFrameCompressedSize(in.p, in.n);
    if (zstd_failed((size_t)out->bytes, err))
        return false;
    content = ZSTD_getFrameContentSize(in.p, in.n);
    if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR)
        return jw_fail(err, JW_E_FORMAT, "zstd: a frame does not state the size of its content");
    out->content = content;
    return (in.p[AT_DESCRIPTOR] >> 2 & 1) || jw_fail(err, JW_E_FORMAT, "zstd: a frame has no checksum");
}

bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, size_t max,
                           struct jw_zstd_frame *out, struct jw_err *err)
{
    uint64_t there = jw_min(end, src->size);
    size_t n = (size_t)jw_min(there - jw_min(at, there), jw_zstd_room(max));
    uint8_t *p = jw_realloc(NULL, n + 1);
    bool ok =
        jw_source_read(src, at, p, n, err)
        && (measure((struct jw_bytes){ p, n }, out, err) || jw_wrap(err, "0x%llx", (unsigned long long)at));

    jw_free(p);
    return ok;
}

/* ---- to frames ---- */

/*
 * zstd's level 3, but for what suits compiled GPU code: few short matches, many long ones, modules that resemble each
 * other many megabytes apart, and a table of matches that stays in the processor's own cache (docs/developing.md).
 */
enum { LEVEL = 3, MIN_MATCH = 7, HASH_LOG = 16, LOOK_BACK_LOG = 23 };

static bool set_parameter(ZSTD_CCtx *z, ZSTD_cParameter what, int value, struct jw_err *err)
{
    return !zstd_failed(ZSTD_CCtx_setParameter(z, what, value), err);
}

static bool set_parameters(ZSTD_CCtx *z, struct jw_err *err)
{
    return set_parameter(z, ZSTD_c_compressionLevel, LEVEL, err)
           && set_parameter(z, ZSTD_c_checksumFlag, 1, err)
           && set_parameter(z, ZSTD_c_strategy, ZSTD_fast, err)
           && set_parameter(z, ZSTD_c_minMatch, MIN_MATCH, err)
           && set_parameter(z, ZSTD_c_hashLog, HASH_LOG, err)
           && set_parameter(z, ZSTD_c_windowLog, LOOK_BACK_LOG, err);
}

struct ZSTD_CCtx_s *jw_zstd_pack_new(void)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();

    if (!z)
        jw_out_of_memory(WORK_MEMORY);
    return z;
}

size_t jw_zstd_room(size_t n)
{
    return ZSTD_compressBound(n);
}

bool jw_zstd_pack(struct ZSTD_CCtx_s *z, struct jw_bytes content, uint8_t *out, size_t *n, struct jw_err *err)
{
    if (!set_parameters(z, err))
        return false;
    *n = ZSTD_compress2(z, out, ZSTD_compressBound(content.n), content.p, content.n);
    return !zstd_failed(*n, err);
}

void jw_zstd_pack_free(struct ZSTD_CCtx_s *z)
{
    (void)ZSTD_freeCCtx(z);
}

/* ---- from frames ---- */

struct ZSTD_DCtx_s *jw_zstd_unpack_new(void)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();

    if (!z)
        jw_out_of_memory(WORK_MEMORY);
    return z;
}

bool jw_zstd_unpack(struct ZSTD_DCtx_s *z, struct jw_bytes frame, uint8_t *out, size_t n, struct jw_err *err)
{
    size_t made = ZSTD_decompressDCtx(z, out, n, frame.p, frame.n);

    if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_dstSize_tooSmall)
        return jw_fail(err, JW_E_FORMAT, "zstd: a frame holds more than the %zu bytes that it says", n);
    return !zstd_failed(made, err)
           && (made == n || jw_fail(err, JW_E_FORMAT, "zstd: a frame holds %zu bytes, it says %zu", made, n));
}

void jw_zstd_unpack_free(struct ZSTD_DCtx_s *z)
{
    (void)ZSTD_freeDCtx(z);
}
