#include "check.h"

#include "base/limits.h"
#include "pack/format/minisign.h"

static const struct jw_scrypt quick = {
    .salt = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
    .work = (uint64_t)1 << 19,
    .memory = (uint64_t)16 << 20,
};

/* Python's hashlib.scrypt with n = 16384, r = 8, p = 1, which is what this work and memory mean. */
TEST(equals_what_others_compute)
{
    static const uint8_t want[32] = {
        0xf5, 0xb7, 0x86, 0x4f, 0x3c, 0x85, 0x03, 0xcb, 0x16, 0x52, 0xe6, 0xa7, 0x1f, 0x52, 0x78, 0xbf,
        0xcf, 0xf1, 0xc0, 0xb5, 0x2c, 0x9f, 0x12, 0xac, 0x7c, 0x37, 0x24, 0x94, 0x12, 0x01, 0x08, 0x67,
    };
    uint8_t got[32];
    struct jw_err err = { 0 };

    CHECK(jw_scrypt_derive(got, sizeof got, &quick, JW_BYTES("correct horse"), &err));
    CHECK(memcmp(got, want, sizeof got) == 0);
    CHECK(jw_scrypt_derive(got, sizeof got, &quick, (struct jw_bytes){ NULL, 0 }, &err));
    CHECK(memcmp(got, want, sizeof got) != 0);
}

TEST(what_costs_too_much_is_not_begun)
{
    struct jw_scrypt how = quick;
    uint8_t got[32];
    struct jw_err err = { 0 };

    how.work = JW_MAX_SCRYPT_WORK + 1;
    CHECK(!jw_scrypt_derive(got, sizeof got, &how, JW_BYTES("x"), &err) && err.code == JW_E_LIMIT);
    how.work = quick.work;
    how.memory = JW_MAX_SCRYPT_MEMORY + 1;
    CHECK(!jw_scrypt_derive(got, sizeof got, &how, JW_BYTES("x"), &err) && err.code == JW_E_LIMIT);
}

TEST(a_new_one_has_its_own_salt)
{
    struct jw_scrypt a, b;
    struct jw_err err = { 0 };

    CHECK(jw_scrypt_new(&a, &err) && jw_scrypt_new(&b, &err));
    CHECK(memcmp(a.salt, b.salt, sizeof a.salt) != 0);
    CHECK(a.work == JW_MAX_SCRYPT_WORK && a.memory == JW_MAX_SCRYPT_MEMORY);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(equals_what_others_compute), T(what_costs_too_much_is_not_begun),
               T(a_new_one_has_its_own_salt));
}
