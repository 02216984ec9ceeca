#include "formats/fatbin_unpack.h"

#include "base/deflate.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <lz4.h>
#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

enum { IN = 64 * 1024, OUT = 128 * 1024, LZ4_RATIO = 255 };

/* One stream: its remaining compressed bytes and its output. */
struct stream {
    const struct jw_source *src;
    uint64_t at, left;   /* of the input */
    uint64_t made, want; /* of the output */
    struct jw_sink out;
    uint8_t in[IN], plain[OUT];
};

static bool pull_packed(struct stream *s, size_t *n, struct jw_err *err)
{
    *n = (size_t)jw_min(sizeof s->in, s->left);
    if (!jw_source_read(s->src, s->at, s->in, *n, err))
        return false;
    s->at += *n;
    s->left -= *n;
    return true;
}

static bool push_plain(struct stream *s, const void *p, size_t n, struct jw_err *err)
{
    if (n > s->want - s->made)
        return jw_fail(err, JW_E_FORMAT, "unpacks to more than the %llu bytes that it claims",
                       (unsigned long long)s->want);
    s->made += n;
    return n == 0 || s->out.put(s->out.ctx, p, n, err);
}

static bool unpack_raw(struct stream *s, struct jw_err *err)
{
    size_t n = 1;

    while (s->left) {
        if (!pull_packed(s, &n, err) || !push_plain(s, s->in, n, err))
            return false;
    }
    return true;
}

static bool unpack_zstd(struct stream *s, struct jw_err *err)
{
    ZSTD_DStream *z = ZSTD_createDStream();

    if (!z)
        jw_out_of_memory(ZSTD_DStreamInSize());

    bool ok = true;
    size_t hint = 1;

    while (ok && hint && s->left) {
        ZSTD_inBuffer in = { s->in, 0, 0 };

        ok = pull_packed(s, &in.size, err);
        while (ok && hint && in.pos < in.size) {
            ZSTD_outBuffer out = { s->plain, sizeof s->plain, 0 };

            hint = ZSTD_decompressStream(z, &out, &in);
            if (ZSTD_isError(hint))
                ok = jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(hint));
            else
                ok = push_plain(s, s->plain, out.pos, err);
        }
    }
    /* Flushes what the decoder holds if the input ends exactly with a full output buffer. */
    while (ok && hint) {
        ZSTD_inBuffer in = { NULL, 0, 0 };
        ZSTD_outBuffer out = { s->plain, sizeof s->plain, 0 };

        hint = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(hint) || (hint && out.pos == 0))
            ok = jw_fail(err, JW_E_FORMAT, "zstd: the stream is cut off");
        else
            ok = push_plain(s, s->plain, out.pos, err);
    }
    ZSTD_freeDStream(z);
    return ok;
}

static bool unpack_lz4_frame(struct stream *s, struct jw_err *err)
{
    LZ4F_dctx *z = NULL;
    bool ok = true;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&z, LZ4F_VERSION)))
        jw_out_of_memory(IN);

    size_t hint = 1;

    while (ok && hint && s->left) {
        size_t have, used = 0;

        ok = pull_packed(s, &have, err);
        while (ok && hint && used < have) {
            size_t out = sizeof s->plain, in = have - used;

            hint = LZ4F_decompress(z, s->plain, &out, s->in + used, &in, NULL);
            if (LZ4F_isError(hint))
                ok = jw_fail(err, JW_E_FORMAT, "lz4 frame: %s", LZ4F_getErrorName(hint));
            else
                ok = push_plain(s, s->plain, out, err);
            used += in;
        }
    }
    if (ok && hint)
        ok = jw_fail(err, JW_E_FORMAT, "lz4 frame: the stream is cut off");
    (void)LZ4F_freeDecompressionContext(z);
    return ok;
}

/* RFC 1950: two bytes, the stream, and its Adler-32 checksum. */
static uint32_t adler(uint32_t sum, const uint8_t *p, size_t n)
{
    uint32_t a = sum & 0xffff, b = sum >> 16;

    while (n) {
        size_t some = (size_t)jw_min(n, 5552); /* as many as fit into 32 bits before the modulo */

        n -= some;
        for (; some; some--)
            b += a += *p++;
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

static bool zlib_header(struct stream *s, struct jw_err *err)
{
    uint8_t h[2] = { 0 };

    if (s->left < 2)
        return jw_fail(err, JW_E_FORMAT, "zlib: the stream is cut off");
    if (!jw_source_read(s->src, s->at, h, 2, err))
        return false;
    s->at += 2;
    s->left -= 2;
    return ((h[0] & 15) == 8 && h[0] >> 4 <= 7 && !(h[1] & 32) && (h[0] << 8 | h[1]) % 31 == 0)
           || jw_fail(err, JW_E_FORMAT, "zlib: damaged");
}

/* After the last block, at a byte boundary. */
static bool zlib_sum(struct stream *s, const struct jw_deflate *d, uint32_t sum, struct jw_err *err)
{
    uint8_t b[4];
    uint64_t bit;

    (void)jw_deflate_between(d, &bit);
    if ((bit + 7) / 8 + 4 > s->left)
        return jw_fail(err, JW_E_FORMAT, "zlib: the stream is cut off");
    if (!jw_source_read(s->src, s->at + (bit + 7) / 8, b, 4, err))
        return false;
    return ((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]) == sum
           || jw_fail(err, JW_E_FORMAT, "zlib: damaged");
}

static bool unpack_zlib(struct stream *s, struct jw_err *err)
{
    struct jw_source packed;

    if (!zlib_header(s, err) || !jw_source_window(s->src, s->at, s->left, &packed, err))
        return false;
    struct jw_deflate *d = jw_realloc(NULL, sizeof *d);
    enum jw_deflate_state state = JW_DEFLATE_MORE;
    uint32_t sum = 1;
    size_t n = 0;
    bool ok = true;

    jw_deflate_start(d, &packed, 0);
    while (ok && state == JW_DEFLATE_MORE) {
        if (n >= OUT - JW_DEFLATE_SLACK) {
            memmove(s->plain, s->plain + n - JW_DEFLATE_WINDOW, JW_DEFLATE_WINDOW);
            n = JW_DEFLATE_WINDOW;
        }
        size_t before = n;

        state = jw_deflate_more(d, s->plain, &n, OUT - JW_DEFLATE_SLACK, err);
        sum = adler(sum, s->plain + before, n - before);
        ok = push_plain(s, s->plain + before, n - before, err);
    }
    if (ok && state == JW_DEFLATE_END)
        ok = zlib_sum(s, d, sum, err);
    else if (ok && state != JW_DEFLATE_UNREADABLE)
        ok = jw_fail(err, JW_E_FORMAT, "zlib: %s",
                     state == JW_DEFLATE_DAMAGED ? "damaged" : "the stream is cut off");
    else
        ok = false;
    jw_free(d);
    return ok;
}

static bool unpack_lz4_block(struct stream *s, struct jw_err *err)
{
    if (s->left > LZ4_MAX_INPUT_SIZE || s->want > LZ4_MAX_INPUT_SIZE)
        return jw_fail(err, JW_E_LIMIT, "lz4: a block of %llu bytes", (unsigned long long)s->want);
    if (s->want / LZ4_RATIO > s->left) /* before allocating */
        return jw_fail(err, JW_E_FORMAT,
                       "lz4: a block of %llu bytes cannot unpack to the %llu that it claims",
                       (unsigned long long)s->left, (unsigned long long)s->want);

    size_t packed = (size_t)s->left, plain = (size_t)s->want;
    char *in = jw_realloc(NULL, packed), *out = jw_realloc(NULL, plain);
    bool ok = jw_source_read(s->src, s->at, in, packed, err);
    if (ok) {
        int n = LZ4_decompress_safe(in, out, (int)packed, (int)plain);

        if (n < 0)
            ok = jw_fail(err, JW_E_FORMAT, "lz4: the block is damaged");
        else
            ok = push_plain(s, out, (size_t)n, err);
    }
    s->left = 0;
    jw_free(in);
    jw_free(out);
    return ok;
}

static bool unpack_by_flag(struct stream *s, const struct jw_fat_entry *e, struct jw_err *err)
{
    if (e->flags & JW_FAT_OBFUSCATED)
        return jw_fail(err, JW_E_FORMAT, "is obfuscated, as all NVVM code is");
    switch (e->flags & JW_FAT_PACKED) {
    case 0: return e->packed ? jw_fail(err, JW_E_FORMAT, "has an unknown compression") : unpack_raw(s, err);
    case JW_FAT_ZSTD: return unpack_zstd(s, err);
    case JW_FAT_LZ4: return unpack_lz4_block(s, err);
    case JW_FAT_LZ4_FRAME: return unpack_lz4_frame(s, err);
    case JW_FAT_ZLIB: return unpack_zlib(s, err);
    default: return jw_fail(err, JW_E_FORMAT, "is marked with two compressions at once");
    }
}

bool jw_fat_unpack(const struct jw_source *src, const struct jw_fat_entry *e, struct jw_sink out,
                   struct jw_err *err)
{
    struct stream *s = NULL;
    bool ok = false;
    uint64_t plain = jw_fat_plain(e), packed = e->packed ? e->packed : e->stored;

    if (plain > JW_MAX_PLAIN)
        (void)jw_fail(err, JW_E_LIMIT, "claims to unpack to %llu bytes (at most 512 MiB)",
                      (unsigned long long)plain);
    else if (packed > e->stored)
        (void)jw_fail(err, JW_E_FORMAT, "has a compressed size larger than its payload");
    else {
        s = jw_realloc(NULL, sizeof *s); /* not zeroed, because cuFFT has 23,984 entries */
        s->src = src;
        s->at = e->at + e->header;
        s->left = packed;
        s->made = 0;
        s->want = plain;
        s->out = out;
        ok = unpack_by_flag(s, e, err);
        if (ok && s->made != plain)
            ok = jw_fail(err, JW_E_FORMAT, "unpacks to %llu bytes, but claims %llu",
                         (unsigned long long)s->made, (unsigned long long)plain);
    }
    jw_free(s);
    return ok || jw_wrap(err, "fatbin: entry at 0x%llx", (unsigned long long)e->at);
}

bool jw_zstd_plain(struct jw_bytes head, uint64_t *plain)
{
    unsigned long long n = ZSTD_getFrameContentSize(head.p, head.n);

    *plain = n;
    return n != ZSTD_CONTENTSIZE_UNKNOWN && n != ZSTD_CONTENTSIZE_ERROR;
}
