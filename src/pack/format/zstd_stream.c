#include "pack/format/zstd_stream.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { CHUNK = 128 << 10, WINDOW_LOG = 27 };

_Static_assert(JW_ZSTD_WINDOW == (uint64_t)1 << WINDOW_LOG, "one window");

static bool failed(size_t code, struct jw_err *err)
{
    if (!ZSTD_isError(code))
        return false;
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        jw_out_of_memory(CHUNK);
    return !jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(code));
}

/* ---- to frames ---- */

/*
 * zstd's levels, but for what suits compiled GPU code: few short matches, many long ones, and modules that resemble each
 * other many megabytes apart. On 140 modules of ggml, against zstd's own level 3: 10 % smaller in a quarter less time
 * (docs/benchmarks.md). 0: as the level has it.
 */
static const struct {
    unsigned char strategy, min_match, hash_log, window_log;
    unsigned char mib; /* what libzstd 1.5.4 took for frames of 32 MB, rounded up */
} near[JW_ZSTD_NEAR + 1] = {
    { 0, 0, 0, 0, 0 },
    { ZSTD_fast, 7, 15, 21, 3 },
    { ZSTD_fast, 7, 16, 22, 5 },
    { ZSTD_fast, 7, 17, 23, 10 },
    { ZSTD_fast, 7, 18, 23, 10 },
    { 0, 0, 0, 23, 12 },
    { 0, 0, 0, 23, 12 },
    { 0, 0, 0, 23, 15 },
    { 0, 0, 0, 23, 15 },
    { 0, 0, 0, 23, 21 },
};

uint64_t jw_zstd_pack_memory(int level, uint64_t content)
{
    uint64_t window = jw_min(content, JW_ZSTD_WINDOW);

    return level <= JW_ZSTD_NEAR ? (uint64_t)near[level < 1 ? 1 : level].mib << 20
                                 : 2 * window + ((uint64_t)64 << 20);
}

static bool set(ZSTD_CCtx *z, ZSTD_cParameter what, int value, struct jw_err *err)
{
    return !failed(ZSTD_CCtx_setParameter(z, what, value), err);
}

static bool set_up(ZSTD_CCtx *z, int level, struct jw_err *err)
{
    if (!set(z, ZSTD_c_compressionLevel, level, err) || !set(z, ZSTD_c_checksumFlag, 1, err))
        return false;
    if (level > JW_ZSTD_NEAR)
        return set(z, ZSTD_c_enableLongDistanceMatching, 1, err) && set(z, ZSTD_c_windowLog, WINDOW_LOG, err);
    return set(z, ZSTD_c_strategy, near[level].strategy, err)
           && set(z, ZSTD_c_minMatch, near[level].min_match, err)
           && set(z, ZSTD_c_hashLog, near[level].hash_log, err)
           && set(z, ZSTD_c_windowLog, near[level].window_log, err);
}

bool jw_zstd_pack_open(struct jw_zstd_pack *p, int level, struct jw_err *err)
{
    *p = (struct jw_zstd_pack){ 0 };
    if (level < 1 || level > JW_ZSTD_LEVEL_MOST)
        return jw_fail(err, JW_E_USAGE, "zstd: level %d, expected 1 to %d", level, JW_ZSTD_LEVEL_MOST);
    p->chunk = jw_alloc(CHUNK);
    p->z = ZSTD_createCCtx();
    if (!p->z)
        jw_out_of_memory(CHUNK);
    return set_up(p->z, level, err);
}

bool jw_zstd_pack_begin(struct jw_zstd_pack *p, uint64_t content, struct jw_sink out, struct jw_err *err)
{
    p->out = out;
    return !failed(ZSTD_CCtx_reset(p->z, ZSTD_reset_session_only), err)
           && !failed(ZSTD_CCtx_setPledgedSrcSize(p->z, content), err);
}

/* `*left`: what the frame still holds back. */
static bool step(struct jw_zstd_pack *p, ZSTD_inBuffer *in, ZSTD_EndDirective how, size_t *left,
                 struct jw_err *err)
{
    ZSTD_outBuffer out = { p->chunk, CHUNK, 0 };

    *left = ZSTD_compressStream2(p->z, &out, in, how);
    return !failed(*left, err) && (!out.pos || p->out.put(p->out.ctx, p->chunk, out.pos, err));
}

bool jw_zstd_pack_put(struct jw_zstd_pack *p, const void *bytes, size_t n, struct jw_err *err)
{
    ZSTD_inBuffer in = { bytes, n, 0 };
    size_t left;

    while (in.pos < in.size)
        if (!step(p, &in, ZSTD_e_continue, &left, err))
            return false;
    return true;
}

bool jw_zstd_pack_end(struct jw_zstd_pack *p, struct jw_err *err)
{
    ZSTD_inBuffer in = { NULL, 0, 0 };
    size_t left;

    do {
        if (!step(p, &in, ZSTD_e_end, &left, err))
            return false;
    } while (left);
    return true;
}

void jw_zstd_pack_close(struct jw_zstd_pack *p)
{
    (void)ZSTD_freeCCtx(p->z);
    jw_free(p->chunk);
    *p = (struct jw_zstd_pack){ 0 };
}

/* ---- from frames ---- */

struct ZSTD_DCtx_s *jw_zstd_unpack_new(void)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();

    if (!z)
        jw_out_of_memory(CHUNK);
    return z;
}

bool jw_zstd_unpack(struct ZSTD_DCtx_s *z, struct jw_bytes frame, uint8_t *out, size_t n, struct jw_err *err)
{
    size_t made = ZSTD_decompressDCtx(z, out, n, frame.p, frame.n);

    if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_dstSize_tooSmall)
        return jw_fail(err, JW_E_FORMAT, "zstd: a frame holds more than the %zu bytes that it says", n);
    return !failed(made, err)
           && (made == n || jw_fail(err, JW_E_FORMAT, "zstd: a frame holds %zu bytes, it says %zu", made, n));
}

void jw_zstd_unpack_free(struct ZSTD_DCtx_s *z)
{
    (void)ZSTD_freeDCtx(z);
}
