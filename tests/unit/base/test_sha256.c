#include "check.h"

#include "base/digest.h"

#include <string.h>

static const char *hex_of(const void *p, size_t n, size_t step)
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
TEST(equals_what_others_compute)
{
    CHECK_TEXT(hex_of(NULL, 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT(hex_of("{}", 2, 2), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    CHECK_TEXT(hex_of("abc", 3, 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(equals_what_others_compute));
}
