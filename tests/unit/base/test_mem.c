#include "base/fault.h"
#include "base/mem.h"
#include "check.h"

#include <stdint.h>

TEST(alloc_is_zeroed_and_never_empty)
{
    char *p = jw_alloc(100), *none = jw_alloc(0);

    CHECK(p && none);
    for (size_t i = 0; p && i < 100; i++)
        CHECK(p[i] == 0);
    p = jw_realloc(p, 200);
    CHECK(p && p[99] == 0);
    jw_free(p);
    jw_free(none);
    jw_free(NULL);
}

TEST(strdup_copies)
{
    char *p = jw_strdup("text");

    CHECK_TEXT(p, "text");
    jw_free(p);
}

TEST(the_nth_allocation_fails)
{
    void *p, *q;

    jw_fault_arm(2);
    p = jw_alloc(1);
    CHECK(p && !jw_fault_fired());
    CHECK(!jw_realloc(p, 10)); /* p stays ours */
    CHECK(jw_fault_fired());
    q = jw_alloc(1); /* once only */
    CHECK(q);
    jw_fault_arm(0);
    CHECK(!jw_fault_fired());
    jw_free(p);
    jw_free(q);

    jw_fault_arm(1);
    CHECK(!jw_strdup("x"));
    jw_fault_arm(0);
}

TEST(nomem_says_how_much)
{
    struct jw_err err = { 0 };

    CHECK(!jw_nomem(&err, 123) && err.code == JW_E_NOMEM);
    CHECK_TEXT(err.msg, "out of memory (wanted 123 bytes)");
}

TEST(grow_makes_room_up_to_the_maximum)
{
    struct jw_err err = { 0 };
    uint32_t *items = NULL;
    size_t cap = 0;

    for (size_t n = 0; n < 1000; n++) {
        CHECK(jw_grow(&items, sizeof *items, n, &cap, 1000, &err) && cap > n);
        items[n] = (uint32_t)n;
    }
    CHECK(items[0] == 0 && items[999] == 999 && cap == 1000);
    CHECK(!jw_grow(&items, sizeof *items, 1000, &cap, 1000, &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "1000");
    CHECK(cap == 1000 && items[999] == 999);
    jw_free(items);
}

TEST(grow_leaves_everything_alone_when_it_fails)
{
    struct jw_err err = { 0 };
    char *items = NULL;
    size_t cap = 0;

    jw_fault_arm(1);
    CHECK(!jw_grow(&items, 1, 0, &cap, 10, &err) && err.code == JW_E_NOMEM && !items && cap == 0);
    jw_fault_arm(0);
    CHECK(!jw_grow(&items, SIZE_MAX / 2, 0, &cap, SIZE_MAX, &err) && err.code == JW_E_NOMEM && !items);
    CHECK(jw_grow(&items, 1, 0, &cap, 10, &err) && cap == 10);
    jw_free(items);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(alloc_is_zeroed_and_never_empty), T(strdup_copies), T(the_nth_allocation_fails),
               T(nomem_says_how_much), T(grow_makes_room_up_to_the_maximum),
               T(grow_leaves_everything_alone_when_it_fails));
}
