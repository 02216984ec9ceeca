#include "base/path.h"
#include "check.h"
#include "memory/ledger.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"
#ifndef _WIN32
#include <sys/stat.h>
#endif

static const uint8_t view[JW_DIGEST] = {7};

/* The state folder `name`; its ledger has one file of each view that is opened. */
static const char *begin(struct jw_arena *a, const char *name)
{
    set_variable("JITWARM_STATE", tree_path(a, name));
    return jw_path_join(a, tree_path(a, name), "ledger");
}

/* An hour old, whatever its clock. */
static struct jw_file_info info_of(uint64_t node)
{
    int64_t then = jw_time_unix_ns() - 3600 * (int64_t)1000000000 + 1;

    return (struct jw_file_info){
        .kind = JW_FILE_REGULAR, .size = 10, .mtime = then, .ctime = then, .id = {1, node}};
}

static void put(const char *path, const struct jw_file_info *info, const char *value)
{
    struct jw_ledger *l = jw_ledger_open(view);

    jw_ledger_put(l, path, info,
                  (struct jw_bytes){*value ? (const uint8_t *)value : NULL, strlen(value)});
    jw_ledger_close(l);
}

static bool knows(const char *path, const struct jw_file_info *info, const char *value)
{
    struct jw_ledger *l = jw_ledger_open(view);
    struct jw_bytes got;
    bool found = jw_ledger_find(l, path, info, &got);

    CHECK(!found || (got.n == strlen(value) && (!got.n || memcmp(got.p, value, got.n) == 0)));
    CHECK(found || !got.n);
    jw_ledger_close(l);
    return found;
}

TEST_ARENA(what_was_put_in_is_found_while_the_file_is_the_same)
{
    struct jw_file_info info = info_of(5), now = info;
    const char *file = tree_file(a, "a.so", "text"), *other = tree_file(a, "b.so", "text");
    const char *folder = begin(a, "round");

    CHECK(!knows(file, &info, "") && !scratch_there(folder));
    put(file, &info, "three modules");
    put(other, &info, ""); /* has no code */
    CHECK(knows(file, &info, "three modules") && knows(other, &info, "")
          && !knows("/c.so", &info, ""));
    now.size++;
    CHECK(!knows(file, &now, ""));
    now = info, now.mtime++;
    CHECK(!knows(file, &now, ""));
    now = info, now.ctime++;
    CHECK(!knows(file, &now, ""));
    now = info, now.id.node++;
    CHECK(!knows(file, &now, ""));
    now = info, now.kind = JW_FILE_DIR;
    CHECK(!knows(file, &now, ""));
    now = info, now.size = 11;
    put(file, &now, "four");
    CHECK(knows(file, &now, "four") && !knows(file, &info, "") && knows(other, &info, ""));
    CHECK_NUM(scratch_count(folder), 1);
}

/* The maker of an image sets its times, which have no part of a second: another image has the
 * same. */
TEST_ARENA(a_file_of_an_image_is_not_put_in)
{
    struct jw_file_info info = info_of(5);

    (void)begin(a, "image");
    info.mtime = info.ctime = 1700000000 * (int64_t)1000000000;
    put("/image/a.so", &info, "x");
    CHECK(!knows("/image/a.so", &info, ""));
}

/* A write in the same tick of the clock of its file system shows in no time. (A minute ahead, or a
 * slow machine is too late.) */
TEST_ARENA(a_young_file_is_not_put_in)
{
    struct jw_file_info info = info_of(5);
    const char *file = tree_file(a, "young.so", "text");

    (void)begin(a, "young");
    info.mtime = info.ctime = jw_time_unix_ns() + 60 * (int64_t)1000000000;
    put(file, &info, "text");
    CHECK(!knows(file, &info, ""));
    info.mtime -= 120 * (int64_t)1000000000; /* was set by hand */
    put(file, &info, "text");
    CHECK(!knows(file, &info, ""));
}

TEST_ARENA(files_that_are_gone_go)
{
    struct jw_file_info info = info_of(5);
    const char *file = tree_file(a, "stays.so", "text");

    (void)begin(a, "gone");
    put(tree_path(a, "gone.so"), &info, "text");
    CHECK(knows(tree_path(a, "gone.so"), &info, "text"));
    put(file, &info, "text");
    CHECK(knows(file, &info, "text") && !knows(tree_path(a, "gone.so"), &info, ""));
}

TEST_ARENA(a_view_is_a_file_and_others_go_where_there_are_many)
{
    struct jw_file_info info = info_of(5);
    const char *file = tree_file(a, "viewed.so", "text"), *folder = begin(a, "views");
    uint8_t of[JW_DIGEST] = {0};
    struct jw_bytes got;

    for (of[0] = 1; of[0] <= JW_LEDGER_VIEWS + 1; of[0]++) {
        struct jw_ledger *l = jw_ledger_open(of);

        CHECK(!jw_ledger_find(l, file, &info, &got));
        jw_ledger_put(l, file, &info, JW_BYTES("x"));
        jw_ledger_close(l);
        l = jw_ledger_open(of);
        CHECK(jw_ledger_find(l, file, &info, &got));
        jw_ledger_close(l);
        CHECK_NUM(scratch_count(folder), of[0] <= JW_LEDGER_VIEWS ? of[0] : 1);
    }
}

static const char *only_file(struct jw_arena *a, const char *folder)
{
    return jw_arena_printf(a, "%s/%.32s", folder, jw_digest_text(view).text);
}

TEST_ARENA(what_is_damaged_is_computed_again)
{
    struct jw_file_info info = info_of(5);
    const char *file = tree_file(a, "spoilt.so", "text"), *path = only_file(a, begin(a, "damaged"));
    FREED(jw_buf) good = JW_BUF(4096);
    bool found;

    put(file, &info, "value");
    CHECK(jw_file_slurp(path, &good, &found, &err) && found);
    for (size_t i = 0; i < good.n; i++) {
        CHECK_OK(
            jw_file_put(path, JW_OUT_REPLACE | JW_OUT_FAST, (struct jw_bytes){good.p, i}, &err),
            err);
        CHECK(!knows(file, &info, ""));
        good.p[i] ^= 0x41;
        CHECK_OK(jw_file_put(path, JW_OUT_REPLACE | JW_OUT_FAST, (struct jw_bytes){good.p, good.n},
                             &err),
                 err);
        CHECK(!knows(file, &info, ""));
        good.p[i] ^= 0x41;
    }
    put(file, &info, "value");
    CHECK(knows(file, &info, "value"));
}

struct crowd {
    struct jw_ledger *l;
    struct jw_file_info info;
    const char *path[4];
};

static void work(void *ctx, unsigned worker)
{
    struct crowd *c = ctx;
    struct jw_bytes got;

    for (unsigned i = 0; i < 200; i++) {
        CHECK(!jw_ledger_find(c->l, c->path[worker], &c->info, &got));
        jw_ledger_put(c->l, c->path[worker], &c->info,
                      (struct jw_bytes){(const uint8_t *)c->path[worker], 3});
    }
}

TEST_ARENA(several_threads)
{
    struct crowd c = {.info = info_of(5)};
    struct jw_bytes got;

    (void)begin(a, "threads");
    for (unsigned i = 0; i < 4; i++)
        c.path[i] = tree_file(a, jw_arena_printf(a, "thread-%u.so", i), "text");
    c.l = jw_ledger_open(view);
    jw_parallel(4, work, &c);
    jw_ledger_close(c.l);
    c.l = jw_ledger_open(view);
    for (unsigned i = 0; i < 4; i++)
        CHECK(jw_ledger_find(c.l, c.path[i], &c.info, &got) && got.n == 3);
    jw_ledger_close(c.l);
    jw_ledger_close(NULL);
}

#ifndef _WIN32
TEST_ARENA(what_others_may_write_is_not_believed)
{
    struct jw_file_info info = info_of(5);
    const char *file = tree_file(a, "open.so", "text"), *folder = begin(a, "open");
    const char *const paths[] = {jw_path_dir(a, folder), folder, only_file(a, folder)};

    put(file, &info, "value");
    for (size_t i = 0; i < JW_COUNT(paths); i++) {
        mode_t mode = i < 2 ? 0700 : 0600;

        CHECK(chmod(paths[i], mode | S_IWOTH) == 0);
        CHECK(!knows(file, &info, ""));
        CHECK(chmod(paths[i], mode) == 0);
        CHECK(knows(file, &info, "value"));
    }
}
#endif
