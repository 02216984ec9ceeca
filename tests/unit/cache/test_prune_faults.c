#include "base/fault.h"
#include "cache/clear/clear.h"
#include "cache/place/cachedir.h"
#include "cache/prune/prune.h"
#include "check.h"
#include "rigs/cache.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

enum { N = 5 };

/* A cache of N entries, for which no driver need be asked, and a memory of one of them. */
static const char *prepare(struct jw_arena *a)
{
    struct cache c;
    struct jw_warm_job job = warm_job(1, 50);
    struct jw_warm_log *l;
    struct jw_err err = { 0 };

    scratch_empty(tree_path(a, "faults"));
    cache_env("JITWARM_STATE", tree_path(a, "faults/state"));
    cache_env("JITWARM_STORE", tree_path(a, "faults/store"));
    c = cache_make(a, "faults/cache");
    for (unsigned i = 0; i < N; i++)
        job.name = cache_add(&c, CACHE_BEFORE, "sm_86", i, 50);
    cache_done(&c);
    l = warm_open(c.root);
    CHECK(jw_warm_add_job(l, &job, &err));
    jw_warm_close(l);
    return c.root;
}

/* Each record has its file, each file is whole; how many there are. */
static size_t sound(struct jw_arena *a, const char *root)
{
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    size_t n;

    CHECK(jw_cachedir_list(root, true, a, &l, &err));
    CHECK(!l.index_damage && l.missing == 0);
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage);
    n = l.n;
    jw_cache_listing_free(&l);
    return n;
}

TEST(every_call_of_a_prune_fails_once)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct jw_prune_options o = {
            .cache = prepare(&a), .everything = true, .no_pack = true, .act = true
        };
        struct jw_prune_report r;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);

        bool ok = jw_prune(&o, &a, &r, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        CHECK(!ok || r.end == JW_END_DONE || (fired && (r.why || r.notes.n || r.end == JW_END_NOTHING)));
        (void)sound(&a, o.cache);
        err = (struct jw_err){ 0 };
        CHECK(jw_prune(&o, &a, &r, &err));
        CHECK(r.end == JW_END_DONE || r.end == JW_END_NOTHING);
        CHECK_NUM(sound(&a, o.cache), 0);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 100);
            break;
        }
    }
}

TEST(every_call_of_saving_fails_once)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        struct publish_root root = { .path = prepare(&a), .tree = JW_TREE_CLOSED };
        struct jw_driver_state driver = { .stamp = CACHE_BEFORE,
                                          .version = "570.1",
                                          .level = JW_LEVEL_PLACEABLE };
        struct jw_prune_build build = { .stamp = CACHE_BEFORE, .driver = &driver };
        struct jw_warm_state memory = { 0 };
        const struct jw_cache_file *files[N];
        struct prune_saving s = { &root, &memory, CACHE_NOW, files, 0, &build, "sm_86", NULL };
        struct jw_cache_listing l;
        struct jw_err err = { 0 };
        const char *path = NULL;

        CHECK(jw_tree_open(&root.tree, root.path, &err) && jw_cachedir_list(root.path, false, &a, &l, &err));
        for (; s.n < l.n && s.n < N; s.n++)
            files[s.n] = &l.files[s.n];
        jw_fault_arm(nth);

        bool ok = prune_save(&s, &a, &path, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok ? path != NULL : fired && err.code && err.msg[0]);
        CHECK_NUM(sound(&a, root.path), N);

        struct jw_store store = packs_load(&a);

        CHECK(store.n <= 1 && (!ok || store.n == 1));
        CHECK(prune_save(&s, &a, &path, &(struct jw_err){ 0 }));
        CHECK_NUM(packs_load(&a).n, 1);
        jw_cache_listing_free(&l);
        jw_tree_close(&root.tree);
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 60);
            break;
        }
    }
}

/* Whatever fails: the cache is not touched, and what is left goes at the next try. */
TEST(every_call_of_a_clear_fails_once)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct jw_arena a = { 0 };
        const char *root = prepare(&a);
        struct jw_clear_options o = { .act = true };
        struct jw_clear_report r;
        struct jw_err err = { 0 };

        (void)packs_add(&a, packs_key(CACHE_NOW, 86), "one", 300);
        jw_fault_arm(nth);

        bool ok = jw_clear(&o, &a, &r, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        CHECK_NUM(sound(&a, root), N);
        err = (struct jw_err){ 0 };
        CHECK(jw_clear(&o, &a, &r, &err));
        CHECK(r.end == JW_END_DONE || r.end == JW_END_NOTHING);
        CHECK(!scratch_there(tree_path(&a, "faults/state/roots"))
              && !scratch_there(tree_path(&a, "faults/store")));
        jw_arena_free(&a);
        if (!fired) {
            CHECK(ok && nth > 40);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(every_call_of_a_prune_fails_once), T(every_call_of_saving_fails_once),
               T(every_call_of_a_clear_fails_once));
}
