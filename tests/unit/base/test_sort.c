#include "base/compiler.h"
#include "base/mem.h"
#include "base/sort.h"
#include "check.h"

#include <stdlib.h>

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
    struct named list[] = {{"b", 1}, {"a", 2}, {"B", 3}, {"ab", 4}, {"", 5}};
    const char *key = "ab", *absent = "c";
    const struct named *found;

    jw_sort(list, JW_COUNT(list), sizeof *list, jw_by_text);
    CHECK(list[0].at == 5 && list[1].at == 3 && list[2].at == 2 && list[3].at == 4
          && list[4].at == 1);
    found = jw_search(&key, list, JW_COUNT(list), sizeof *list, jw_by_text);
    CHECK(found == &list[3]);
    CHECK(!jw_search(&absent, list, JW_COUNT(list), sizeof *list, jw_by_text));
}

TEST(numbers_of_any_size)
{
    uint64_t large[] = {UINT64_MAX, 0, (uint64_t)1 << 63, 1};

    jw_sort_u64(large, JW_COUNT(large), sizeof *large);
    CHECK(large[0] == 0 && large[1] == 1 && large[2] == (uint64_t)1 << 63
          && large[3] == UINT64_MAX);
    CHECK(jw_find_u64(large, JW_COUNT(large), sizeof *large, UINT64_MAX) == &large[3]);
    CHECK(!jw_find_u64(large, JW_COUNT(large), sizeof *large, 2));
}

enum { MANY = 3000 };

/* As wide as an element of a listing, and of no even number of words. */
struct wide {
    uint64_t name;
    uint32_t number;
    char more[45];
};

static uint64_t next_number(uint64_t *dice)
{
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return *dice ^ *dice >> 29;
}

static int by_name_and_number(const void *a, const void *b)
{
    const struct wide *x = a, *y = b;

    return x->name != y->name      ? (x->name < y->name ? -1 : 1)
           : x->number < y->number ? -1
                                   : x->number > y->number;
}

/* Names of which only these bits differ: as digests, as small numbers, and as one that repeats. */
static void check_sorted(size_t n, uint64_t bits)
{
    struct wide *list = jw_alloc((n + 1) * sizeof *list), *want = jw_alloc((n + 1) * sizeof *want);
    uint64_t dice = n + bits;

    for (size_t i = 0; i < n; i++) {
        list[i] = (struct wide){.name = next_number(&dice) & bits, .number = (uint32_t)i};
        list[i].more[sizeof list[i].more - 1] = (char)i;
        want[i] = list[i];
    }
    if (n)
        qsort(want, n, sizeof *want, by_name_and_number);

    struct jw_ranked *order = jw_rank_u64(list, n, sizeof *list);
    bool ranked = true, same = true, found = true;

    for (size_t i = 0; i < n; i++)
        ranked &= order[i].name == want[i].name && order[i].at == want[i].number;
    jw_sort_u64(list, n, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const struct wide *hit = jw_find_u64(list, n, sizeof *list, want[i].name);

        same &= list[i].name == want[i].name && list[i].number == want[i].number
                && list[i].more[sizeof list[i].more - 1] == (char)list[i].number;
        found &= hit && hit->name == want[i].name;
    }
    CHECK(ranked && same && found);
    jw_sort_u64(list, n, sizeof *list); /* it is in order */
    for (size_t i = 0; i < n; i++)
        same &= list[i].number == want[i].number;
    CHECK(same);
    jw_free(order);
    jw_free(list);
    jw_free(want);
}

TEST(names_are_sorted_and_equal_ones_keep_their_order)
{
    static const uint64_t bits[] = {
        UINT64_MAX, 0xffff, 7, 0, (uint64_t)3 << 62, 0xff00000000, 0x0100000000000001};

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        for (size_t n = 0; n < 60; n++)
            check_sorted(n, bits[i]);
        check_sorted(MANY, bits[i]);
    }
}

TEST(a_name_is_found_by_all_of_it)
{
    static const uint64_t list[] = {2, 4, (uint64_t)1 << 40, UINT64_MAX};

    for (size_t n = 0; n <= 4; n++)
        for (size_t i = 0; i < 4; i++)
            CHECK(jw_find_u64(list, n, sizeof *list, list[i]) == (i < n ? &list[i] : NULL));
    CHECK(!jw_find_u64(list, 4, sizeof *list, 0) && !jw_find_u64(list, 4, sizeof *list, 3));
    CHECK(!jw_find_u64(list, 4, sizeof *list, UINT64_MAX - 1)
          && !jw_find_u64(NULL, 0, sizeof *list, 0));
}
