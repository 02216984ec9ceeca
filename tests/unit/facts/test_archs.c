#include "base/compiler.h"
#include "check.h"
#include "facts/archs.h"

TEST(what_is_no_architecture)
{
    CHECK(!jw_arch_find(0) && !jw_arch_find(85) && !jw_arch_find(86000));
}

TEST(isolated_ones)
{
    static const unsigned isolated[] = { 32, 53, 62, 72, 87, 88, 101 };
    static const unsigned shared[] = { 50, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 103, 120, 121 };

    for (size_t i = 0; i < JW_COUNT(isolated); i++)
        CHECK(jw_arch_find(isolated[i]) && jw_arch_find(isolated[i])->isolated);
    for (size_t i = 0; i < JW_COUNT(shared); i++)
        CHECK(jw_arch_find(shared[i]) && !jw_arch_find(shared[i])->isolated);
}

TEST(one_row_in_full)
{
    const struct jw_arch_fact *a = jw_arch_find(86);

    CHECK(a->first_branch == 455 && a->last_branch == 0);
    CHECK(!a->has_a && !a->has_f);
    CHECK(jw_arch_find(90)->has_a && !jw_arch_find(90)->has_f);
    CHECK(jw_arch_find(100)->has_a && jw_arch_find(100)->has_f);
    CHECK(jw_arch_find(61)->last_branch == 580 && jw_arch_find(35)->last_branch == 470);
    CHECK(jw_arch_find(87)->first_branch == 0);
}
