#include "base/fault.h"
#include "check.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#define NEWEST "580.126.09-sm_86-20260107-225146.tar.zst"
#define OLDER "580.126.09-sm_86-20260107-225146.old.tar.zst"

/* A store before: two generations of one pack, or what a kill between two names leaves of them, and one of another build
 * that would have to go. */
static void prepare(struct jw_arena *a, bool killed)
{
    (void)packs_begin(a, "faults");
    (void)tree_dir(a, "faults");
    (void)packs_file(a, "faults/580.126.09-sm_86-20250614-154011.tar.zst", "b", 300);
    (void)packs_file(a, "faults/" OLDER, killed ? "2" : "1", 300);
    if (!killed)
        (void)packs_file(a, "faults/" NEWEST, "2", 300);
}

/* Whatever ended it: a whole pack for each key, the newest never older than what was there, no work left. */
static void check(struct jw_arena *a, const char *dir, bool added)
{
    struct jw_store s = packs_load(a);
    char newest = packs_first(dir, NEWEST), first = newest == '-' ? packs_first(dir, OLDER) : newest;

    CHECK(!s.refused);
    CHECK(first == '3' || (first == '2' && !added));
    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].key.stamp && !s.packs[i].refused && s.packs[i].size >= 300);
    for (size_t i = 0; i < s.n; i++)
        CHECK(!s.packs[i].signature || packs_first(dir, s.packs[i].name) == '3');
    CHECK(scratch_count(dir) <= 3 + 1 + 2); /* packs, signature, lock, .new */
}

static void torture(uint64_t cap, bool killed)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        prepare(&a, killed);

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

TEST(every_call_fails_once_with_room_for_both)
{
    torture(1 << 20, false);
}

TEST(every_call_fails_once_when_others_must_go)
{
    torture(650, false);
}

TEST(every_call_fails_once_in_one_step)
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

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(every_call_fails_once_with_room_for_both),
               T(every_call_fails_once_when_others_must_go), T(every_call_fails_once_in_one_step),
               T(every_call_fails_once_after_a_kill), T(every_call_of_a_reader_fails_once));
}
