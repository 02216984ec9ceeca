#include "base/arena.h"
#include "base/fault.h"
#include "check.h"

#include <stdint.h>

TEST(memory_is_zeroed_aligned_and_apart)
{
    struct jw_arena a = { 0 };
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

TEST(a_large_block_leaves_the_small_one_in_use)
{
    struct jw_arena a = { 0 };
    char *small = jw_arena_alloc(&a, 16);
    uint8_t *large = jw_arena_alloc(&a, 1 << 20);
    char *next = jw_arena_alloc(&a, 16);

    CHECK(small && large && next == small + 16);
    if (large)
        memset(large, 1, 1 << 20);
    jw_arena_free(&a);
}

TEST(the_cap_holds)
{
    struct jw_arena a = { .max = 100 };

    CHECK(!jw_arena_alloc(&a, SIZE_MAX));
    CHECK(!jw_arena_alloc(&a, SIZE_MAX - 7));
    CHECK(!jw_arena_alloc(&a, 101));
    CHECK(a.full);
    jw_arena_free(&a);
    CHECK(!a.full);
    CHECK(jw_arena_alloc(&a, 60) != NULL);
    CHECK(!a.full);
    CHECK(!jw_arena_alloc(&a, 60));
    CHECK(a.full);
    CHECK(jw_arena_alloc(&a, 32) != NULL);
    CHECK(!jw_arena_alloc(&a, 1));
    jw_arena_free(&a);
    CHECK(a.max == 100);
    CHECK(jw_arena_alloc(&a, 60) != NULL);
    jw_arena_free(&a);
}

TEST(copies)
{
    struct jw_arena a = { 0 };
    uint32_t number = 7;
    char *text = jw_arena_text(&a, "abcdef", 3), *whole = jw_arena_str(&a, "whole");
    uint32_t *copy = jw_arena_copy(&a, &number, sizeof number);

    CHECK_TEXT(text, "abc");
    CHECK_TEXT(whole, "whole");
    CHECK(copy && *copy == 7 && copy != &number);
    CHECK_TEXT(jw_arena_text(&a, NULL, 0), "");
    CHECK(!jw_arena_text(&a, "x", SIZE_MAX));
    jw_arena_free(&a);
}

TEST(no_memory_is_null)
{
    struct jw_arena a = { 0 };

    jw_fault_arm(1);
    CHECK(!jw_arena_str(&a, "x"));
    jw_fault_arm(0);
    CHECK(a.used == 0);
    CHECK_TEXT(jw_arena_str(&a, "x"), "x");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(memory_is_zeroed_aligned_and_apart),
               T(a_large_block_leaves_the_small_one_in_use), T(the_cap_holds), T(copies),
               T(no_memory_is_null));
}
