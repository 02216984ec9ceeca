#include "base/path.h"
#include "check.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"

#define NEWEST "580.126.09-sm_86-20260107-225146.tar.zst"
#define OLDER "580.126.09-sm_86-20260107-225146.old.tar.zst"

static const char old_stamp[] = "Feb  9 201919:17:30";

static bool add(struct jw_arena *a, struct jw_store_add *x, struct jw_err *err)
{
    *err = (struct jw_err){ 0 };
    return jw_store_add(x, a, err);
}

TEST(one_generation_is_kept)
{
    struct jw_arena a = { 0 };
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(&a, "generations");
    struct jw_store_add x = packs_add(&a, key, "1", 300);

    CHECK_TEXT(jw_path_base(x.path), NEWEST);
    CHECK(!x.same && x.n_evicted == 0);
    CHECK(packs_first(dir, NEWEST) == '1' && packs_first(dir, OLDER) == '-');
    (void)packs_add(&a, key, "2", 300);
    CHECK(packs_first(dir, NEWEST) == '2' && packs_first(dir, OLDER) == '1');
    (void)packs_add(&a, key, "3", 300);
    CHECK(packs_first(dir, NEWEST) == '3' && packs_first(dir, OLDER) == '2');
    CHECK_NUM(packs_load(&a).n, 2);
    CHECK_NUM(packs_load(&a).bytes, 600);
    jw_arena_free(&a);
}

/* Also when the words for people differ, such as the version that an older jitwarm did not know. */
TEST(the_version_does_not_tell_packs_apart)
{
    struct jw_arena a = { 0 };
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(&a, "versions");

    key.driver = NULL;
    (void)packs_add(&a, key, "1", 300);
    CHECK(packs_first(dir, "driver-sm_86-20260107-225146.tar.zst") == '1');
    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "2", 300);
    CHECK(packs_first(dir, "driver-sm_86-20260107-225146.tar.zst") == '-');
    CHECK(packs_first(dir, NEWEST) == '2' && packs_first(dir, OLDER) == '1');
    jw_arena_free(&a);
}

TEST(the_same_bytes_are_no_generation)
{
    struct jw_arena a = { 0 };
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(&a, "same");

    (void)packs_add(&a, key, "1", 300);
    CHECK(packs_add(&a, key, "1", 300).same);
    CHECK(packs_first(dir, NEWEST) == '1' && packs_first(dir, OLDER) == '-');
    jw_arena_free(&a);
}

TEST(signatures_stay_with_their_packs)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    const char *dir = packs_begin(&a, "signed");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    for (unsigned i = 0; i < 3; i++) {
        static const char *const texts[] = { "1", "2", "3" };

        x.file = packs_file(&a, "packs-in/s.tar.zst", texts[i], 300);
        x.signature = i == 1 ? NULL : tree_file(&a, "packs-in/s.tar.zst.minisig", texts[i]);
        CHECK(add(&a, &x, &err));
        CHECK_TEXT(err.msg, "");
        CHECK(packs_first(dir, NEWEST ".minisig") == (i == 1 ? '-' : texts[i][0]));
        CHECK(packs_first(dir, OLDER ".minisig") == (i == 1 ? '1' : '-'));
    }

    struct jw_store s = packs_load(&a);
    const struct jw_store_pack *p = jw_store_find(&s, &x.key);

    CHECK(p && p->signature && p->weight == p->size + 1);

    /* The same bytes, and now somebody signed them. */
    x.file = packs_file(&a, "packs-in/s.tar.zst", "4", 300);
    x.signature = NULL;
    CHECK(add(&a, &x, &err));
    CHECK(packs_first(dir, OLDER ".minisig") == '3');
    x.signature = tree_file(&a, "packs-in/s.tar.zst.minisig", "4");
    CHECK(add(&a, &x, &err) && x.same);
    CHECK(packs_first(dir, NEWEST ".minisig") == '4');
    jw_arena_free(&a);
}

/* A crash between two names: the signature went ahead of its pack, or stayed behind. */
TEST(a_signature_that_was_left_behind)
{
    struct jw_arena a = { 0 };
    const char *dir = packs_begin(&a, "behind");

    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "1", 300);
    (void)tree_file(&a, "behind/" OLDER ".minisig", "stale");
    (void)tree_file(&a, "behind/" NEWEST ".minisig", "stale");
    CHECK_NUM(packs_load(&a).n, 1);
    (void)tree_file(&a, "behind/580.126.09-sm_90-20260107-225146.tar.zst.minisig", "stale");
    CHECK_NUM(packs_load(&a).n, 1);
    (void)packs_add(&a, packs_key(CACHE_NOW, 90), "9", 300);
    CHECK(packs_first(dir, "580.126.09-sm_90-20260107-225146.tar.zst.minisig") == '-');
    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "2", 300);
    CHECK(packs_first(dir, NEWEST) == '2' && packs_first(dir, NEWEST ".minisig") == '-');
    CHECK(packs_first(dir, OLDER) == '1' && packs_first(dir, OLDER ".minisig") == 's');
    jw_arena_free(&a);
}

TEST(a_file_of_ours_is_moved)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *dir = packs_begin(&a, "taken");
    char *folder;

    CHECK(jw_store_work(&a, &folder, &err));

    const char *file = packs_file(&a, "packs-in/t.tar.zst", "1", 300);
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .file = file, .take = true, .cap = 1 << 20 };

    CHECK(add(&a, &x, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(!scratch_there(file) && packs_first(dir, NEWEST) == '1');
    CHECK_NUM(packs_load(&a).n, 1); /* what is in the making is no pack */
    jw_arena_free(&a);
}

/* ---- room ---- */

TEST(least_recently_used_ones_make_room)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    const char *dir = packs_begin(&a, "room");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 120), .cap = 1100, .current = CACHE_NOW };

    (void)packs_add(&a, packs_key(CACHE_BEFORE, 86), "1", 300);
    (void)packs_add(&a, packs_key(old_stamp, 86), "2", 300);
    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "3", 300);
    (void)tree_file(&a, "room/used.json",
                    "{\"schema\":\"jitwarm.store/1\",\"used\":{"
                    "\"580.126.09-sm_86-20190209-191730.tar.zst\":2000000100,"
                    "\"580.126.09-sm_86-20250614-154011.tar.zst\":2000000200}}");
    x.file = packs_file(&a, "packs-in/r.tar.zst", "4", 400);
    CHECK(add(&a, &x, &err));
    CHECK_TEXT(err.msg, "");
    CHECK_NUM(x.n_evicted, 1);
    CHECK(x.n_evicted && strcmp(x.evicted[0], "580.126.09-sm_86-20190209-191730.tar.zst") == 0);
    CHECK(packs_first(dir, "580.126.09-sm_86-20250614-154011.tar.zst") == '1');
    CHECK(packs_first(dir, NEWEST) == '3');
    CHECK_NUM(packs_load(&a).bytes, 1000);
    jw_arena_free(&a);
}

/* What it replaces stays only where there is room; the change is one step then, and its signature never is another's. */
TEST(the_older_one_goes_first)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    const char *dir = packs_begin(&a, "older");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 700, .current = CACHE_NOW };

    x.file = packs_file(&a, "packs-in/o.tar.zst", "1", 400);
    x.signature = tree_file(&a, "packs-in/o.tar.zst.minisig", "1");
    CHECK(add(&a, &x, &err));
    x.file = packs_file(&a, "packs-in/o.tar.zst", "2", 400);
    x.signature = NULL;
    CHECK(add(&a, &x, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(packs_first(dir, NEWEST) == '2' && packs_first(dir, OLDER) == '-');
    CHECK(packs_first(dir, NEWEST ".minisig") == '-' && packs_first(dir, OLDER ".minisig") == '-');
    x.key.driver = "580.126.20";
    x.file = packs_file(&a, "packs-in/o.tar.zst", "3", 400);
    CHECK(add(&a, &x, &err));
    CHECK(packs_first(dir, "580.126.20-sm_86-20260107-225146.tar.zst") == '3'
          && packs_first(dir, NEWEST) == '-');
    CHECK_NUM(packs_load(&a).n, 1);
    jw_arena_free(&a);
}

TEST(what_does_not_fit_changes_nothing)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    const char *dir = packs_begin(&a, "full");
    struct jw_store_add x = { .key = packs_key(CACHE_BEFORE, 86), .cap = 600, .current = CACHE_NOW };

    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "1", 300);
    x.file = packs_file(&a, "packs-in/f.tar.zst", "2", 400);
    CHECK(!add(&a, &x, &err));
    CHECK(err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "store_cap");
    CHECK(packs_first(dir, NEWEST) == '1' && scratch_there(x.file));
    CHECK_NUM(packs_load(&a).n, 1);
    jw_arena_free(&a);
}

/* ---- what is no pack, and what is in the way ---- */

TEST(half_a_pack_is_refused)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    const char *dir = packs_begin(&a, "half");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_add(&a, packs_key(CACHE_NOW, 86), "1", 300);
    x.file = tree_file(&a, "packs-in/h.tar.zst",
                       "the beginning of a pack, and not its end: the computer was turned off");
    CHECK(!add(&a, &x, &err) && err.code == JW_E_FORMAT);
    x.file = tree_file(&a, "packs-in/h.tar.zst", "");
    CHECK(!add(&a, &x, &err) && err.code == JW_E_FORMAT);
    x.file = tree_path(&a, "packs-in/none");
    CHECK(!add(&a, &x, &err) && err.code == JW_E_IO);
    CHECK_HAS(err.msg, "packs-in/none");
    x.file = packs_file(&a, "packs-in/h.tar.zst", "2", 300);
    x.signature = tree_path(&a, "packs-in/none");
    CHECK(!add(&a, &x, &err));
    CHECK_HAS(err.msg, "packs-in/none: no such file");
    x.signature = tree_file(&a, "packs-in/empty", "");
    CHECK(!add(&a, &x, &err) && err.code == JW_E_FORMAT);
    CHECK(packs_first(dir, NEWEST) == '1' && packs_first(dir, OLDER) == '-');
    CHECK_NUM(scratch_count(dir), 3); /* the pack, used.json, lock: nothing of what was copied */
    jw_arena_free(&a);
}

TEST(a_folder_in_its_place)
{
    struct jw_arena a = { 0 };
    struct jw_err err;
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_begin(&a, "way");
    (void)tree_file(&a, "way/" NEWEST "/x", "y");
    x.file = packs_file(&a, "packs-in/w.tar.zst", "2", 300);
    CHECK(!add(&a, &x, &err));
    CHECK_HAS(err.msg, "is a folder");
    CHECK_HAS(err.msg, "move it away");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(one_generation_is_kept), T(the_version_does_not_tell_packs_apart),
               T(the_same_bytes_are_no_generation), T(signatures_stay_with_their_packs),
               T(a_signature_that_was_left_behind), T(a_file_of_ours_is_moved),
               T(least_recently_used_ones_make_room), T(the_older_one_goes_first),
               T(what_does_not_fit_changes_nothing), T(half_a_pack_is_refused), T(a_folder_in_its_place));
}
