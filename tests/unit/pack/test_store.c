#include "base/compiler.h"
#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "pack/store/store.h"
#include "rigs/pack_rig.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#define DIGITS "1c0f8e0a7b6d"
#define END "-" DIGITS ".tar.zst"

static const uint8_t digest[JW_DIGEST] = { 0x1c, 0x0f, 0x8e, 0x0a, 0x7b, 0x6d };

/* ---- names ---- */

static void round_trip(const struct jw_store_key *key, const char *name)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct jw_store_key back;
    const char *made = jw_store_name(key, digest, &a, &err);

    CHECK_TEXT(made, name);
    CHECK(made && jw_store_parse(made, &a, &back) && back.sm == key->sm);
    CHECK_TEXT(back.stamp, key->stamp);
    jw_arena_free(&a);
}

TEST(names_tell_what_packs_are_for)
{
    round_trip(&(struct jw_store_key){ CACHE_NOW, 86, "580.126.09" }, "580.126.09-sm_86-20260107-225146" END);
    round_trip(&(struct jw_store_key){ "Jan  7 202662:51:46", 86, "580.126.09" },
               "580.126.09-sm_86-20260107-625146" END);
    round_trip(&(struct jw_store_key){ CACHE_BEFORE, 120, NULL }, "driver-sm_120-20250614-154011" END);
    round_trip(&(struct jw_store_key){ CACHE_NOW, 86, "" }, "driver-sm_86-20260107-225146" END);
    round_trip(&(struct jw_store_key){ CACHE_NOW, 5, "a/B-c" }, "a%2F%42%2Dc-sm_5-20260107-225146" END);
}

/* A stamp in no form that we know is kept to the byte. */
TEST(stamps_of_another_form)
{
    static const char *const stamps[] = { "2026-01-07T22:51:46", "Jan 07 202622:51:46", "Foo  7 202622:51:46",
                                          "/../../../../../..x", "%%%%%%%%%%%%%%%%%%%" };

    for (size_t i = 0; i < JW_COUNT(stamps); i++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        struct jw_store_key key = { stamps[i], 90, "595.1" }, back;
        const char *name = jw_store_name(&key, digest, &a, &err);

        CHECK(name && !strchr(name, '/') && !strchr(name, '\\') && !strchr(name, ':'));
        CHECK(name && jw_store_parse(name, &a, &back));
        CHECK_TEXT(back.stamp, stamps[i]);
        jw_arena_free(&a);
    }
}

TEST(what_is_none_of_our_names)
{
    static const char *const names[] = { "",
                                         "x.tar.zst",
                                         ".tar.zst",
                                         END,
                                         "580-sm_86-" END,
                                         "580-sm_86" END,
                                         "580.126.09-sm_086-20260107-225146" END,
                                         "580.126.09-sm_0-20260107-225146" END,
                                         "580.126.09-sm_99999-20260107-225146" END,
                                         "580.126.09-sm_86-20261307-225146" END,
                                         "580.126.09-sm_86-20260107-225146" END ".minisig",
                                         "580.126.09-sm_86-20260107-225146-" DIGITS ".tar",
                                         "580.126.09-sm_86-20260107-225146" DIGITS ".tar.zst",
                                         "580.126.09-sm_86-20260107-225146.tar.zst",
                                         "580.126.09-sm_86-20260107-225146-1c0f8e0a7b6.tar.zst",
                                         "580.126.09-sm_86-20260107-225146-1C0f8e0a7b6d.tar.zst",
                                         "580.126.09-sm_86-20260107-225146-" DIGITS END,
                                         "-sm_86-20260107-225146" END,
                                         "Simulated-580-sm_86-20260107-225146" END,
                                         "580-sm_86-2026010a-225146" END,
                                         "580%2-sm_86-20260107-225146" END,
                                         "580%2d-sm_86-20260107-225146" END,
                                         "580-sm_86-20260107-225146 " END,
                                         "580 (copy)-sm_86-20260107-225146" END };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct jw_arena a = { 0 };
        struct jw_store_key key;

        if (jw_store_parse(names[i], &a, &key))
            CHECK_TEXT(names[i], "none of ours");
        jw_arena_free(&a);
    }
}

TEST(a_key_that_has_no_name)
{
    static const struct jw_store_key keys[] = {
        { NULL, 86, NULL }, { "", 86, NULL }, { "short", 86, NULL }, { CACHE_NOW, 0, NULL }
    };

    for (size_t i = 0; i < JW_COUNT(keys); i++) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };

        CHECK(!jw_store_name(&keys[i], digest, &a, &err) && err.code == JW_E_USAGE);
        jw_arena_free(&a);
    }
}

/* ---- what is there ---- */

TEST_ARENA(no_store_is_empty)
{
    const char *dir = packs_begin(a, "none/deep");
    struct jw_store s = packs_load(a);

    CHECK(!s.exists && !s.refused && s.n == 0 && s.bytes == 0);
    CHECK_TEXT(s.dir, dir);
    CHECK(!scratch_there(dir));
}

TEST_ARENA(the_folder)
{
    struct jw_err err = { 0 };

    set_variable("JITWARM_STORE", "relative/path");
    CHECK(!jw_store_dir(a, &err));
    CHECK_TEXT(err.msg, "JITWARM_STORE=relative/path is not an absolute path");

    struct jw_store s = packs_load(a);

    CHECK(!s.exists && s.refused);
}

TEST_ARENA(strangers_are_told_and_left_alone)
{
    (void)packs_begin(a, "strangers");
    (void)packs_add(a, packs_key(CACHE_NOW, 86), "one", 500);
    (void)tree_file(a, "strangers/notes.txt", "hello");
    (void)tree_file(a, "strangers/notes.txt.minisig", "belongs to it");
    (void)tree_dir(a, "strangers/driver-sm_90-20260107-225146" END);

    const char *one = packs_name(a, packs_key(CACHE_NOW, 86), "one", 500);

    struct jw_store s = packs_load(a);

    CHECK_NUM(s.n, 3);
    CHECK_NUM(s.bytes, 500);
    for (size_t i = 0; i < s.n; i++)
        CHECK(strcmp(s.packs[i].name, one) == 0           ? s.packs[i].key.stamp && !s.packs[i].refused
              : strcmp(s.packs[i].name, "notes.txt") == 0 ? !s.packs[i].key.stamp
                                                          : s.packs[i].refused != NULL);
}

/* ---- put in ---- */

static bool add(struct jw_arena *a, struct jw_store_add *x, struct jw_err *err)
{
    *err = (struct jw_err){ 0 };
    return jw_store_add(x, a, err);
}

/* What is in them is not known here, so none makes another one useless. */
TEST_ARENA(each_pack_has_a_name)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(a, "each");
    struct jw_store_add x = packs_add(a, key, "1", 300);

    CHECK_TEXT(jw_path_base(x.path), packs_name(a, key, "1", 300));
    CHECK(!x.same && x.n_evicted == 0);
    (void)packs_add(a, key, "2", 300);
    (void)packs_add(a, key, "3", 300);
    CHECK(packs_has(dir, key, "1", 300) && packs_has(dir, key, "2", 300) && packs_has(dir, key, "3", 300));
    CHECK_NUM(packs_load(a).n, 3);
    CHECK_NUM(packs_load(a).bytes, 900);
}

static const char *add_entries(struct jw_arena *a, struct jw_store_key key, size_t n, size_t size)
{
    struct jw_buf pack = JW_BUF(JW_MAX_STATE);
    struct jw_store_add x = { .key = key, .cap = 1 << 20 };
    struct jw_err err;
    struct pack_rig rig;

    pack_rig_make(&rig, n, size, size);
    (void)pack_rig_write(&rig, NULL, &pack);
    x.file = tree_bytes(a, "packs-in/e.tar.zst", pack.p, pack.n);
    CHECK_OK(add(a, &x, &err), err);
    pack_rig_free(&rig);
    jw_buf_free(&pack);
    return x.path;
}

TEST_ARENA(what_has_all_of_another_takes_its_place)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86);

    (void)packs_begin(a, "all");

    const char *two = add_entries(a, key, 2, 2000),
               *other_gpu = add_entries(a, packs_key(CACHE_NOW, 90), 2, 2000);
    const char *four = add_entries(a, key, 4, 2000);

    CHECK(!scratch_there(two) && scratch_there(four) && scratch_there(other_gpu));
    two = add_entries(a, key, 2, 2000);
    CHECK(scratch_there(two) && scratch_there(four)); /* it has fewer */
    CHECK_NUM(packs_load(a).n, 3);
}

TEST_ARENA(the_same_bytes_are_one_pack)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(a, "same");

    (void)packs_add(a, key, "1", 300);
    CHECK(packs_add(a, key, "1", 300).same);
    CHECK(packs_has(dir, key, "1", 300));
    CHECK_NUM(packs_load(a).n, 1);
}

static char first_of_signature(const char *dir, const char *text)
{
    struct jw_arena a = { 0 };
    char first = packs_first(
        dir, jw_arena_printf(&a, "%s.minisig", packs_name(&a, packs_key(CACHE_NOW, 86), text, 300)));

    jw_arena_free(&a);
    return first;
}

TEST_ARENA(signatures_stay_with_their_packs)
{
    static const char *const texts[] = { "1", "2", "3" };
    struct jw_err err;
    const char *dir = packs_begin(a, "signed");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    for (unsigned i = 0; i < 3; i++) {
        x.file = packs_file(a, "packs-in/s.tar.zst", texts[i], 300);
        x.signature = i == 1 ? NULL : tree_file(a, "packs-in/s.tar.zst.minisig", texts[i]);
        CHECK_OK(add(a, &x, &err), err);
    }
    for (unsigned i = 0; i < 3; i++)
        CHECK(first_of_signature(dir, texts[i]) == (i == 1 ? '-' : texts[i][0]));

    struct jw_store s = packs_load(a);

    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].weight == s.packs[i].size + (s.packs[i].signature != NULL));

    /* The same bytes, and now they are signed. */
    x.file = packs_file(a, "packs-in/s.tar.zst", "2", 300);
    x.signature = tree_file(a, "packs-in/s.tar.zst.minisig", "2");
    CHECK(add(a, &x, &err) && x.same);
    CHECK(first_of_signature(dir, "2") == '2');
}

static bool is_own(const char *dir, const char *path, struct jw_arena *a)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_buf frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer trailer;
    struct jw_err err = { 0 };
    uint64_t body;
    bool own = jw_file_open(&f, path, &err) && jw_file_info(&f, &info, &err);
    struct jw_source bytes = jw_file_source(&f, info.size);

    own = own && jw_trailer_find(&bytes, &frame, &trailer, &body, &err)
          && jw_store_is_own(dir, trailer.digest, a);
    CHECK_TEXT(err.msg, "");
    jw_file_close(&f);
    jw_buf_free(&frame);
    return own;
}

/* Whatever happens to a signature: no pack that others signed becomes this user's own. */
TEST_ARENA(own_is_what_was_made_here)
{
    struct jw_err err;
    const char *dir = packs_begin(a, "own");
    const char *first = jw_path_join(a, dir, packs_name(a, packs_key(CACHE_NOW, 86), "1", 300));
    const char *second = jw_path_join(a, dir, packs_name(a, packs_key(CACHE_NOW, 86), "2", 300));
    const char *third = jw_path_join(a, dir, packs_name(a, packs_key(CACHE_NOW, 86), "3", 300));
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_add(a, packs_key(CACHE_NOW, 86), "1", 300);
    CHECK(is_own(dir, first, a));
    x.file = packs_file(a, "packs-in/o.tar.zst", "2", 300);
    x.signature = tree_file(a, "packs-in/o.tar.zst.minisig", "2");
    CHECK(add(a, &x, &err));
    CHECK(is_own(dir, first, a) && !is_own(dir, second, a));
    CHECK(remove(jw_arena_printf(a, "%s.minisig", second)) == 0);
    CHECK(!is_own(dir, second, a));
    (void)packs_add(a, packs_key(CACHE_NOW, 86), "3", 300);
    CHECK(is_own(dir, third, a) && !is_own(dir, second, a));
    for (unsigned i = 0; i < 3; i++) { /* the same again is no second line */
        (void)packs_add(a, packs_key(CACHE_NOW, 86), "3", 300);
        CHECK(is_own(dir, third, a));
    }
    (void)tree_file(a, "own/.own", "no such list");
    CHECK(!is_own(dir, third, a));
}

/* A crash left it without its pack. */
TEST_ARENA(a_signature_that_was_left_behind)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(a, "behind");
    const char *stale =
        jw_arena_printf(a, "behind/%s.minisig", packs_name(a, packs_key(CACHE_NOW, 86), "2", 300));

    (void)packs_add(a, key, "1", 300);
    (void)tree_file(a, stale, "stale");
    CHECK_NUM(packs_load(a).n, 1);
    (void)packs_add(a, key, "2", 300);
    CHECK(packs_has(dir, key, "2", 300) && first_of_signature(dir, "2") == '-');
}

/* As a failing disk leaves it: the name says what it should be. */
TEST_ARENA(a_damaged_pack_is_replaced)
{
    struct jw_store_key key = packs_key(CACHE_NOW, 86);
    const char *dir = packs_begin(a, "damaged"), *name = packs_name(a, key, "1", 300);

    (void)packs_add(a, key, "1", 300);
    (void)tree_file(a, jw_arena_printf(a, "damaged/%s", name), "zeros");
    CHECK(!packs_add(a, key, "1", 300).same);
    CHECK(packs_has(dir, key, "1", 300));
    CHECK_NUM(packs_load(a).n, 1);
    CHECK_NUM(packs_load(a).bytes, 300);
}

TEST_ARENA(a_file_of_ours_is_moved)
{
    struct jw_err err = { 0 };
    const char *dir = packs_begin(a, "taken");
    char *folder;

    CHECK(jw_store_work(a, &folder, &err));

    const char *file = packs_file(a, "packs-in/t.tar.zst", "1", 300);
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .file = file, .take = true, .cap = 1 << 20 };

    CHECK_OK(add(a, &x, &err), err);
    CHECK(!scratch_there(file) && packs_has(dir, packs_key(CACHE_NOW, 86), "1", 300));
    CHECK_NUM(packs_load(a).n, 1); /* what is in the making is no pack */
}

/* ---- room ---- */

/* Of this driver, too; with its signature. */
TEST_ARENA(one_with_a_newer_one_beside_it_goes_first)
{
    struct jw_err err;
    const char *dir = packs_begin(a, "older");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 700, .current = CACHE_NOW };

    (void)packs_add(a, packs_key(CACHE_BEFORE, 86), "0", 250);
    x.file = packs_file(a, "packs-in/o.tar.zst", "1", 300);
    x.signature = tree_file(a, "packs-in/o.tar.zst.minisig", "1");
    CHECK(add(a, &x, &err));
    x.file = packs_file(a, "packs-in/o.tar.zst", "2", 400);
    x.signature = NULL;
    CHECK_OK(add(a, &x, &err), err);
    CHECK(x.n_evicted == 1 && strcmp(x.evicted[0], packs_name(a, x.key, "1", 300)) == 0);
    CHECK(!packs_has(dir, x.key, "1", 300) && first_of_signature(dir, "1") == '-');
    CHECK(packs_has(dir, x.key, "2", 400) && packs_has(dir, packs_key(CACHE_BEFORE, 86), "0", 250));
    x.key.driver = "580.126.20"; /* words for people: the build is the same */
    x.file = packs_file(a, "packs-in/o.tar.zst", "3", 700);
    CHECK(add(a, &x, &err));
    CHECK(packs_has(dir, x.key, "3", 700));
    CHECK_NUM(packs_load(a).n, 1);
}

TEST_ARENA(what_does_not_fit_changes_nothing)
{
    struct jw_err err;
    const char *dir = packs_begin(a, "full");
    struct jw_store_add x = { .key = packs_key(CACHE_BEFORE, 86), .cap = 600, .current = CACHE_NOW };

    (void)packs_add(a, packs_key(CACHE_NOW, 86), "1", 300);
    x.file = packs_file(a, "packs-in/f.tar.zst", "2", 400);
    CHECK(!add(a, &x, &err));
    CHECK(err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "store_cap");
    CHECK(packs_has(dir, packs_key(CACHE_NOW, 86), "1", 300) && scratch_there(x.file));
    CHECK_NUM(packs_load(a).n, 1);
}

/* ---- what is no pack, and what is in the way ---- */

TEST_ARENA(half_a_pack_is_refused)
{
    struct jw_err err;
    const char *dir = packs_begin(a, "half");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_add(a, packs_key(CACHE_NOW, 86), "1", 300);
    x.file = tree_file(a, "packs-in/h.tar.zst",
                       "the beginning of a pack, and not its end: the computer was turned off");
    CHECK(!add(a, &x, &err) && err.code == JW_E_FORMAT);
    x.file = tree_file(a, "packs-in/h.tar.zst", "");
    CHECK(!add(a, &x, &err) && err.code == JW_E_FORMAT);
    x.file = tree_path(a, "packs-in/none");
    CHECK(!add(a, &x, &err) && err.code == JW_E_IO);
    CHECK_HAS(err.msg, "packs-in/none");
    x.file = packs_file(a, "packs-in/h.tar.zst", "2", 300);
    x.signature = tree_path(a, "packs-in/none");
    CHECK_REFUSED(add(a, &x, &err), err, "packs-in/none: no such file");
    x.signature = tree_file(a, "packs-in/empty", "");
    CHECK(!add(a, &x, &err) && err.code == JW_E_FORMAT);
    CHECK(packs_has(dir, packs_key(CACHE_NOW, 86), "1", 300));
    CHECK_NUM(scratch_count(dir), 3); /* the pack, the list of own ones, lock: nothing of what was copied */
}

TEST_ARENA(a_folder_in_its_place)
{
    struct jw_err err;
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_begin(a, "way");
    (void)tree_file(a, jw_arena_printf(a, "way/%s/x", packs_name(a, x.key, "2", 300)), "y");
    x.file = packs_file(a, "packs-in/w.tar.zst", "2", 300);
    CHECK_REFUSED(add(a, &x, &err), err, "is a folder");
    CHECK_HAS(err.msg, "move it away");
}

#ifndef _WIN32
#include "os/files/file.h"
#include "pack/format/pack_layout.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TEST_ARENA(the_folder_here)
{
    struct jw_err err = { 0 };

    set_variable("JITWARM_STORE", NULL);
    set_variable("XDG_DATA_HOME", "/data");
    CHECK_TEXT(jw_store_dir(a, &err), "/data/jitwarm/packs");
    set_variable("XDG_DATA_HOME", NULL);
    set_variable("HOME", "/home/me");
    CHECK_TEXT(jw_store_dir(a, &err), "/home/me/.local/share/jitwarm/packs");
}

static const char old_stamp[] = "Feb  9 201919:17:30";

static void mode_is(const char *path, mode_t mode)
{
    struct stat st = { 0 };

    CHECK(lstat(path, &st) == 0);
    CHECK_NUM(st.st_mode & 07777, mode);
}

TEST_ARENA(it_is_this_users_alone_whatever_the_umask)
{
    struct jw_err err = { 0 };
    mode_t before = umask(0);
    const char *dir = packs_begin(a, "modes/packs");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86),
                              .file = packs_file(a, "packs-in/m.tar.zst", "1", 300),
                              .signature = tree_file(a, "packs-in/m.minisig", "1"),
                              .cap = 1 << 20 };

    CHECK(chmod(x.file, 0666) == 0);
    CHECK_OK(jw_store_add(&x, a, &err), err);
    mode_is(dir, 0700);
    mode_is(x.path, 0600);
    mode_is(jw_arena_printf(a, "%s.minisig", x.path), 0600);
    (void)umask(before);
}

TEST_ARENA(what_others_may_write_is_not_believed)
{
    struct jw_err err = { 0 };
    const char *dir = packs_begin(a, "theirs");
    struct jw_store_add x = packs_add(a, packs_key(CACHE_NOW, 86), "1", 300);
    const char *path = x.path;
    struct jw_store s;

    CHECK(chmod(path, 0666) == 0);
    s = packs_load(a);
    CHECK(s.n == 1 && s.packs[0].refused);
    CHECK(!jw_store_add(&x, a, &err)); /* nor is it replaced */
    CHECK_HAS(err.msg, "everybody");
    CHECK(chmod(path, 0600) == 0 && chmod(dir, 0777) == 0);
    s = packs_load(a);
    CHECK(s.refused && s.n == 0);
    err = (struct jw_err){ 0 };
    CHECK_REFUSED(jw_store_add(&x, a, &err), err, "everybody may write");
    CHECK(chmod(dir, 0700) == 0);
    if (geteuid() == 0) {
        CHECK(chown(path, 1234, 1234) == 0);
        s = packs_load(a);
        CHECK(s.n == 1 && s.packs[0].refused);
        CHECK(chown(dir, 1234, 1234) == 0);
        s = packs_load(a);
        CHECK(s.refused && s.n == 0);
        CHECK(chown(dir, 0, 0) == 0);
    }
}

/* Links: as a pack, as its signature, as the folder in the making. None is followed, nothing behind them changes. */
TEST_ARENA(links_are_not_followed)
{
    struct jw_err err = { 0 };
    const char *dir = packs_begin(a, "links"), *victim = tree_file(a, "links-victim/file", "mine");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_add(a, packs_key(CACHE_NOW, 90), "9", 300);
    const char *pack = jw_path_join(a, dir, packs_name(a, x.key, "1", 300));

    CHECK(symlink(victim, pack) == 0);
    x.file = packs_file(a, "packs-in/l.tar.zst", "1", 300);
    CHECK_REFUSED(jw_store_add(&x, a, &err), err, "is a link");
    CHECK(packs_load(a).n == 2);
    CHECK(unlink(pack) == 0);
    CHECK(symlink(victim, jw_arena_printf(a, "%s.minisig", pack)) == 0);
    CHECK(jw_store_add(&x, a, &err));
    CHECK(first_of_signature(dir, "1") == '-');
    CHECK(unlink(jw_path_join(a, dir, "lock")) == 0);
    CHECK(symlink(victim, jw_path_join(a, dir, "lock")) == 0);
    x.file = packs_file(a, "packs-in/l.tar.zst", "2", 300);
    CHECK_REFUSED(jw_store_add(&x, a, &err), err, "is a link");
    scratch_holds(victim, "mine");
}

/* Whatever the order is in which their names stand. */
TEST_ARENA(the_oldest_make_room)
{
    static const struct timespec long_ago[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
    struct jw_err err;
    const char *dir = packs_begin(a, "room");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 120), .cap = 1100, .current = CACHE_NOW };

    (void)packs_add(a, packs_key(CACHE_BEFORE, 86), "1", 300);
    (void)packs_add(a, packs_key(old_stamp, 86), "2", 300);
    (void)packs_add(a, packs_key(CACHE_NOW, 86), "3", 300);
    const char *oldest = packs_name(a, packs_key(old_stamp, 86), "2", 300);

    CHECK(utimensat(AT_FDCWD, jw_path_join(a, dir, oldest), long_ago, 0) == 0);
    x.file = packs_file(a, "packs-in/r.tar.zst", "4", 400);
    CHECK_OK(add(a, &x, &err), err);
    CHECK_NUM(x.n_evicted, 1);
    CHECK(x.n_evicted && strcmp(x.evicted[0], oldest) == 0);
    CHECK(packs_has(dir, packs_key(CACHE_BEFORE, 86), "1", 300));
    CHECK(packs_has(dir, packs_key(CACHE_NOW, 86), "3", 300));
    CHECK_NUM(packs_load(a).bytes, 1000);
}

/* ---- several at once ---- */

enum { LETTERS = 2 * (26 + 1) }; /* of two keys, and those of before */

static void add_some(unsigned who, unsigned n)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    for (unsigned i = 0; i < n; i++) {
        char name[64], text[] = { (char)('a' + (who + i) % 26), '\0' };
        struct jw_store_add x = { .key = packs_key(CACHE_NOW, i % 2 ? 86 : 90), .cap = 1 << 20 };

        (void)snprintf(name, sizeof name, "packs-in/%u.tar.zst", who);
        x.file = packs_file(&a, name, text, 3000);
        if (!jw_store_add(&x, &a, &err)) {
            printf("%s\n", err.msg);
            _exit(1);
        }
    }
    _exit(0);
}

static void whole(struct jw_arena *a, size_t max)
{
    struct jw_store s = packs_load(a);

    CHECK(s.n <= max);
    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].key.stamp && !s.packs[i].refused && s.packs[i].size == 3000);
}

TEST_ARENA(eight_at_once)
{
    pid_t pids[8];

    (void)packs_begin(a, "eight");
    for (unsigned i = 0; i < 8; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            add_some(i, 10);
        CHECK(pids[i] > 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        int status = 1;

        CHECK(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    }
    whole(a, 32); /* of each key all letters that its turns have */
    CHECK_NUM(packs_load(a).n, 32);
}

TEST_ARENA(killed_at_any_instant)
{
    const char *dir = packs_begin(a, "killed");
    struct jw_store_key key = packs_key(CACHE_NOW, 86);

    (void)packs_add(a, key, "1", 3000);
    (void)packs_add(a, packs_key(CACHE_NOW, 90), "1", 3000);
    for (unsigned i = 0; i < 100; i++) {
        struct timespec t = { 0, 37000L * (i + 1) };
        int status;
        pid_t pid = fork();

        if (pid == 0)
            add_some(i, 1000);
        (void)nanosleep(&t, NULL);
        CHECK(pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
        CHECK(packs_has(dir, key, "1", 3000));
        whole(a, LETTERS);
    }
    (void)packs_add(a, key, "1", 3000);
    CHECK(scratch_count(dir)
          <= LETTERS + 3); /* packs, lock, .new; what processes that ended had in the making is gone */
}

/* A user who may write to it changes it between the moment when it was verified and the moment when it is kept. */
TEST_ARENA(what_is_kept_is_what_was_verified)
{
    struct jw_err err = { 0 };
    const char *dir = packs_begin(a, "verified");
    const char *file = packs_file(a, "packs-in/v.tar.zst", "1", 300), *aside = tree_path(a, "packs-in/aside");
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_buf frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer trailer;
    uint64_t at;

    CHECK(jw_file_open(&f, file, &err));

    struct jw_source source = jw_file_source(&f, 300);

    CHECK(jw_trailer_find(&source, &frame, &trailer, &at, &err));

    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86),
                              .file = file,
                              .bytes = &source,
                              .digest = trailer.digest,
                              .cap = 1 << 20 };

    CHECK(rename(file, aside) == 0);
    (void)packs_file(a, "packs-in/v.tar.zst", "2", 300);
    CHECK_OK(jw_store_add(&x, a, &err), err);
    CHECK(packs_has(dir, x.key, "1", 300));

    struct jw_store s = packs_load(a);

    CHECK_NUM(s.n, 1);

    int fd = open(aside, O_WRONLY); /* the very file that is open */

    CHECK(fd >= 0 && pwrite(fd, "3", 1, 0) == 1 && close(fd) == 0);
    CHECK(jw_store_add(&x, a, &err) && x.same); /* the store has it already, so nothing is copied */
    CHECK_NUM(packs_load(a).n, 1);
    x.key = packs_key(CACHE_NOW, 90);
    CHECK(!jw_store_add(&x, a, &err));
    CHECK_NUM(err.code, JW_E_FORMAT);
    CHECK_HAS(err.msg, "was changed after it was verified");
    CHECK_NUM(packs_load(a).n, 1);
    jw_buf_free(&frame);
    jw_file_close(&f);
}

#endif
