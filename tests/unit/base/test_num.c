#include "base/num.h"
#include "check.h"

#define TOP UINT64_MAX

TEST(mul)
{
    uint64_t product;

    CHECK(jw_mul(0, TOP, &product) && product == 0);
    CHECK(jw_mul(TOP, 0, &product) && product == 0);
    CHECK(jw_mul(1, TOP, &product) && product == TOP);
    CHECK(jw_mul(0xffffffffu, 0xffffffffu, &product) && product == 0xfffffffe00000001u);
    CHECK(jw_mul(TOP / 3, 3, &product) && product == TOP);
    CHECK(!jw_mul(TOP / 3 + 1, 3, &product));
    CHECK(!jw_mul(1ull << 32, 1ull << 32, &product));
    CHECK(!jw_mul(TOP, TOP, &product));
}

TEST(within)
{
    CHECK(jw_within(0, 0, 0));
    CHECK(jw_within(10, 0, 10));
    CHECK(jw_within(0, 10, 10));
    CHECK(!jw_within(11, 0, 10));
    CHECK(!jw_within(1, 10, 10));
    CHECK(!jw_within(1, TOP, 10));
    CHECK(!jw_within(TOP, 2, 10));
    CHECK(jw_within(TOP, 0, TOP));
}

TEST(align_min_max)
{
    CHECK_NUM(jw_align(0, 8), 0);
    CHECK_NUM(jw_align(1, 8), 8);
    CHECK_NUM(jw_align(8, 8), 8);
    CHECK_NUM(jw_align(9, 4), 12);
    CHECK_NUM(jw_min(1, 2), 1);
    CHECK_NUM(jw_max(1, TOP), TOP);
}
