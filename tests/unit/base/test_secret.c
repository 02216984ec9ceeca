#include "check.h"

#include "base/secret.h"

TEST(wiped_compared_and_made)
{
    static const uint8_t zeros[64];
    uint8_t a[64], b[64];
    struct jw_err err = { 0 };

    CHECK(jw_secret_random(a, sizeof a, &err) && jw_secret_random(b, sizeof b, &err));
    CHECK(!jw_secret_same(a, b, sizeof a) && jw_secret_same(a, a, sizeof a));
    memcpy(b, a, sizeof b);
    b[63] ^= 0x80;
    CHECK(jw_secret_same(a, b, 63) && !jw_secret_same(a, b, 64));
    jw_secret_wipe(a, sizeof a);
    CHECK(memcmp(a, zeros, sizeof a) == 0);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(wiped_compared_and_made));
}
