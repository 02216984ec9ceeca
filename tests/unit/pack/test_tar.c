#include "pack/format/tar.h"

#include "base/buf.h"
#include "check.h"

#include <stdlib.h>

enum { MAX = 1 << 20 };

/* What is expected in small_tar, by name and size. */
static const struct {
    const char *name;
    size_t size;
} expected[] = {{"a/b", 3}, {"empty", 0}, {"c", 512}};

/* The sentence with which these members are refused; "" when they are there. The bytes are in
 * memory of exactly their size. */
static const char *refusal(struct jw_bytes tar)
{
    static struct jw_err err;
    uint8_t *exact = malloc(tar.n ? tar.n : 1);
    struct jw_bytes data;
    size_t at = 0, end = 0;
    bool ok = exact != NULL;

    err = (struct jw_err){0};
    if (ok && tar.n)
        memcpy(exact, tar.p, tar.n);
    for (size_t i = 0; ok && i < JW_COUNT(expected); i++) {
        ok = jw_tar_take((struct jw_bytes){exact, tar.n}, &at, expected[i].name, expected[i].size,
                         &data, &err);
        end += ok ? jw_tar_span(expected[i].size) : 0;
        CHECK(at == end && (!ok || data.n == expected[i].size));
    }
    CHECK(ok == !err.msg[0]);
    CHECK(ok || err.code == JW_E_FORMAT);
    free(exact);
    return err.msg;
}

/* ---- a tar that is made, and spoiled ---- */

/* a/b of 3 bytes at 0x0, an empty one at 0x400, c of 512 bytes at 0x600, the end at 0xa00. */
static struct jw_buf small_tar(void)
{
    struct jw_buf out = JW_BUF(MAX);
    uint8_t block[512];

    memset(block, 'c', sizeof block);
    jw_tar_put(&out, "a/b", JW_BYTES("xyz"));
    jw_tar_put(&out, "empty", JW_BYTES(""));
    jw_tar_put(&out, "c", (struct jw_bytes){block, sizeof block});
    jw_buf_fill(&out, 0, JW_TAR_END);
    CHECK_NUM(out.n, 0xe00);
    return out;
}

/* Its checksum holds again, whatever else does not. */
static void seal(uint8_t *header)
{
    unsigned sum = 0;

    memset(header + 148, ' ', 8);
    for (unsigned i = 0; i < 512; i++)
        sum += header[i];
    (void)snprintf((char *)header + 148, 8, "%06o", sum);
    header[155] = ' ';
}

TEST(a_header_byte_by_byte)
{
    uint8_t h[JW_TAR_BLOCK];

    jw_tar_header(h, "cache/4/2/3e06b9e6ec62aa", 01234567);
    CHECK_TEXT((char *)h, "cache/4/2/3e06b9e6ec62aa");
    CHECK_TEXT((char *)h + 100, "0000644");
    CHECK_TEXT((char *)h + 108, "0000000");
    CHECK_TEXT((char *)h + 116, "0000000");
    CHECK_TEXT((char *)h + 124, "00001234567");
    CHECK_TEXT((char *)h + 136, "00000000000");
    CHECK_TEXT((char *)h + 148, "012646");
    CHECK(h[155] == ' ' && h[156] == '0' && h[157] == 0);
    CHECK_TEXT((char *)h + 257, "ustar");
    CHECK(memcmp(h + 263, "00", 3) == 0);
    CHECK_TEXT((char *)h + 329, "0000000");
    CHECK_TEXT((char *)h + 337, "0000000");
    CHECK(h[345] == 0 && h[511] == 0);
}

TEST(spans)
{
    CHECK_NUM(jw_tar_span(0), 512);
    CHECK_NUM(jw_tar_span(1), 1024);
    CHECK_NUM(jw_tar_span(512), 1024);
    CHECK_NUM(jw_tar_span(513), 1536);
    CHECK_NUM(jw_tar_span(JW_MAX_TAR), JW_MAX_TAR + 1 + 512);
}

/* ---- what is read ---- */

TEST(what_is_written_is_read)
{
    FREED(jw_buf) tar = small_tar();

    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "");
    CHECK_TEXT(refusal((struct jw_bytes){tar.p, 0xa00}), ""); /* without its end */
}

TEST(cut_off_anywhere_it_is_refused)
{
    FREED(jw_buf) tar = small_tar();

    for (size_t n = 0; n < 0xa00; n++)
        CHECK_HAS(refusal((struct jw_bytes){tar.p, n}), "tar: cut off at 0x");
    CHECK_TEXT(refusal((struct jw_bytes){tar.p, 100}), "tar: cut off at 0x64, inside a/b");
}

/* A flip in data is for the digests of a pack; any other is seen here. */
TEST(no_flipped_bit_outside_of_data_passes)
{
    FREED(jw_buf) tar = small_tar();

    for (size_t bit = 0; bit < (size_t)0xa00 * 8; bit++) {
        size_t at = bit / 8;
        bool data = (at >= 0x200 && at < 0x203) || (at >= 0x800 && at < 0xa00);

        tar.p[at] ^= (uint8_t)(1u << bit % 8);
        CHECK((refusal(jw_buf_bytes(&tar))[0] == '\0') == data);
        tar.p[at] ^= (uint8_t)(1u << bit % 8);
    }
    tar.p[1] ^= 1;
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)),
               "tar: at 0x0 there is not the header of a/b with 3 bytes");
    tar.p[1] ^= 1;
    tar.p[0x3ff] = 1;
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)),
               "tar: something other than zeros behind the data of a/b");
}

/* A name that leads elsewhere, a link, a device, a size that lies, and pax: another checksum makes
 * none of them a member. */
TEST(no_other_header_is_a_member)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t n;
    } cases[] = {{0, "../", 4},
                 {0, "/a", 3},
                 {156, "2", 1},
                 {156, "x", 1},
                 {156, "", 1},
                 {157, "/e", 2},
                 {124, "77777777777", 11},
                 {257, "ustar  ", 8}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        FREED(jw_buf) tar = small_tar();

        memcpy(tar.p + cases[i].at, cases[i].bytes, cases[i].n);
        seal(tar.p);
        CHECK_TEXT(refusal(jw_buf_bytes(&tar)),
                   "tar: at 0x0 there is not the header of a/b with 3 bytes");
    }
}

TEST(what_cannot_be_asked_for)
{
    struct jw_bytes data;
    size_t at = 0;

    CHECK(!jw_tar_take(JW_BYTES(""), &at, "../x", 1, &data, &err));
    CHECK(!jw_tar_take(JW_BYTES(""), &at, "x", UINT64_MAX, &data, &err));
    at = 1000;
    CHECK_REFUSED(jw_tar_take(JW_BYTES("abc"), &at, "x", 1, &data, &err), err,
                  "tar: cut off at 0x3, inside x");
}
