#include "formats/fatbin_unpack.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <lz4.h>
#include <lz4frame.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { IN = 64 * 1024, OUT = 128 * 1024, LZ4_RATIO = 255 };

/* One stream: the compressed bytes that are left, and where the plain ones go. */
struct stream {
    const struct jw_source *src;
    uint64_t at, left;   /* of the input */
    uint64_t made, want; /* of the output */
    struct jw_sink out;
    uint8_t in[IN], plain[OUT];
};

static bool pull(struct stream *s, size_t *n, struct jw_err *err)
{
    *n = (size_t)jw_min(sizeof s->in, s->left);
    if (!jw_source_read(s->src, s->at, s->in, *n, err))
        return false;
    s->at += *n;
    s->left -= *n;
    return true;
}

static bool push(struct stream *s, const void *p, size_t n, struct jw_err *err)
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
        if (!pull(s, &n, err) || !push(s, s->in, n, err))
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

        ok = pull(s, &in.size, err);
        while (ok && hint && in.pos < in.size) {
            ZSTD_outBuffer out = { s->plain, sizeof s->plain, 0 };

            hint = ZSTD_decompressStream(z, &out, &in);
            if (ZSTD_isError(hint))
                ok = jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(hint));
            else
                ok = push(s, s->plain, out.pos, err);
        }
    }
    /* What the decoder still holds when the input ends exactly with a full output buffer. */
    while (ok && hint) {
        ZSTD_inBuffer in = { NULL, 0, 0 };
        ZSTD_outBuffer out = { s->plain, sizeof s->plain, 0 };

        hint = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(hint) || (hint && out.pos == 0))
            ok = jw_fail(err, JW_E_FORMAT, "zstd: the stream is cut off");
        else
            ok = push(s, s->plain, out.pos, err);
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

        ok = pull(s, &have, err);
        while (ok && hint && used < have) {
            size_t out = sizeof s->plain, in = have - used;

            hint = LZ4F_decompress(z, s->plain, &out, s->in + used, &in, NULL);
            if (LZ4F_isError(hint))
                ok = jw_fail(err, JW_E_FORMAT, "lz4 frame: %s", LZ4F_getErrorName(hint));
            else
                ok = push(s, s->plain, out, err);
            used += in;
        }
    }
    if (ok && hint)
        ok = jw_fail(err, JW_E_FORMAT, "lz4 frame: the stream is cut off");
    (void)LZ4F_freeDecompressionContext(z);
    return ok;
}

static bool unpack_zlib(struct stream *s, struct jw_err *err)
{
    z_stream z = { 0 };
    int state = inflateInit(&z);

    if (state != Z_OK)
        jw_out_of_memory(IN);

    bool ok = true;

    while (ok && state != Z_STREAM_END && s->left) {
        size_t n;

        ok = pull(s, &n, err);
        z.next_in = s->in;
        z.avail_in = (uInt)n;
        do {
            z.next_out = s->plain;
            z.avail_out = sizeof s->plain;
            state = ok ? inflate(&z, Z_NO_FLUSH) : Z_BUF_ERROR;
            if (ok && state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
                ok = jw_fail(err, JW_E_FORMAT, "zlib: %s", z.msg ? z.msg : "damaged");
            ok = ok && push(s, s->plain, sizeof s->plain - z.avail_out, err);
        } while (ok && state != Z_STREAM_END && z.avail_out == 0);
    }
    if (ok && state != Z_STREAM_END)
        ok = jw_fail(err, JW_E_FORMAT, "zlib: the stream is cut off");
    (void)inflateEnd(&z);
    return ok;
}

static bool unpack_lz4_block(struct stream *s, struct jw_err *err)
{
    if (s->left > LZ4_MAX_INPUT_SIZE || s->want > LZ4_MAX_INPUT_SIZE)
        return jw_fail(err, JW_E_LIMIT, "lz4: a block of %llu bytes", (unsigned long long)s->want);
    if (s->want / LZ4_RATIO > s->left) /* before memory is asked for */
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
            ok = push(s, out, (size_t)n, err);
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
        s = jw_realloc(NULL, sizeof *s); /* not zeroed: there are 23,984 entries in cuFFT */
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
