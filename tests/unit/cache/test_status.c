#include "base/fault.h"
#include "cache/status/status.h"
#include "check.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

static struct jw_status_report status(struct cache *c, bool check)
{
    struct jw_status_options o = { .cache = c->root, .check = check, .look = true };
    struct jw_status_report r;
    struct jw_err err = { 0 };

    CHECK(jw_status(&o, c->a, &r, &err));
    CHECK_TEXT(err.msg, "");
    return r;
}

static void remember(struct jw_arena *a, const char *folder, const char *build, const char *stamp,
                     int64_t when)
{
    struct jw_driver_state s = {
        .build = build, .stamp = stamp, .version = "580.126.09", .level = JW_LEVEL_READABLE, .proven_at = when
    };
    struct jw_err err = { 0 };

    cache_env("JITWARM_STATE", tree_path(a, folder));
    CHECK(jw_state_save_driver(&s, &err));
    CHECK_TEXT(err.msg, "");
}

static const struct jw_status_group *group_of(const struct jw_status_report *r, const char *stamp,
                                              const char *arch)
{
    static const struct jw_status_group none;

    for (size_t i = 0; i < r->n_groups; i++)
        if (strcmp(r->groups[i].stamp, stamp) == 0 && strcmp(r->groups[i].arch, arch) == 0)
            return &r->groups[i];
    check_failed(__FILE__, __LINE__, "a group like this");
    return &none;
}

TEST(stamps)
{
    CHECK_TEXT(jw_stamp_text(CACHE_NOW).text, "Jan  7 2026 22:51:46");
    CHECK_TEXT(jw_stamp_text("").text, "");
    CHECK_TEXT(jw_stamp_text("short").text, "");
}

TEST(builds_and_their_standing)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "standing");
    struct jw_status_report r;

    for (unsigned i = 0; i < 3; i++)
        (void)cache_add(&c, CACHE_NOW, "sm_86", i, 100);
    (void)cache_add(&c, CACHE_NOW, "sm_89", 1, 400);
    (void)cache_add(&c, CACHE_BEFORE, "sm_86", 1, 5000);
    (void)cache_add(&c, "Feb  9 201919:17:30", "sm_61", 1, 100);
    cache_done(&c);
    cache_env("JITWARM_STATE", tree_path(&a, "no-state"));
    r = status(&c, false);
    CHECK_NUM(r.n_groups, 4);
    CHECK(!r.current && r.outdated.entries == 0);
    CHECK(group_of(&r, CACHE_NOW, "sm_86")->standing == JW_STANDING_UNKNOWN);
    jw_status_free(&r);
    remember(&a, "state", "gnu:2", CACHE_NOW, 2000);
    remember(&a, "state", "gnu:1", CACHE_BEFORE, 1000);
    r = status(&c, true);
    CHECK_NUM(r.n_groups, 4);
    CHECK(r.current && strcmp(r.current->build, "gnu:2") == 0);
    CHECK(group_of(&r, CACHE_NOW, "sm_86")->standing == JW_STANDING_CURRENT);
    CHECK_NUM(group_of(&r, CACHE_NOW, "sm_86")->entries, 3);
    CHECK(group_of(&r, CACHE_NOW, "sm_89")->standing == JW_STANDING_CURRENT);
    CHECK(group_of(&r, CACHE_BEFORE, "sm_86")->standing == JW_STANDING_EARLIER);
    CHECK(group_of(&r, "Feb  9 201919:17:30", "sm_61")->standing == JW_STANDING_FOREIGN);
    CHECK(!group_of(&r, "Feb  9 201919:17:30", "sm_61")->driver);
    CHECK_NUM(r.outdated.entries, 2);
    CHECK(r.groups[0].standing == JW_STANDING_CURRENT && strcmp(r.groups[0].arch, "sm_86") == 0);
    CHECK(r.groups[3].standing == JW_STANDING_FOREIGN);
    CHECK(jw_status_whole(&r));
    jw_status_free(&r);
    jw_arena_free(&a);
}

TEST(sums)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "sums");
    struct jw_status_report r;
    uint64_t name[20], total, torn_size;

    for (unsigned i = 0; i < JW_COUNT(name); i++)
        name[i] = cache_add(&c, CACHE_NOW, "sm_86", i, 100 + 10 * i);
    cache_forget(&c, name[3]);
    total = c.index.total;
    cache_done(&c);

    struct jw_buf b = cache_get(&c, name[19]);

    torn_size = b.n - 1;
    cache_put(&c, jw_cache_name(name[19]).text, b.p, b.n - 1);
    jw_buf_free(&b);
    cache_remove(&c, name[4]);
    r = status(&c, false);
    CHECK_NUM(r.files.entries, 19);
    CHECK_NUM(r.sound.entries, 18);
    CHECK_NUM(r.damaged.entries, 1);
    CHECK_NUM(r.damaged.bytes, torn_size);
    CHECK_NUM(r.orphans.entries, 1);
    CHECK_NUM(r.list.missing, 1);
    CHECK_NUM(r.recorded.entries, 19);
    CHECK_NUM(r.recorded.bytes, total);
    CHECK_NUM(r.used, total);
    CHECK_NUM(r.files.bytes, r.sound.bytes + 18 * JW_CACHE_HEADER + torn_size);
    CHECK_NUM(r.mismatched, 0);
    CHECK_NUM(r.n_largest, JW_STATUS_LARGEST);
    CHECK(r.largest[0].file->name == name[18]);
    for (size_t i = 1; i < r.n_largest; i++)
        CHECK(r.largest[i - 1].file->size >= r.largest[i].file->size);
    CHECK_NUM(jw_status_fill(&r, total), 100);
    CHECK_NUM(jw_status_fill(&r, total * 2), 50);
    CHECK_NUM(jw_status_fill(&r, total + 1), 99);
    CHECK_NUM(jw_status_fill(&r, 0), 0);
    jw_status_free(&r);
    jw_arena_free(&a);
}

/* Without a sound index nobody knows what has a record, so nothing is called an orphan. */
TEST(no_index)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "no-index");
    struct jw_status_report r;

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    jw_cache_index_free(&c.index);
    r = status(&c, false);
    CHECK(!r.list.index_found && r.orphans.entries == 0 && r.used == r.sound.bytes && r.used > 100);
    jw_status_free(&r);
    cache_put(&c, "index", "torn", 4);
    r = status(&c, false);
    CHECK(r.list.index_damage && r.orphans.entries == 0 && r.used == r.sound.bytes);
    jw_status_free(&r);
    jw_arena_free(&a);
}

/* The index says another size than the entry has: another module under its name, or a lost write. */
TEST(another_size)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "size");
    struct jw_status_report r;

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    c.index.list[0].size += 1;
    c.index.total += 1;
    cache_done(&c);
    r = status(&c, false);
    CHECK_NUM(r.mismatched, 1);
    CHECK_NUM(r.sound.entries, 1);
    jw_status_free(&r);
    jw_arena_free(&a);
}

/* A stranger may fill a cache with a stamp for each entry: groups are sorted, not searched for. */
TEST(a_build_for_each_entry)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "builds");
    struct jw_status_report r;
    char stamp[32];

    for (unsigned i = 0; i < 300; i++) {
        (void)snprintf(stamp, sizeof stamp, "Jan  7 2026%02u:%02u:46", i / 60, i % 60);
        (void)cache_add(&c, stamp, "sm_86", i, 60);
    }
    cache_done(&c);
    r = status(&c, false);
    CHECK_NUM(r.n_groups, 300);
    CHECK_NUM(r.sound.entries, 300);
    jw_status_free(&r);
    jw_arena_free(&a);
}

TEST(nothing_there)
{
    struct jw_arena a = { 0 };
    struct cache c = { .a = &a, .root = tree_path(&a, "nowhere") };
    struct jw_status_report r = status(&c, true);

    CHECK(!r.list.found && r.files.entries == 0 && r.n_groups == 0 && jw_status_whole(&r));
    jw_status_free(&r);
    c.root = tree_file(&a, "a-file", "x");
    r = status(&c, true);
    CHECK(r.list.refused && !jw_status_whole(&r));
    jw_status_free(&r);
    jw_arena_free(&a);
}

TEST(settings_alone)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "settings");
    struct jw_status_options o = { .cache = c.root };
    struct jw_status_report r;
    struct jw_err err = { 0 };

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    cache_done(&c);
    CHECK(jw_status(&o, &a, &r, &err));
    CHECK(!r.list.found && r.files.entries == 0 && r.dir.root == c.root);
    jw_status_free(&r);
    jw_arena_free(&a);
}

TEST(every_call_fails_once)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "faults");
    struct jw_status_options o = { .cache = c.root, .look = true };

    for (unsigned i = 0; i < 4; i++)
        (void)cache_add(&c, CACHE_NOW, "sm_86", i, 100);
    cache_done(&c);
    remember(&a, "fault-state", "gnu:2", CACHE_NOW, 2000);
    for (unsigned long nth = 1;; nth++) {
        struct jw_arena own = { 0 };
        struct jw_status_report r;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_status(&o, &own, &r, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || (err.msg[0] && !r.list.files));
        if (ok && jw_status_whole(&r) && !r.drivers.notes.n && !r.list.index_damage)
            CHECK(r.sound.entries == 4 && r.used == r.sound.bytes);
        jw_status_free(&r);
        jw_arena_free(&own);
        if (!fired)
            break;
    }
    jw_arena_free(&a);
}

/* Trees that real drivers wrote. */
TEST(real_trees)
{
    struct jw_arena a = { 0 };
    const char *samples = jw_env(&a, "JITWARM_SAMPLES");
    static const struct {
        const char *name;
        size_t entries, orphans, missing;
    } trees[] = { { "computecache/drjit-sm120", 85, 0, 1 },
                  { "computecache/linux-580.126.09-opencl-orphans", 56, 5, 0 },
                  { "computecache/tensorflow-sm120", 3, 0, 2 } };

    if (!samples)
        SKIP("JITWARM_SAMPLES does not name a folder of cache trees");
    for (size_t i = 0; i < JW_COUNT(trees); i++) {
        struct jw_buf path = JW_BUF(4096);

        jw_buf_printf(&path, "%s/%s", samples, trees[i].name);

        struct cache c = { .a = &a, .root = jw_buf_cstr(&path) };
        struct jw_status_report r = status(&c, true);

        if (r.list.found) {
            CHECK_NUM(r.sound.entries, trees[i].entries);
            CHECK_NUM(r.damaged.entries + r.unread.entries, 0);
            CHECK_NUM(r.orphans.entries, trees[i].orphans);
            CHECK_NUM(r.list.missing, trees[i].missing);
            CHECK_NUM(r.kinds[JW_CACHE_OTHER].entries, 0);
            CHECK(!r.list.index_damage);
        }
        jw_status_free(&r);
        jw_buf_free(&path);
    }
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    cache_env("CUDA_CACHE_MAXSIZE", NULL);
    return RUN(argc, argv, T(stamps), T(builds_and_their_standing), T(sums), T(no_index), T(another_size),
               T(a_build_for_each_entry), T(nothing_there), T(settings_alone), T(every_call_fails_once),
               T(real_trees));
}
