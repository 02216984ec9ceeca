#include "base/compiler.h"
#include "check.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"

#define NEWEST "580.126.09-sm_86-20260107-225146.tar.zst"
#define OLDER "580.126.09-sm_86-20260107-225146.old.tar.zst"

/* ---- names ---- */

static void round_trip(const struct jw_store_key *key, const char *name)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct jw_store_key back;
    bool older;
    const char *made = jw_store_name(key, false, &a, &err), *before = jw_store_name(key, true, &a, &err);

    CHECK_TEXT(made, name);
    CHECK(made && jw_store_parse(made, &a, &back, &older));
    CHECK(!older && back.sm == key->sm && back.simulated == key->simulated);
    CHECK_TEXT(back.stamp, key->stamp);
    CHECK(before && jw_store_parse(before, &a, &back, &older) && older);
    jw_arena_free(&a);
}

TEST(names_tell_what_packs_are_for)
{
    round_trip(&(struct jw_store_key){ CACHE_NOW, 86, false, "580.126.09" }, NEWEST);
    round_trip(&(struct jw_store_key){ CACHE_NOW, 86, true, "580.126.09" }, "simulated-" NEWEST);
    round_trip(&(struct jw_store_key){ CACHE_BEFORE, 120, false, NULL },
               "driver-sm_120-20250614-154011.tar.zst");
    round_trip(&(struct jw_store_key){ CACHE_NOW, 86, false, "" }, "driver-sm_86-20260107-225146.tar.zst");
    round_trip(&(struct jw_store_key){ CACHE_NOW, 5, false, "a/B-c" },
               "a%2F%42%2Dc-sm_5-20260107-225146.tar.zst");
}

/* A stamp in no form that we know is kept to the byte. */
TEST(stamps_of_another_form)
{
    static const char *const stamps[] = { "2026-01-07T22:51:46", "Jan 07 202622:51:46", "Foo  7 202622:51:46",
                                          "/../../../../../..x", "%%%%%%%%%%%%%%%%%%%" };

    for (size_t i = 0; i < JW_COUNT(stamps); i++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        struct jw_store_key key = { stamps[i], 90, false, "595.1" }, back;
        const char *name = jw_store_name(&key, false, &a, &err);
        bool older;

        CHECK(name && !strchr(name, '/') && !strchr(name, '\\') && !strchr(name, ':'));
        CHECK(name && jw_store_parse(name, &a, &back, &older));
        CHECK_TEXT(back.stamp, stamps[i]);
        jw_arena_free(&a);
    }
}

TEST(what_is_none_of_our_names)
{
    static const char *const names[] = { "",
                                         "x.tar.zst",
                                         ".tar.zst",
                                         "580-sm_86-.tar.zst",
                                         "580-sm_86.tar.zst",
                                         "580.126.09-sm_086-20260107-225146.tar.zst",
                                         "580.126.09-sm_0-20260107-225146.tar.zst",
                                         "580.126.09-sm_99999-20260107-225146.tar.zst",
                                         "580.126.09-sm_86-20261307-225146.tar.zst",
                                         "580.126.09-sm_86-20260107-225146.tar.zst.minisig",
                                         "580.126.09-sm_86-20260107-225146.tar",
                                         "580.126.09-sm_86-20260107-225146.old.old.tar.zst",
                                         "-sm_86-20260107-225146.tar.zst",
                                         "Simulated-580-sm_86-20260107-225146.tar.zst",
                                         "580-sm_86-2026010a-225146.tar.zst",
                                         "580%2-sm_86-20260107-225146.tar.zst",
                                         "580%2d-sm_86-20260107-225146.tar.zst",
                                         "580-sm_86-20260107-225146 .tar.zst",
                                         "580 (copy)-sm_86-20260107-225146.tar.zst" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct jw_arena a = { 0 };
        struct jw_store_key key;
        bool older;

        if (jw_store_parse(names[i], &a, &key, &older))
            CHECK_TEXT(names[i], "none of ours");
        jw_arena_free(&a);
    }
}

TEST(a_key_that_has_no_name)
{
    static const struct jw_store_key keys[] = { { NULL, 86, false, NULL },
                                                { "", 86, false, NULL },
                                                { "short", 86, false, NULL },
                                                { CACHE_NOW, 0, false, NULL } };

    for (size_t i = 0; i < JW_COUNT(keys); i++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        CHECK(!jw_store_name(&keys[i], false, &a, &err) && err.code == JW_E_USAGE);
        jw_arena_free(&a);
    }
}

/* ---- what is there ---- */

TEST(no_store_is_empty)
{
    struct jw_arena a = { 0 };
    const char *dir = packs_begin(&a, "none/deep");
    struct jw_store s = packs_load(&a);

    CHECK(!s.exists && !s.refused && s.n == 0 && s.bytes == 0);
    CHECK_TEXT(s.dir, dir);
    CHECK(!scratch_there(dir));
    jw_arena_free(&a);
}

TEST(the_folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    cache_env("JITWARM_STORE", "relative/path");
    CHECK(!jw_store_dir(&a, &err));
    CHECK_TEXT(err.msg, "JITWARM_STORE=relative/path is not an absolute path");

    struct jw_store s = packs_load(&a);

    CHECK(!s.exists && s.refused);
    jw_arena_free(&a);
}

TEST(strangers_are_told_and_left_alone)
{
    struct jw_arena a = { 0 };

    (void)packs_begin(&a, "strangers");
    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "one", 500);
    (void)tree_file(&a, "strangers/notes.txt", "hello");
    (void)tree_file(&a, "strangers/notes.txt.minisig", "belongs to it");
    (void)tree_dir(&a, "strangers/driver-sm_90-20260107-225146.tar.zst");

    struct jw_store s = packs_load(&a);

    CHECK_NUM(s.n, 3);
    CHECK_NUM(s.bytes, 500);
    for (size_t i = 0; i < s.n; i++)
        CHECK(strcmp(s.packs[i].name, NEWEST) == 0        ? s.packs[i].key.stamp && !s.packs[i].refused
              : strcmp(s.packs[i].name, "notes.txt") == 0 ? !s.packs[i].key.stamp
                                                          : s.packs[i].refused != NULL);
    CHECK(!jw_store_find(&s, &(struct jw_store_key){ CACHE_NOW, 90, false, NULL }));
    jw_arena_free(&a);
}

TEST(the_newest_is_found)
{
    struct jw_arena a = { 0 };
    struct jw_store_key key = packs_key(CACHE_NOW, 86), simulated = key;

    simulated.simulated = true;
    (void)packs_begin(&a, "find");
    (void)packs_add(&a, key, "one", 500);
    (void)packs_add(&a, key, "two", 500);
    (void)packs_add(&a, packs_key(CACHE_BEFORE, 86), "before", 500);

    struct jw_store s = packs_load(&a);
    const struct jw_store_pack *p =
        jw_store_find(&s, &(struct jw_store_key){ CACHE_NOW, 86, false, "other" });

    CHECK_NUM(s.n, 3);
    CHECK(p && strcmp(p->name, NEWEST) == 0 && !p->older);
    CHECK(!jw_store_find(&s, &simulated));
    CHECK(!jw_store_find(&s, &(struct jw_store_key){ CACHE_NOW, 89, false, NULL }));
    jw_arena_free(&a);
}

/* What ended between two names leaves the older one, which is then the newest there is. */
TEST(the_older_one_serves_when_it_is_alone)
{
    struct jw_arena a = { 0 };

    (void)packs_begin(&a, "alone");
    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "one", 500);
    (void)packs_file(&a, "alone/" OLDER, "kept", 400);

    struct jw_store s = packs_load(&a);
    const struct jw_store_pack *p = jw_store_find(&s, &(struct jw_store_key){ CACHE_NOW, 86, false, NULL });

    CHECK(p && !p->older && s.n == 2);
    for (size_t i = 0; i < s.n; i++)
        if (!s.packs[i].older)
            s.packs[i].refused = "somebody else's";
    p = jw_store_find(&s, &(struct jw_store_key){ CACHE_NOW, 86, false, NULL });
    CHECK(p && p->older);
    jw_arena_free(&a);
}

/* used.json only decides who goes first: what is wrong with it costs no pack. */
TEST(damaged_memory_of_uses)
{
    static const char *const texts[] = { "",
                                         "{",
                                         "[]",
                                         "{\"schema\":\"jitwarm.store/9\",\"used\":{}}",
                                         "{\"schema\":\"jitwarm.store/1\",\"used\":{\"" NEWEST "\":-5}}",
                                         "{\"schema\":\"jitwarm.store/1\",\"used\":{\"" NEWEST "\":1e300}}",
                                         "{\"schema\":\"jitwarm.store/1\",\"used\":{\"" NEWEST "\":\"x\"}}",
                                         "{\"schema\":\"jitwarm.store/1\",\"used\":[1,2]}" };

    for (size_t i = 0; i < JW_COUNT(texts); i++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        (void)packs_begin(&a, "uses");
        (void)packs_add(&a, packs_key(CACHE_NOW, 86), "one", 500);
        (void)tree_file(&a, "uses/used.json", texts[i]);

        struct jw_store s = packs_load(&a);

        CHECK(s.n == 1 && s.packs[0].used_at == s.packs[0].added_at);
        CHECK(s.n == 1 && jw_store_used(&s.packs[0], &err));
        (void)packs_add(&a, packs_key(CACHE_NOW, 90), "two", 500);
        CHECK_NUM(packs_load(&a).n, 2);
        jw_arena_free(&a);
    }
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(names_tell_what_packs_are_for), T(stamps_of_another_form),
               T(what_is_none_of_our_names), T(a_key_that_has_no_name), T(no_store_is_empty), T(the_folder),
               T(strangers_are_told_and_left_alone), T(the_newest_is_found),
               T(the_older_one_serves_when_it_is_alone), T(damaged_memory_of_uses));
}
