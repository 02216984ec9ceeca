#include "base/arena.h"
#include "check.h"

#include <stdint.h>

TEST(memory_is_zeroed_aligned_and_apart)
{
    struct jw_arena a = {0};
    uint8_t *last = NULL;

    for (size_t n = 0; n < 3000; n++) {
        uint8_t *p = jw_arena_alloc(&a, n % 97);

        CHECK(p && (uintptr_t)p % 16 == 0);
        for (size_t i = 0; p && i < n % 97; i++) {
            if (p[i] != 0)
                check_failed(__FILE__, __LINE__, "zeroed");
            p[i] = 0xaa;
        }
        CHECK(p != last || n % 97 <= 1);
        last = p;
    }
    jw_arena_free(&a);
    CHECK(!a.blocks && a.used == 0);
    jw_arena_free(&a);
}

TEST_ARENA(a_large_block_leaves_the_small_one_in_use)
{
    char *small = jw_arena_alloc(a, 16);
    uint8_t *large = jw_arena_alloc(a, 1 << 20);
    char *next = jw_arena_alloc(a, 16);

    CHECK(small && large && next == small + 16);
    if (large)
        memset(large, 1, 1 << 20);
}

TEST(there_is_room_up_to_the_cap)
{
    struct jw_arena a = {.max = 100};

    CHECK(!jw_arena_has_room(&a, SIZE_MAX));
    CHECK(!jw_arena_has_room(&a, SIZE_MAX - 7));
    CHECK(!jw_arena_has_room(&a, 101));
    CHECK(jw_arena_has_room(&a, 60));
    *(char *)jw_arena_alloc(&a, 60) = 'x';
    CHECK_NUM(a.used, 64);
    CHECK(!jw_arena_has_room(&a, 60));
    *(char *)jw_arena_alloc(&a, 32) = 'x';
    CHECK_NUM(a.used, 96);
    CHECK(!jw_arena_has_room(&a, 1));
    jw_arena_free(&a);
    CHECK(a.max == 100);
    CHECK(jw_arena_has_room(&a, 60));
}

TEST_ARENA(copies)
{
    uint32_t number = 7;
    char *text = jw_arena_text(a, "abcdef", 3), *whole = jw_arena_str(a, "whole");
    uint32_t *copy = jw_arena_copy(a, &number, sizeof number);

    CHECK_TEXT(text, "abc");
    CHECK_TEXT(whole, "whole");
    CHECK(copy && *copy == 7 && copy != &number);
    CHECK_TEXT(jw_arena_text(a, NULL, 0), "");
}

TEST_ARENA(a_list_grows_and_stops)
{
    uint32_t *v = NULL;
    size_t n = 0;

    for (uint32_t i = 0; i < 100; i++) {
        uint32_t *slot = jw_list_add(a, &v, &n, sizeof *v, 100, &err);

        CHECK(slot && *slot == 0);
        if (slot)
            *slot = i;
    }
    CHECK_NUM(n, 100);
    for (uint32_t i = 0; i < n; i++)
        CHECK_NUM(v[i], i);
    CHECK(!jw_list_add(a, &v, &n, sizeof *v, 100, &err));
    CHECK(err.code == JW_E_LIMIT);
    CHECK_NUM(n, 100);
}
