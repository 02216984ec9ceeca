#include "pack/format/zstd.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { WORK_MEMORY = 1 << 20 /* for a message */ };

static bool zstd_failed(size_t code, struct jw_err *err)
{
    if (!ZSTD_isError(code))
        return false;
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        jw_out_of_memory(WORK_MEMORY);
    return !jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(code));
}

enum { AT_DESCRIPTOR = 4, MAX_HEADER = 18, CHECKSUM = 4 };
enum { BLOCK_HEADER = 3, RLE = 1, RESERVED = 3, SMALL_BLOCK = 1024, FEW_BLOCKS = 64 };

/* RFC 8878, 3.1.1.1: a descriptor, and behind it a window's size, a dictionary's number and the
 * content's size. */
static size_t header_bytes(uint8_t descriptor)
{
    static const uint8_t dictionary[] = {0, 1, 2, 4};
    static const uint8_t content[] = {0, 2, 4, 8};
    unsigned whole = descriptor >> 5 & 1;
    unsigned size = content[descriptor >> 6];

    return AT_DESCRIPTOR + 1U + !whole + dictionary[descriptor & 3] + (size ? size : whole);
}

static bool measure_content(struct jw_bytes head, uint64_t *content, struct jw_err *err)
{
    if (head.n <= AT_DESCRIPTOR || jw_le32(head.p) != ZSTD_MAGICNUMBER)
        return jw_fail(err, JW_E_FORMAT, "no frame where one should begin");
    *content = ZSTD_getFrameContentSize(head.p, head.n);
    if (*content == ZSTD_CONTENTSIZE_UNKNOWN || *content == ZSTD_CONTENTSIZE_ERROR)
        return jw_fail(err, JW_E_FORMAT, "a frame does not state the size of its content");
    return (head.p[AT_DESCRIPTOR] >> 2 & 1) || jw_fail(err, JW_E_FORMAT, "a frame has no checksum");
}

/* Reads the headers of blocks alone: most of a frame is stepped over. */
static bool measure(const struct jw_source *src, struct jw_zstd_frame *out, struct jw_err *err)
{
    uint8_t head[MAX_HEADER] = {0}, *const block = head;
    size_t n = (size_t)jw_min(src->size, sizeof head);

    if (!jw_source_read(src, 0, head, n, err)
        || !measure_content((struct jw_bytes){head, n}, &out->content, err))
        return false;
    out->bytes = header_bytes(head[AT_DESCRIPTOR]);
    uint64_t blocks =
        out->content / SMALL_BLOCK + FEW_BLOCKS; /* at most: empty ones might be millions */

    for (bool last = false; !last; last = block[0] & 1) {
        if (!blocks--)
            return jw_fail(err, JW_E_FORMAT, "a frame of too many blocks");
        if (!jw_source_read(src, out->bytes, block, BLOCK_HEADER, err))
            return false;
        unsigned kind = block[0] >> 1 & 3;
        unsigned size = (jw_le16(block) | (unsigned)block[2] << 16) >> 3;

        if (kind == RESERVED)
            return jw_fail(err, JW_E_FORMAT, "a block of no known kind");
        out->bytes += BLOCK_HEADER + (kind == RLE ? 1 : size);
    }
    out->bytes += CHECKSUM;
    return out->bytes <= src->size || jw_fail(err, JW_E_FORMAT, "a frame is cut off");
}

bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, size_t max,
                           struct jw_zstd_frame *out, struct jw_err *err)
{
    uint64_t there = jw_min(end, src->size);
    uint64_t from = jw_min(at, there);
    struct jw_source frame;

    return jw_source_window(src, from, jw_min(there - from, jw_zstd_room(max)), &frame, err)
           && (measure(&frame, out, err) || jw_wrap(err, "0x%llx: zstd", (unsigned long long)at));
}

/* zstd's level 3, but for what suits compiled GPU code: few short matches, many long ones, modules
 * that resemble each other many megabytes apart, and a table of matches that stays in the
 * processor's own cache (docs/dev/developing.md). */
static const struct {
    ZSTD_cParameter what;
    int is;
} settings[] = {{ZSTD_c_compressionLevel, 3}, {ZSTD_c_checksumFlag, 1},
                {ZSTD_c_strategy, ZSTD_fast}, {ZSTD_c_minMatch, 7},
                {ZSTD_c_hashLog, 16},         {ZSTD_c_windowLog, 23}};

size_t jw_zstd_room(size_t n) { return ZSTD_compressBound(n); }

bool jw_zstd_pack(struct jw_bytes content, uint8_t *out, size_t *n, struct jw_err *err)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bool ok = true;

    if (!z)
        jw_out_of_memory(WORK_MEMORY);
    for (size_t i = 0; ok && i < JW_COUNT(settings); i++)
        ok = !zstd_failed(ZSTD_CCtx_setParameter(z, settings[i].what, settings[i].is), err);
    *n = ok ? ZSTD_compress2(z, out, ZSTD_compressBound(content.n), content.p, content.n) : 0;
    ok = ok && !zstd_failed(*n, err);
    (void)ZSTD_freeCCtx(z);
    return ok;
}

bool jw_zstd_unpack(struct jw_bytes frame, uint8_t *out, size_t n, struct jw_err *err)
{
    size_t made = ZSTD_decompress(out, n, frame.p, frame.n);

    if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_dstSize_tooSmall)
        return jw_fail(err, JW_E_FORMAT, "zstd: a frame holds more than the %zu bytes that it says",
                       n);
    return !zstd_failed(made, err)
           && (made == n
               || jw_fail(err, JW_E_FORMAT, "zstd: a frame holds %zu bytes, it says %zu", made, n));
}
