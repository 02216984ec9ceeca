#include "base/fault.h"
#include "check.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

static struct jw_store_key key(void)
{
    return packs_key(CACHE_NOW, 86);
}

static const char *in_store(struct jw_arena *a, const char *text)
{
    return jw_arena_printf(a, "faults/%s", packs_name(a, key(), text, 300));
}

/* A store before: two packs of one key, or what a kill left of a third one, and one of another build that would have to go. */
static void prepare(struct jw_arena *a, bool killed)
{
    (void)packs_begin(a, "faults");
    (void)tree_dir(a, "faults");
    (void)packs_file(a, jw_arena_printf(a, "faults/%s", packs_name(a, packs_key(CACHE_BEFORE, 86), "b", 300)),
                     "b", 300);
    (void)packs_file(a, in_store(a, "1"), "1", 300);
    (void)packs_file(a, in_store(a, "2"), "2", 300);
    if (killed)
        (void)tree_file(a, in_store(a, "3"), "3 is cut short");
}

/* Whatever ended it: nothing went without need, no work left. */
static void check(struct jw_arena *a, const char *dir, bool added, uint64_t cap)
{
    struct jw_store s = packs_load(a);

    CHECK(!s.refused);
    CHECK(!added || packs_has(dir, key(), "3", 300));
    CHECK(added || packs_has(dir, key(), "2", 300) || packs_has(dir, key(), "3", 300));
    CHECK(cap < 1 << 20 || (packs_has(dir, key(), "1", 300) && packs_has(dir, key(), "2", 300)));
    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].key.stamp && !s.packs[i].refused);
    for (size_t i = 0; i < s.n; i++)
        CHECK(!s.packs[i].signature || packs_first(dir, s.packs[i].name) == '3');
    CHECK(scratch_count(dir) <= 4 + 1 + 2); /* packs, signature, lock, .new */
}

static void torture(uint64_t cap, bool killed)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        prepare(&a, killed);

        const char *dir = tree_path(&a, "faults");
        struct jw_store_add x = { .key = key(),
                                  .file = packs_file(&a, "packs-in/f.tar.zst", "3", 300),
                                  .signature = tree_file(&a, "packs-in/f.minisig", "3"),
                                  .current = CACHE_NOW,
                                  .cap = cap };

        jw_fault_arm(nth);

        bool ok = jw_store_add(&x, &a, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        check(&a, dir, ok, cap);
        err = (struct jw_err){ 0 };
        CHECK(jw_store_add(&x, &a, &err)); /* and it can be done again */
        check(&a, dir, true, cap);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 40);
            break;
        }
    }
}

TEST(every_call_fails_once_with_room_for_all)
{
    torture(1 << 20, false);
}

TEST(every_call_fails_once_when_others_must_go)
{
    torture(650, false);
}

TEST(every_call_fails_once_when_all_others_must_go)
{
    torture(400, false);
}

TEST(every_call_fails_once_after_a_kill)
{
    torture(1 << 20, true);
    torture(650, true);
    torture(400, true);
}

TEST(every_call_of_a_reader_fails_once)
{
    struct jw_arena keep = { 0 };

    prepare(&keep, false);
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
            CHECK(ok && s.n == 3 && nth > 10);
            break;
        }
    }
    jw_arena_free(&keep);
}
