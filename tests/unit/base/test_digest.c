#include "check.h"

#include "base/digest.h"
#include "base/mem.h"

#include "base/compiler.h"
#include "base/num.h"
#include "rigs/digest512.h"

#include <string.h>

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

/* Of any lengths, and any number of them: around blocks of 128 bytes, none, and one much longer than the others. */
TEST(several_at_once_are_the_same)
{
    static const size_t lengths[] = { 0, 1, 127, 128, 129, 5000, 255, 256, 257, 0, 1000, 3, 384 };
    struct jw_digest_text list[JW_COUNT(lengths)];
    static uint8_t bytes[5000];
    uint8_t one[JW_DIGEST];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 256);
    for (size_t n = 0; n <= JW_COUNT(lengths); n++) {
        for (size_t i = 0; i < n; i++)
            list[i] = (struct jw_digest_text){ .bytes = { bytes + i, jw_min(lengths[i], sizeof bytes - i) } };
        jw_digest_texts(list, n);
        for (size_t i = 0; i < n; i++) {
            jw_digest(one, list[i].bytes.p, list[i].bytes.n);
            CHECK(memcmp(one, list[i].digest, JW_DIGEST) == 0);
        }
    }
}

TEST(the_longest_comes_first)
{
    static const size_t lengths[] = { 3, 9, 0, 9, 5 };
    struct jw_digest_text list[JW_COUNT(lengths)] = { 0 };
    struct jw_digest_text **order;

    for (size_t i = 0; i < JW_COUNT(lengths); i++)
        list[i].bytes.n = lengths[i];
    order = jw_longest_first(list, JW_COUNT(list), sizeof *list);
    CHECK(order[0] == &list[1] && order[1] == &list[3] && order[2] == &list[4] && order[3] == &list[0]
          && order[4] == &list[2]);
    jw_free((void *)order);
    jw_free(jw_longest_first(list, 0, sizeof *list));
}

/* Values of `b2sum`. */
TEST(the_long_one_equals_what_others_compute)
{
    static const uint8_t want[JW_DIGEST512] = {
        0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d, 0x6a, 0x27, 0x97, 0xb6, 0x9f, 0x12, 0xf6, 0xe9,
        0x4c, 0x21, 0x2f, 0x14, 0x68, 0x5a, 0xc4, 0xb7, 0x4b, 0x12, 0xbb, 0x6f, 0xdb, 0xff, 0xa2, 0xd1,
        0x7d, 0x87, 0xc5, 0x39, 0x2a, 0xab, 0x79, 0x2d, 0xc2, 0x52, 0xd5, 0xde, 0x45, 0x33, 0xcc, 0x95,
        0x18, 0xd3, 0x8a, 0xa8, 0xdb, 0xf1, 0x92, 0x5a, 0xb9, 0x23, 0x86, 0xed, 0xd4, 0x00, 0x99, 0x23,
    };
    uint8_t whole[JW_DIGEST512], parts[JW_DIGEST512];
    struct jw_digest_state s;

    digest512(whole, "abc", 3);
    CHECK(memcmp(whole, want, sizeof want) == 0);
    jw_digest512_init(&s);
    jw_digest_update(&s, "a", 1);
    jw_digest_update(&s, "bc", 2);
    jw_digest512_final(&s, parts);
    CHECK(memcmp(parts, want, sizeof want) == 0);
}

static const char *hex_of_sha256(const void *p, size_t n, size_t step)
{
    static char hex[2 * JW_SHA256 + 1];
    uint8_t digest[JW_SHA256];
    struct jw_sha256_state s;

    jw_sha256_init(&s);
    for (size_t at = 0; at < n; at += step)
        jw_sha256_update(&s, (const uint8_t *)p + at, n - at < step ? n - at : step);
    jw_sha256_update(&s, NULL, 0);
    jw_sha256_final(&s, digest);
    for (size_t i = 0; i < JW_SHA256; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return hex;
}

/* Values of `sha256sum`. */
TEST(equals_what_others_compute_sha256)
{
    CHECK_TEXT(hex_of_sha256(NULL, 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT(hex_of_sha256("{}", 2, 2), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    CHECK_TEXT(hex_of_sha256("abc", 3, 1),
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
