#include "pack/format/pack_trailer.h"

#include "check.h"

#include <stdlib.h>

enum { MOST = 1 << 20 };

/* `before` bytes of a pack and its trailer, with a signature of `signature` bytes. */
static struct jw_buf pack_of(size_t before, size_t signature)
{
    struct jw_buf out = JW_BUF(MOST), text = JW_BUF(MOST);
    struct jw_trailer t = { .signature = { NULL, 0 } };
    struct jw_err err = { 0 };

    for (size_t i = 0; i < before; i++)
        jw_buf_fill(&out, (uint8_t)(i * 31 + i / 256), 1);
    jw_buf_fill(&text, 's', signature);
    jw_digest(t.digest, out.p, out.n);
    t.signature = jw_buf_bytes(&text);
    CHECK(jw_trailer_write(&out, &t, &err));
    CHECK_TEXT(err.msg, "");
    jw_buf_free(&text);
    return out;
}

/* The sentence with which the end of a file is refused; "" when it is not. */
static const char *found(struct jw_bytes file, size_t *signature, uint64_t *at)
{
    static struct jw_err err;
    struct jw_source src = jw_source_memory(&file);
    struct jw_buf frame = JW_BUF(MOST);
    struct jw_trailer t;
    bool ok;

    err = (struct jw_err){ 0 };
    ok = jw_trailer_find(&src, &frame, &t, at, &err);
    CHECK(ok == !err.msg[0]);
    *signature = t.signature.n;
    jw_buf_free(&frame);
    return err.msg;
}

static void refused(struct jw_bytes file, const char *sentence)
{
    size_t n;
    uint64_t at;

    CHECK_TEXT(found(file, &n, &at), sentence);
}

static void read_refused(struct jw_bytes frame, const char *sentence)
{
    struct jw_trailer t;
    struct jw_err err = { 0 };

    CHECK(!jw_trailer_read(frame, &t, &err));
    CHECK_TEXT(err.msg, sentence);
    CHECK(!t.signature.n);
}

/* ---- round trips ---- */

TEST(what_is_written_is_found)
{
    static const size_t before[] = { 0, 1, 1000, 16384, 16443, 16444, 16445, 100000 };
    static const size_t signatures[] = { 0, 1, 300, JW_MAX_SIGNATURE };

    for (size_t i = 0; i < JW_COUNT(before); i++)
        for (size_t k = 0; k < JW_COUNT(signatures); k++) {
            struct jw_buf file = pack_of(before[i], signatures[k]);
            uint64_t at = 0;
            size_t n = 0;

            CHECK_TEXT(found(jw_buf_bytes(&file), &n, &at), "");
            CHECK(n == signatures[k] && at == before[i]);
            jw_buf_free(&file);
        }
}

TEST(a_trailer_byte_by_byte)
{
    struct jw_buf file = pack_of(0, 1);
    const uint8_t *p = file.p;

    CHECK_NUM(file.n, 8 + 8 + 32 + 1 + 4 + 8);
    CHECK(jw_le32(p) == 0x184D2A5A && jw_le32(p + 4) == 53 && memcmp(p + 8, "jitwarm1", 8) == 0);
    CHECK(p[48] == 's' && jw_le32(p + 49) == 53 && memcmp(p + 53, "jitwend1", 8) == 0);
    jw_buf_free(&file);
}

TEST(a_signature_that_is_too_long)
{
    struct jw_buf out = JW_BUF(MOST), text = JW_BUF(MOST);
    struct jw_trailer t = { .signature = { NULL, 0 } };
    struct jw_err err = { 0 };

    jw_buf_fill(&text, 's', JW_MAX_SIGNATURE + 1);
    t.signature = jw_buf_bytes(&text);
    CHECK(!jw_trailer_write(&out, &t, &err));
    CHECK_TEXT(err.msg, "trailer: a signature of 16385 bytes, expected at most 16384");
    CHECK_NUM(out.n, 0);
    jw_buf_free(&text);
}

/* ---- what is refused ---- */

TEST(cut_off_anywhere_it_is_refused)
{
    struct jw_buf file = pack_of(100, 20);

    for (size_t n = 0; n < file.n; n++) {
        struct jw_trailer t;
        struct jw_err err = { 0 };
        uint64_t at;
        size_t size;

        CHECK_HAS(found((struct jw_bytes){ file.p, n }, &size, &at),
                  "trailer: the file does not end in one (0x");
        CHECK(n < 100 || !jw_trailer_read((struct jw_bytes){ file.p + 100, n - 100 }, &t, &err));
    }
    jw_buf_free(&file);
}

TEST(something_behind_it)
{
    struct jw_buf file = pack_of(100, 0);

    jw_buf_fill(&file, 0, 1);
    refused(jw_buf_bytes(&file),
            "trailer: the file does not end in one (0xa1): it is cut off, no pack, or something "
            "follows");
    jw_buf_free(&file);
}

TEST(an_empty_file)
{
    refused((struct jw_bytes){ NULL, 0 },
            "trailer: the file does not end in one (0x0): it is cut off, no pack, or something follows");
}

TEST(lengths_that_lie)
{
    struct jw_buf file = pack_of(100, 10);
    uint8_t *back = file.p + file.n - 12;

    jw_put32(file.p + 104, 63);
    refused(jw_buf_bytes(&file), "trailer: lengths of 63 and 62 bytes, expected 62");
    jw_put32(file.p + 104, 62);
    jw_put32(back, 61);
    refused(jw_buf_bytes(&file), "trailer: frame 0x3e184d2a, expected 0x184d2a5a");
    jw_put32(back, 40);
    refused(jw_buf_bytes(&file), "trailer: its end at 0xaa says 40 bytes, expected 52 to 16436 in the file");
    jw_put32(back, 16437);
    refused(jw_buf_bytes(&file),
            "trailer: its end at 0xaa says 16437 bytes, expected 52 to 16436 in the file");
    jw_put32(back, UINT32_MAX);
    refused(jw_buf_bytes(&file),
            "trailer: its end at 0xaa says 4294967295 bytes, expected 52 to 16436 in the file");
    jw_put32(back, 163); /* one more than there is */
    refused(jw_buf_bytes(&file), "trailer: its end at 0xaa says 163 bytes, expected 52 to 16436 in the file");
    jw_buf_free(&file);
}

TEST(a_later_version)
{
    struct jw_buf file = pack_of(100, 0);

    file.p[115] = '2';
    refused(jw_buf_bytes(&file),
            "trailer: version 0x32, expected 0x31, which is all that this jitwarm knows");
    file.p[115] = '1';
    file.p[file.n - 1] = '2';
    refused(jw_buf_bytes(&file),
            "trailer: version 0x32, expected 0x31, which is all that this jitwarm knows");
    jw_buf_free(&file);
}

TEST(a_frame_that_is_none)
{
    struct jw_buf file = pack_of(0, 10);

    file.p[0] = 0x50;
    read_refused(jw_buf_bytes(&file), "trailer: frame 0x184d2a50, expected 0x184d2a5a");
    file.p[0] = 0x5a;
    file.p[8] = 'J';
    read_refused(jw_buf_bytes(&file), "trailer: no \"jitwarm1\" in it");
    file.p[8] = 'j';
    file.p[file.n - 8] = 'J';
    read_refused(jw_buf_bytes(&file), "trailer: no \"jitwend1\" in it");
    read_refused((struct jw_bytes){ file.p, 59 }, "trailer: 59 bytes, expected 60 to 16444");
    read_refused((struct jw_bytes){ NULL, 0 }, "trailer: 0 bytes, expected 60 to 16444");
    jw_buf_free(&file);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_written_is_found), T(a_trailer_byte_by_byte),
               T(a_signature_that_is_too_long), T(cut_off_anywhere_it_is_refused), T(something_behind_it),
               T(an_empty_file), T(lengths_that_lie), T(a_later_version), T(a_frame_that_is_none));
}
