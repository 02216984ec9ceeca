#include "check.h"

#include "base/digest.h"

static const char *hex_of(const void *p, size_t n)
{
    static char hex[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];

    jw_digest(digest, p, n);
    jw_digest_hex(hex, digest);
    return hex;
}

/* Values of `b2sum -l 256`. */
TEST(equals_what_others_compute)
{
    CHECK_TEXT(hex_of(NULL, 0), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    CHECK_TEXT(hex_of("abc", 3), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
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

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(equals_what_others_compute), T(parts_make_the_whole));
}
