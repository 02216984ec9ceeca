#include "cache/prune/prune_plan.h"
#include "check.h"

#include <stdint.h>

#define NOW "Jan  7 202622:51:46"
#define BEFORE "Jun 14 202515:40:11"
#define OTHER "Feb  9 201919:17:30"
#define REHEARSED "Jun 14 202555:40:11" /* of a simulated driver */

enum { DAY = 24 * 60 * 60 };

static const int64_t now = 1800000000;

/* A cache, as the walker would have found it. */
struct world {
    struct jw_arena a;
    struct jw_cache_file files[16];
    struct jw_cache_record records[16];
    struct jw_cache_listing list;
    struct jw_driver_state states[4];
    struct jw_driver_states drivers;
    struct jw_warm_state memory;
    struct jw_prune_facts facts;
    struct jw_prune_plan plan;
};

static struct world *begin(void)
{
    static struct world w;

    jw_arena_free(&w.a);
    w = (struct world){ .list = { .found = true, .index_found = true } };
    w.list.files = w.files;
    w.list.index.list = w.records;
    w.drivers.v = w.states;
    w.states[0] = (struct jw_driver_state){ .build = "gnu:now", .stamp = NOW, .met_at = now };
    w.drivers.n = 1;
    w.facts = (struct jw_prune_facts){ .list = &w.list,
                                       .drivers = &w.drivers,
                                       .memory = &w.memory,
                                       .current = NOW,
                                       .now = now,
                                       .max = UINT64_MAX };
    return &w;
}

/* Each with a record, a kilobyte of key and payload. */
static struct jw_cache_file *add(struct world *w, const char *stamp, int64_t days)
{
    size_t n = w->list.n++;
    struct jw_cache_file *f = &w->files[n];

    *f = (struct jw_cache_file){ .name = n + 1,
                                 .size = 1028,
                                 .mtime = (now - days * DAY) * 1000000000,
                                 .entry = { .key_size = 500, .payload_size = 500 },
                                 .arch = "sm_86",
                                 .sm = 86,
                                 .indexed = true,
                                 .recorded = 1000 };
    memcpy(f->stamp, stamp, strlen(stamp) + 1);
    w->records[w->list.index.n++] = (struct jw_cache_record){ n + 1, 1000 };
    return f;
}

static void plan(struct world *w)
{
    struct jw_err err = { 0 };

    CHECK_OK(jw_prune_plan(&w->facts, &w->a, &w->plan, &err), err);
}

static const char *why(const struct world *w, size_t i)
{
    return jw_prune_why_names[w->plan.why[i]];
}

static const char *fate(const struct world *w, const char *stamp)
{
    const struct jw_prune_build *b = jw_prune_build_of(&w->plan, stamp);

    return b ? jw_prune_fate_names[b->fate] : "none";
}

/* ---- outdated ---- */

TEST(a_build_is_outdated_after_ninety_days)
{
    struct world *w = begin();

    (void)add(w, NOW, 400);
    (void)add(w, BEFORE, 91);
    (void)add(w, OTHER, 90);
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(why(w, 1), "outdated");
    CHECK_TEXT(why(w, 2), "keep");
    CHECK_TEXT(fate(w, OTHER), "recent");
}

/* One young entry shows that the build was at work; the others stay with it. */
TEST(what_compiles_is_in_use)
{
    struct world *w = begin();

    (void)add(w, BEFORE, 300);
    (void)add(w, BEFORE, 10);
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(fate(w, BEFORE), "recent");
}

TEST(what_was_met_is_in_use)
{
    struct world *w = begin();

    w->states[1] = (struct jw_driver_state){
        .build = "gnu:old", .stamp = BEFORE, .proven_at = now - 300 * DAY, .met_at = now - 20 * DAY
    };
    w->drivers.n = 2;
    (void)add(w, BEFORE, 300);
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    w->states[1].met_at = 0;
    plan(w);
    CHECK_TEXT(why(w, 0), "outdated");
}

TEST(outdated_says_now)
{
    struct world *w = begin();

    (void)add(w, NOW, 0);
    (void)add(w, BEFORE, 0);
    w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(why(w, 1), "outdated");
}

TEST(a_shared_disk_has_nothing_outdated)
{
    struct world *w = begin();

    (void)add(w, BEFORE, 1000);
    w->facts.shared = w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(fate(w, BEFORE), "shared");
}

/* The driver did not answer: an update may have made all that is young look strange. */
TEST(without_a_driver_nothing_is_outdated)
{
    struct world *w = begin();

    (void)add(w, NOW, 1000);
    (void)add(w, BEFORE, 1000);
    w->facts.current = NULL;
    w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(why(w, 1), "keep");
    CHECK_TEXT(fate(w, BEFORE), "unknown");
}

TEST(the_simulated_driver_judges_no_real_one)
{
    struct world *w = begin();

    w->states[1] = (struct jw_driver_state){ .build = "gnu:old", .stamp = REHEARSED };
    w->drivers.n = 2;
    (void)add(w, REHEARSED, 1000);
    (void)add(w, OTHER, 1000);
    w->facts.current = "Jan  7 202662:51:46";
    w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "outdated");
    CHECK_TEXT(why(w, 1), "keep");
    CHECK_TEXT(fate(w, OTHER), "real");
}

TEST(what_names_no_build_is_not_outdated)
{
    struct world *w = begin();

    (void)add(w, "", 5000);
    w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_NUM(w->plan.n_builds, 0);
}

/* ---- other compilers ---- */

static struct jw_cache_file *add_kind(struct world *w, enum jw_cache_kind kind, const char *stamp,
                                      int64_t days)
{
    struct jw_cache_file *f = add(w, stamp, days);

    f->kind = kind;
    return f;
}

/* NVRTC's build is no driver's, and a file that is read every day keeps the time at which it was written. */
TEST(entries_of_other_compilers_are_never_outdated)
{
    struct world *w = begin();

    (void)add_kind(w, JW_CACHE_NVVM, OTHER, 100);
    (void)add_kind(w, JW_CACHE_OPENCL, BEFORE, 400);
    (void)add_kind(w, JW_CACHE_OTHER, "", 400);
    (void)add(w, BEFORE, 400);
    w->facts.outdated_now = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    CHECK_TEXT(why(w, 1), "keep");
    CHECK_TEXT(why(w, 2), "keep");
    CHECK_TEXT(why(w, 3), "outdated");
    CHECK_TEXT(fate(w, OTHER), "none");
}

/* A cache that is too full pushes out its oldest entries, whose ever they are. */
TEST(other_compilers_make_room)
{
    struct world *w = begin();

    (void)add_kind(w, JW_CACHE_NVVM, OTHER, 1);
    (void)add(w, NOW, 1);
    w->facts.max = 1000;
    plan(w);
    CHECK_TEXT(why(w, 0), "excess");
    CHECK_TEXT(why(w, 1), "keep");
}

/* ---- damaged, lost, old ---- */

TEST(damage_goes_when_nobody_writes_any_more)
{
    struct world *w = begin();

    add(w, "", 1)->damage = "torn";
    add(w, "", 0)->damage = "torn";
    add(w, "", 1)->damage = "permission denied";
    w->files[2].unread = true;
    plan(w);
    CHECK_TEXT(why(w, 0), "damaged");
    CHECK_TEXT(why(w, 1), "keep");
    CHECK_TEXT(why(w, 2), "keep");
}

TEST(unindexed_is_what_nothing_knows)
{
    struct world *w = begin();
    struct jw_warm_module module = { .name = 3, .compiled = true };
    struct jw_warm_entry entry = { .name = 4 };
    struct jw_warm_receipt receipt = { .entries = &entry, .n_entries = 1 };

    for (unsigned i = 0; i < 5; i++)
        add(w, NOW, i == 1 ? 0 : 2)->indexed = i == 4;
    w->memory = (struct jw_warm_state){ .modules = { .list = &module, .n = 1 },
                                        .receipts = &receipt,
                                        .n_receipts = 1 };
    plan(w);
    CHECK_TEXT(why(w, 0), "unindexed");
    CHECK_TEXT(why(w, 1), "keep"); /* its record may be on its way */
    CHECK_TEXT(why(w, 2), "keep"); /* the next prime records it */
    CHECK_TEXT(why(w, 3), "keep");
    CHECK_TEXT(why(w, 4), "keep");
    w->list.index_damage = "sum";
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
    w->list.index_damage = NULL;
    w->list.index_found = false;
    plan(w);
    CHECK_TEXT(why(w, 0), "keep");
}

/* ---- too much ---- */

TEST(the_least_useful_go_first)
{
    struct world *w = begin();
    struct jw_warm_module module = { .name = 3, .compiled = true };
    struct jw_warm_entry entry = { .name = 2 };
    struct jw_warm_receipt receipt = { .entries = &entry, .n_entries = 1 };
    static const char *const order[] = { "keep", "keep", "keep", "keep", "keep" };

    (void)add(w, NOW, 1);            /* 0: of this driver, inserted first */
    (void)add(w, NOW, 1);            /* 1: a receipt needs it */
    (void)add(w, NOW, 1);            /* 2: of this driver, inserted later */
    (void)add(w, BEFORE, 1);         /* 3: another build's */
    add(w, NOW, 0)->indexed = false; /* 4: nobody counts it */
    w->memory = (struct jw_warm_state){ .modules = { .list = &module, .n = 1 },
                                        .receipts = &receipt,
                                        .n_receipts = 1 };
    w->facts.max = 5000;
    plan(w);
    for (size_t i = 0; i < 5; i++)
        CHECK_TEXT(why(w, i), order[i]);
    for (size_t n = 1; n <= 5; n++) {
        static const size_t goes[] = { 3, 4, 0, 2, 1 };

        w->facts.max = (5 - n) * 1000;
        plan(w);
        for (size_t i = 0; i < 5; i++)
            CHECK_TEXT(why(w, goes[i]), i < n ? "excess" : "keep");
    }
}

TEST(what_goes_anyway_counts_first)
{
    struct world *w = begin();

    (void)add(w, BEFORE, 200);
    (void)add(w, NOW, 1);
    (void)add(w, NOW, 1);
    w->facts.max = 2000;
    plan(w);
    CHECK_TEXT(why(w, 0), "outdated");
    CHECK_TEXT(why(w, 1), "keep");
    CHECK_TEXT(why(w, 2), "keep");
    w->facts.max = 1999;
    plan(w);
    CHECK_TEXT(why(w, 1), "excess");
    CHECK_TEXT(why(w, 2), "keep");
}

TEST(an_empty_cache)
{
    struct world *w = begin();

    w->facts.max = 0;
    plan(w);
    CHECK_NUM(w->plan.n_builds, 0);
}
