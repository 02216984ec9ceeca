#include "check.h"

#include "base/digest.h"

#include "rigs/digest512.h"

static const char *hex_of(const void *p, size_t n)
{
    static struct jw_digest_text hex;
    uint8_t digest[JW_DIGEST];

    jw_digest(digest, p, n);
    hex = jw_digest_text(digest);
    return hex.text;
}

/* Values of `b2sum -l 256`. */
TEST(equals_what_others_compute)
{
    CHECK_TEXT(hex_of(NULL, 0), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    CHECK_TEXT(hex_of("abc", 3),
               "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(parts_make_the_whole)
{
    uint8_t bytes[1000], whole[JW_DIGEST], parts[JW_DIGEST];
    struct jw_digest_state s;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    jw_digest(whole, bytes, sizeof bytes);
    for (size_t step = 1; step < 300; step += 37) {
        jw_digest_init(&s);
        for (size_t at = 0; at < sizeof bytes; at += step)
            jw_digest_update(&s, bytes + at, sizeof bytes - at < step ? sizeof bytes - at : step);
        jw_digest_update(&s, NULL, 0);
        jw_digest_final(&s, parts);
        CHECK(memcmp(whole, parts, JW_DIGEST) == 0);
    }
}

/* Values of `b2sum`. */
TEST(the_long_one_equals_what_others_compute)
{
    static const uint8_t want[JW_DIGEST512] = {
        0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d, 0x6a, 0x27, 0x97, 0xb6, 0x9f,
        0x12, 0xf6, 0xe9, 0x4c, 0x21, 0x2f, 0x14, 0x68, 0x5a, 0xc4, 0xb7, 0x4b, 0x12,
        0xbb, 0x6f, 0xdb, 0xff, 0xa2, 0xd1, 0x7d, 0x87, 0xc5, 0x39, 0x2a, 0xab, 0x79,
        0x2d, 0xc2, 0x52, 0xd5, 0xde, 0x45, 0x33, 0xcc, 0x95, 0x18, 0xd3, 0x8a, 0xa8,
        0xdb, 0xf1, 0x92, 0x5a, 0xb9, 0x23, 0x86, 0xed, 0xd4, 0x00, 0x99, 0x23,
    };
    uint8_t whole[JW_DIGEST512], parts[JW_DIGEST512];
    struct jw_digest_state s;

    digest512(whole, "abc", 3);
    CHECK(memcmp(whole, want, sizeof want) == 0);
    jw_digest512_init(&s);
    jw_digest_update(&s, "a", 1);
    jw_digest_update(&s, "bc", 2);
    jw_digest_final(&s, parts);
    CHECK(memcmp(parts, want, sizeof want) == 0);
}
