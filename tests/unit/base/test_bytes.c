#include "base/bytes.h"
#include "check.h"

static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 0xff};

TEST(slice_stays_inside)
{
    struct jw_bytes all = {data, sizeof data}, out = {NULL, 0};

    CHECK(jw_slice(all, 0, 9, &out) && out.n == 9 && out.p == data);
    CHECK(jw_slice(all, 8, 1, &out) && out.p[0] == 0xff);
    CHECK(jw_slice(all, 9, 0, &out) && out.n == 0 && !out.p);
    CHECK(!jw_slice(all, 9, 1, &out));
    CHECK(!jw_slice(all, 10, 0, &out));
    CHECK(!jw_slice(all, 1, 9, &out));
    CHECK(!jw_slice(all, 1, UINT64_MAX, &out));
    CHECK(!jw_slice(all, UINT64_MAX, 2, &out));
}

TEST(numbers_are_little_endian)
{
    uint8_t back[8];

    CHECK_NUM(jw_le16(data), 0x0201);
    CHECK_NUM(jw_le32(data), 0x04030201);
    CHECK_NUM(jw_le64(data), 0x0807060504030201u);
    CHECK_NUM(jw_le32(data + 5), 0xff080706u);
    jw_put64(back, 0x0807060504030201u);
    CHECK(memcmp(back, data, 8) == 0);
    jw_put16(back, 0xfffe);
    CHECK(back[0] == 0xfe && back[1] == 0xff && back[2] == 3);
}

TEST(reader_reads_straight_down)
{
    struct jw_reader r = jw_reader((struct jw_bytes){data, sizeof data});

    CHECK_NUM(jw_u8(&r), 1);
    CHECK_NUM(jw_u16(&r), 0x0302);
    CHECK_NUM(jw_u32(&r), 0x07060504);
    CHECK_NUM(r.at, 7);
    CHECK_NUM(jw_take(&r, 0).n, 0);
    CHECK(!r.bad);
    CHECK_NUM(jw_take(&r, 2).n, 2);
    CHECK(!r.bad && r.at == 9);
}

TEST(reader_goes_bad_once_and_reads_zeros)
{
    struct jw_reader r = jw_reader((struct jw_bytes){data, 4});

    CHECK_NUM(jw_u64(&r), 0);
    CHECK(r.bad && r.at == 0);
    CHECK_NUM(jw_u8(&r), 0);
    CHECK_NUM(jw_u16(&r), 0);
    CHECK(jw_take(&r, 1).n == 0 && r.bad);

    r = jw_reader((struct jw_bytes){NULL, 0});
    CHECK(jw_u8(&r) == 0 && r.bad);
    r = jw_reader((struct jw_bytes){data, 4});
    CHECK(jw_take(&r, UINT64_MAX).n == 0 && r.bad);
}

TEST(starts)
{
    CHECK(jw_starts(JW_BYTES("abc"), "ab"));
    CHECK(jw_starts(JW_BYTES("abc"), ""));
    CHECK(!jw_starts(JW_BYTES("a"), "ab"));
    CHECK(!jw_starts(JW_BYTES("xb"), "ab"));
}
