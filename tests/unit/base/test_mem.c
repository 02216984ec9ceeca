#include "base/mem.h"
#include "base/secret.h"
#include "check.h"

#include <setjmp.h>
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

static jmp_buf embedder;
static size_t asked;

static void leave(size_t wanted)
{
    asked = wanted;
    longjmp(embedder, 1);
}

TEST(an_embedder_may_end_in_its_own_way)
{
    void *volatile got = NULL;

    jw_on_out_of_memory(leave);
    if (setjmp(embedder) == 0) /* a sanitizer ends the process itself where malloc would give nothing */
        jw_out_of_memory(123);
    CHECK_NUM(asked, 123);
    if (setjmp(embedder) == 0) {
        char *items = NULL;
        size_t cap = 0;
        struct jw_err err = { 0 };

        got = jw_grow(&items, SIZE_MAX / 2, 0, &cap, SIZE_MAX, &err) ? items : NULL;
    }
    CHECK(!got);
    CHECK(asked == SIZE_MAX);
    jw_on_out_of_memory(NULL);
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
    return RUN(argc, argv, T(alloc_is_zeroed_and_never_empty), T(strdup_copies),
               T(an_embedder_may_end_in_its_own_way), T(grow_makes_room_up_to_the_maximum),
               T(wiped_compared_and_made));
}
