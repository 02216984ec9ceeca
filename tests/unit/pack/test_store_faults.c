#include "base/fault.h"
#include "check.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

/* A store before: two packs of one kind, one of them half as a kill leaves it, and one of another build that would have
 * to go. */
static void prepare(struct jw_arena *a)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86), other = packs_key(CACHE_BEFORE, 86);

    (void)packs_begin(a, "faults");
    (void)tree_dir(a, "faults");
    (void)packs_file(a, jw_arena_printf(a, "faults/%s", packs_name(a, other, "b", 300)), "b", 300);
    (void)packs_file(a, jw_arena_printf(a, "faults/%s", packs_name(a, key, "2", 300)), "2", 300);
    (void)tree_file(a, jw_arena_printf(a, "faults/%s.minisig", packs_name(a, key, "1", 300)), "1");
}

/* Whatever ended it: whole packs, of this kind never none, no work left. */
static void check(struct jw_arena *a, const char *dir, bool added)
{
    struct jw_store s = packs_load(a);
    const char *ours = packs_of(a, packs_key(CACHE_NOW, 86));

    CHECK(!s.refused);
    CHECK(strchr(ours, '3') || (strchr(ours, '2') && !added));
    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].key.stamp && !s.packs[i].refused && s.packs[i].size >= 300);
    for (size_t i = 0; i < s.n; i++)
        CHECK(!s.packs[i].signature || packs_find(a, '3'));
    CHECK(scratch_count(dir) <= 3 + 2 + 2); /* packs, signatures, lock, .new */
}

static void torture(uint64_t cap)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        prepare(&a);

        const char *dir = tree_path(&a, "faults");
        struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86),
                                  .file = packs_file(&a, "packs-in/f.tar.zst", "3", 300),
                                  .signature = tree_file(&a, "packs-in/f.minisig", "3"),
                                  .current = CACHE_NOW,
                                  .cap = cap };

        jw_fault_arm(nth);

        bool ok = jw_store_add(&x, &a, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        check(&a, dir, ok);
        err = (struct jw_err){ 0 };
        CHECK(jw_store_add(&x, &a, &err)); /* and it can be done again */
        check(&a, dir, true);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 40);
            break;
        }
    }
}

TEST(every_call_fails_once_with_room_for_all)
{
    torture(1 << 20);
}

TEST(every_call_fails_once_when_others_must_go)
{
    torture(650);
}

TEST(every_call_fails_once_with_room_for_one)
{
    torture(400);
}

TEST(every_call_of_a_reader_fails_once)
{
    struct jw_arena keep = { 0 };

    prepare(&keep);
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        struct jw_store s;

        jw_fault_arm(nth);

        bool ok = jw_store_load(&a, &s, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        for (size_t i = 0; ok && !fired && i < s.n; i++)
            CHECK(!s.packs[i].refused);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && s.n == 2 && nth > 10);
            break;
        }
    }
    jw_arena_free(&keep);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(every_call_fails_once_with_room_for_all),
               T(every_call_fails_once_when_others_must_go), T(every_call_fails_once_with_room_for_one),
               T(every_call_of_a_reader_fails_once));
}
