#include "pack/format/zstd.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"

#include <zstd.h>
#include <zstd_errors.h>

/* ---- measured from outside ---- */

enum {
    ZSTD_MAGIC_BYTES = 4,
    MAX_HEAD = 14, /* magic, descriptor, content size of 8; or with a window and no single segment */
    BLOCK_HEAD = 3,
    MAX_BLOCK = 128 << 10,
    CHECKSUM = 4
};
#define ZSTD_FRAME 0xFD2FB528U

enum block_kind { BLOCK_RAW, BLOCK_RUN, BLOCK_COMPRESSED, BLOCK_RESERVED };

struct walk {
    const struct jw_source *src;
    uint64_t at, end;
    struct jw_err *err;
};

static bool refuse_frame(struct walk *w, const char *what)
{
    return jw_fail(w->err, JW_E_FORMAT, "zstd: %s (0x%llx)", what, (unsigned long long)w->at);
}

/* The next `n` bytes; they are stepped over when `dst` is NULL. */
static bool take_bytes(struct walk *w, void *dst, size_t n)
{
    if (!jw_within(w->at, n, w->end))
        return refuse_frame(w, "a frame is cut off");
    if (dst && !jw_source_read(w->src, w->at, dst, n, w->err))
        return false;
    w->at += n;
    return true;
}

/* Bits 10 to 41 of exponent and eighths of it. */
static uint64_t window_of(uint8_t descriptor)
{
    uint64_t base = (uint64_t)1 << (10 + (descriptor >> 3));

    return base + base / 8 * (descriptor & 7);
}

static bool take_content(struct walk *w, uint8_t descriptor, struct jw_zstd_frame *out)
{
    static const uint8_t sizes[] = { 0, 2, 4, 8 };
    bool single = descriptor >> 5 & 1;
    size_t n = descriptor >> 6 ? sizes[descriptor >> 6] : single;
    uint8_t p[8] = { 0 };

    if (!n)
        return refuse_frame(w, "a frame does not state the size of its content");
    if (!take_bytes(w, p, n))
        return false;
    out->content = jw_le64(p) + (n == 2 ? 256 : 0);
    if (single)
        out->window = out->content;
    return true;
}

static bool take_head(struct walk *w, struct jw_zstd_frame *out)
{
    uint8_t p[ZSTD_MAGIC_BYTES + 1], window;

    if (!take_bytes(w, p, sizeof p))
        return false;
    if (jw_le32(p) != ZSTD_FRAME) {
        w->at -= sizeof p;
        return refuse_frame(w, "no frame where one should begin");
    }

    uint8_t descriptor = p[ZSTD_MAGIC_BYTES];

    if (descriptor & 3)
        return refuse_frame(w, "a frame needs a dictionary");
    if (descriptor >> 3 & 3)
        return refuse_frame(w, "a frame with a bit that means nothing");
    out->checksum = descriptor >> 2 & 1;
    if (!(descriptor >> 5 & 1)) {
        if (!take_bytes(w, &window, 1))
            return false;
        out->window = window_of(window);
    }
    return take_content(w, descriptor, out);
}

/* Every block but the last holds something, and one that is stored costs three bytes more. */
static bool sane_length(struct walk *w, uint64_t began, uint64_t content)
{
    uint64_t max = content, extra;

    extra = (content / 1024 + 2) * BLOCK_HEAD + MAX_HEAD + CHECKSUM;
    return (jw_add(max, extra, &max) && w->at - began <= max)
           || refuse_frame(w, "a frame is longer than what it says it holds");
}

static bool take_blocks(struct walk *w, uint64_t began, uint64_t content)
{
    uint8_t p[BLOCK_HEAD];

    for (bool last = false; !last;) {
        if (!take_bytes(w, p, sizeof p))
            return false;

        uint32_t head = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16, n = head >> 3;
        enum block_kind kind = head >> 1 & 3;

        last = head & 1;
        if (kind == BLOCK_RESERVED)
            return refuse_frame(w, "a reserved block type");
        if (n > MAX_BLOCK)
            return refuse_frame(w, "a block is larger than blocks can be");
        if (!take_bytes(w, NULL, kind == BLOCK_RUN ? 1 : n) || !sane_length(w, began, content))
            return false;
    }
    return true;
}

bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                           struct jw_err *err)
{
    struct walk w = { src, at, end < src->size ? end : src->size, err };

    *out = (struct jw_zstd_frame){ 0 };
    if (!take_head(&w, out) || !take_blocks(&w, at, out->content)
        || (out->checksum && !take_bytes(&w, NULL, CHECKSUM)))
        return false;
    out->bytes = w.at - at;
    return true;
}

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
