#include "base/buf.h"
#include "check.h"
#include "pack/format/zstd.h"

#include <stdlib.h>

enum { MAX = 8 << 20 };

/* A frame of `n` bytes of text. */
static struct jw_buf framed(size_t n)
{
    struct jw_buf out = JW_BUF(MAX), text = JW_BUF(MAX);
    struct jw_err err = {0};

    for (size_t i = 0; text.n < n; i++)
        jw_buf_printf(&text, "line %zu of %zu\n", i, i * i);
    jw_buf_fill(&out, 0, jw_zstd_room(n));
    CHECK_OK(jw_zstd_pack((struct jw_bytes){text.p, n}, out.p, &out.n, &err), err);
    jw_buf_free(&text);
    return out;
}

static bool measure(const struct jw_buf *b, size_t n, struct jw_zstd_frame *f, struct jw_err *err)
{
    struct jw_bytes bytes = {b->p, n};
    struct jw_source source = jw_source_memory(&bytes);

    *err = (struct jw_err){0};
    return jw_zstd_frame_measure(&source, 0, source.size, MAX, f, err);
}

TEST(lengths_and_contents)
{
    static const size_t sizes[] = {1,           255,    256,    257,    65535 + 256,
                                   65536 + 256, 131072, 131073, 1 << 20};

    for (size_t i = 0; i < JW_COUNT(sizes); i++) {
        FREED(jw_buf) b = framed(sizes[i]);
        struct jw_zstd_frame f;

        err = (struct jw_err){0};
        jw_buf_text(&b, "and something behind it");
        CHECK_OK(measure(&b, b.n, &f, &err), err);
        CHECK(f.content == sizes[i] && f.bytes == b.n - 23);
    }
}

TEST(cut_off_anywhere)
{
    FREED(jw_buf) b = framed(140000);
    struct jw_zstd_frame f;

    for (size_t n = 0; n < b.n; n += n < 2000 || b.n - n < 2000 ? 1 : 97) {
        CHECK_REFUSED(measure(&b, n, &f, &err), err, "0x0: zstd: ");
        CHECK_NUM(err.code, JW_E_FORMAT);
    }
    CHECK(measure(&b, b.n, &f, &err));
}

static void refused(struct jw_bytes bytes, const char *sentence)
{
    struct jw_source source = jw_source_memory(&bytes);
    struct jw_zstd_frame f;
    struct jw_err err = {0};

    CHECK_REFUSED(jw_zstd_frame_measure(&source, 0, source.size, MAX, &f, &err), err, sentence);
    CHECK_NUM(err.code, JW_E_FORMAT);
}

TEST(what_is_no_frame_of_ours)
{
    refused(JW_BYTES(""), "0x0: zstd: no frame where one should begin");
    refused(JW_BYTES("\x29\xb5\x2f\xfd\x24\x00\x01\x00\x00"), "no frame where one should begin");
    refused(JW_BYTES("\x50\x2a\x4d\x18\x04\x00\x00\x00"), "no frame where one should begin");
    refused(JW_BYTES("\x28\xb5\x2f\xfd\x2c\x00\x01\x00\x00"),
            "zstd: "); /* a bit that means nothing */
    refused(JW_BYTES("\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00\x99\xe9\xd8\x51"),
            "a frame does not state the size of its content");
    refused(JW_BYTES("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"), "a frame has no checksum");
    refused(JW_BYTES("\x28\xb5\x2f\xfd\x24\x03\x07\x00\x00\x61"),
            "zstd: "); /* a reserved block type */
}

/* Blocks that would hold nothing, one behind the other: no content needs so many. */
TEST(longer_than_what_it_may_hold)
{
    FREED(jw_buf) b = framed(300000);
    struct jw_source source = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    struct jw_zstd_frame f;

    CHECK(jw_zstd_frame_measure(&source, 0, source.size, 300000, &f, &err));
    CHECK_REFUSED(jw_zstd_frame_measure(&source, 0, source.size, 100, &f, &err), err, "zstd: ");
}

/* ---- its content ---- */

TEST(content_comes_back)
{
    FREED(jw_buf) b = framed(300000);
    uint8_t *out = malloc(300001);

    CHECK(out != NULL);
    CHECK_OK(jw_zstd_unpack(jw_buf_bytes(&b), out, 300000, &err), err);
    CHECK(memcmp(out, "line 0 of 0\nline 1 of 1\n", 24) == 0);
    CHECK_SAYS(jw_zstd_unpack(jw_buf_bytes(&b), out, 300001, &err), err,
               "zstd: a frame holds 300000 bytes, it says 300001");
    CHECK_SAYS(jw_zstd_unpack(jw_buf_bytes(&b), out, 299999, &err), err,
               "zstd: a frame holds more than the 299999 bytes that it says");
    free(out);
}

TEST(damage_is_seen)
{
    FREED(jw_buf) b = framed(5000);
    uint8_t out[5000];
    size_t taken = 0;

    for (size_t i = 0; i < b.n; i++) {
        err = (struct jw_err){0};
        b.p[i] ^= 0x10;
        if (jw_zstd_unpack(jw_buf_bytes(&b), out, sizeof out, &err))
            taken += memcmp(out, "line 0 of 0\n", 12)
                     != 0; /* a bit that means nothing, or the checksum lies */
        else
            CHECK_NUM(err.code, JW_E_FORMAT);
        b.p[i] ^= 0x10;
    }
    CHECK_NUM(taken, 0);
}
