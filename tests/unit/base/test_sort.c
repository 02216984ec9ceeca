#include "base/compiler.h"
#include "base/sort.h"
#include "check.h"

#include <string.h>

struct named {
    const char *name;
    int at;
};

TEST(a_list_of_nothing_may_be_NULL)
{
    const char *key = "a";

    jw_sort(NULL, 0, sizeof key, jw_by_text);
    jw_sort_u64(NULL, 0, sizeof(uint64_t));
    CHECK(!jw_search(&key, NULL, 0, sizeof key, jw_by_text));
    CHECK(!jw_find_u64(NULL, 0, sizeof(uint64_t), 1));
}

TEST(texts_and_what_begins_with_one)
{
    struct named list[] = { { "b", 1 }, { "a", 2 }, { "B", 3 }, { "ab", 4 }, { "", 5 } };
    const char *key = "ab", *absent = "c";
    const struct named *found;

    jw_sort(list, JW_COUNT(list), sizeof *list, jw_by_text);
    CHECK(list[0].at == 5 && list[1].at == 3 && list[2].at == 2 && list[3].at == 4 && list[4].at == 1);
    found = jw_search(&key, list, JW_COUNT(list), sizeof *list, jw_by_text);
    CHECK(found == &list[3]);
    CHECK(!jw_search(&absent, list, JW_COUNT(list), sizeof *list, jw_by_text));
}

TEST(numbers_of_any_size)
{
    uint64_t large[] = { UINT64_MAX, 0, (uint64_t)1 << 63, 1 };
    uint16_t small[] = { UINT16_MAX, 0, 90 };

    jw_sort_u64(large, JW_COUNT(large), sizeof *large);
    CHECK(large[0] == 0 && large[1] == 1 && large[2] == (uint64_t)1 << 63 && large[3] == UINT64_MAX);
    CHECK(jw_find_u64(large, JW_COUNT(large), sizeof *large, UINT64_MAX) == &large[3]);
    CHECK(!jw_find_u64(large, JW_COUNT(large), sizeof *large, 2));
    jw_sort(small, JW_COUNT(small), sizeof *small, jw_by_u16);
    CHECK(small[0] == 0 && small[1] == 90 && small[2] == UINT16_MAX);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_list_of_nothing_may_be_NULL), T(texts_and_what_begins_with_one),
               T(numbers_of_any_size));
}
