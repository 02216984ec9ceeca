#include "base/path.h"
#include "check.h"
#include "memory/drivers.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/faults.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <math.h>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

static const struct jw_driver_state one = {.build = "gnu:5d1c0ffee",
                                           .compiler = "gnu:cc 10 bytes",
                                           .code = "0123456789abcdef",
                                           .probe_payload = "sm_86 fedcba9876543210",
                                           .stamp = CACHE_NOW,
                                           .version = "580.126.09",
                                           .level = JW_LEVEL_PLACEABLE,
                                           .proven_at = 1790000000,
                                           .met_at = 1790000000,
                                           .why = "it says \"\xc3\xa4\"",
                                           .slowness = 2.5};

/* A state folder of its own for each test. */
static const char *begin(struct jw_arena *a, const char *name)
{
    const char *path = tree_path(a, name);

    set_variable("JITWARM_STATE", path);
    return path;
}

static bool load(struct jw_arena *a, const char *build, struct jw_driver_state *s)
{
    struct jw_drivers all;

    jw_drivers_load(a, &all);
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.v[i].build, build) == 0) {
            *s = all.v[i];
            return true;
        }
    return false;
}

static void save(const struct jw_driver_state *s)
{
    struct jw_err err = {0};

    CHECK_OK(jw_driver_save(s, &err), err);
}

TEST_ARENA(round_trip)
{
    struct jw_driver_state s;

    (void)begin(a, "round/deep");
    CHECK(!load(a, one.build, &s));
    save(&one);
    CHECK(load(a, one.build, &s));
    CHECK_TEXT(s.compiler, one.compiler);
    CHECK_TEXT(s.code, one.code);
    CHECK_TEXT(s.probe_payload, one.probe_payload);
    CHECK_TEXT(s.stamp, one.stamp);
    CHECK_TEXT(s.version, one.version);
    CHECK(s.slowness == 2.5 && s.level == JW_LEVEL_PLACEABLE && s.proven_at == 1790000000);
    CHECK_TEXT(s.why, one.why);
    save(&(struct jw_driver_state){.build = "pe:65f0a1b2c000", .level = JW_LEVEL_NONE});
    CHECK(load(a, "pe:65f0a1b2c000", &s) && s.level == JW_LEVEL_NONE && !s.stamp && !s.version
          && !s.why && !s.code && !s.probe_payload);
}

TEST_ARENA(builds_that_are_no_file_names)
{
    static const char *const names[] = {"gnu:../../../etc/passwd", "a/b\\c", "CON", "con",
                                        "\xff\xfe"};
    struct jw_driver_state s, other = one;

    (void)begin(a, "names");
    for (size_t i = 0; i < JW_COUNT(names); i++) {
        other.build = names[i];
        save(&other);
        CHECK(load(a, names[i], &s));
    }
    other.build = "";
    CHECK_REFUSED(jw_driver_save(&other, &err), err, "no identity");
}

static void only_one_is_there(struct jw_arena *a)
{
    struct jw_drivers all;

    jw_drivers_load(a, &all);
    CHECK(all.n == 1 && strcmp(all.v[0].build, one.build) == 0);
}

TEST_ARENA(what_is_damaged_is_not_there)
{
    static const struct jw_driver_state cases[] = {
        {.build = "gnu:1", .level = 4},
        {.build = "gnu:1", .level = -2},
        {.build = "gnu:1", .level = 3},
        {.build = "gnu:1", .proven_at = INT64_MAX},
    };
    const char *name =
        jw_arena_printf(a, "spoilt/drivers/%s.record", jw_state_file_name("gnu:1", a));
    FREED(jw_buf) whole = JW_BUF(4096);
    bool found;

    (void)begin(a, "spoilt");
    save(&one);
    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        save(&cases[i]);
        only_one_is_there(a);
    }
    save(&(struct jw_driver_state){.build = "gnu:1"});
    CHECK(jw_file_slurp(tree_path(a, name), &whole, &found, &err) && found);
    for (size_t i = 0; i < whole.n; i++) {
        (void)tree_bytes(a, name, whole.p, i);
        only_one_is_there(a);
        whole.p[i] ^= 1;
        (void)tree_bytes(a, name, whole.p, whole.n);
        only_one_is_there(a);
        whole.p[i] ^= 1;
    }
    (void)tree_bytes(a, "spoilt/drivers/00000000000000000000000000000000.record", whole.p, whole.n);
    only_one_is_there(a);
}

/* A wrong one costs an estimate, not the level. */
TEST_ARENA(a_speed_that_makes_no_sense)
{
    static const double wrong[] = {-1, NAN, INFINITY, 10001};
    struct jw_driver_state s, other = one;

    (void)begin(a, "speeds");
    for (size_t i = 0; i < JW_COUNT(wrong); i++) {
        other.slowness = wrong[i];
        save(&other);
        CHECK(load(a, one.build, &s) && s.level == JW_LEVEL_PLACEABLE && s.slowness == 0);
    }
}

/* A build that was probed again meanwhile keeps what that found; one that nobody knows is not made
 * up. */
TEST_ARENA(a_speed_changes_nothing_else)
{
    struct jw_driver_state s, other = one;

    (void)begin(a, "speed");
    other.level = JW_LEVEL_PREDICTABLE;
    save(&other);
    CHECK_OK(jw_driver_save_slowness(one.build, 4, &err), err);
    CHECK(load(a, one.build, &s) && s.level == JW_LEVEL_PREDICTABLE && s.slowness == 4);
    CHECK_OK(jw_driver_save_slowness("gnu:other", 4, &err), err);
    CHECK(!load(a, "gnu:other", &s));
}

TEST_ARENA(all_of_them)
{
    struct jw_drivers all;

    (void)begin(a, "several");
    save(&one);
    save(&(struct jw_driver_state){.build = "gnu:0ld", .met_at = 1});
    save(&(struct jw_driver_state){.build = "gnu:newest", .met_at = 1800000000});
    (void)tree_file(a, "several/drivers/readme.txt", "x");
    jw_drivers_load(a, &all);
    CHECK_NUM(all.n, 3);
    CHECK_TEXT(all.v[0].build, "gnu:newest");
    CHECK_TEXT(all.v[1].build, one.build);
    CHECK_TEXT(all.v[2].build, "gnu:0ld");
}

TEST_ARENA(where_it_is)
{
    set_variable("JITWARM_STATE", "relative");
    CHECK_REFUSED(jw_state_dir(a, &err), err, "not an absolute path");
    set_variable("JITWARM_STATE", NULL);
    if (jw_os_is_windows()) {
        set_variable("LOCALAPPDATA", "C:\\users\\An\\AppData\\Local");
        CHECK_HAS(jw_state_dir(a, &err), "AppData\\Local\\jitwarm\\state");
    } else {
        set_variable("HOME", "/var/stat"); /* which is not above it */
        set_variable("XDG_STATE_HOME", "/var/state");
        CHECK_TEXT(jw_state_dir(a, &err), "/var/state/jitwarm");
    }
}

/* A save that fails leaves the old file or the new one. */
TEST_ARENA(every_call_fails_once)
{
    struct jw_driver_state newer = one, s;
    unsigned failed = 0;

    (void)begin(a, "faults");
    save(&one);
    newer.level = JW_LEVEL_PREDICTABLE;
    EACH_FAULT (f, 1) {
        bool ok = FAULTED(f, jw_driver_save(&newer, &err));

        failed += !ok;
        CHECK(ok || err.msg[0]);
        CHECK(load(a, one.build, &s));
        CHECK(s.level == JW_LEVEL_PREDICTABLE || (!ok && s.level == JW_LEVEL_PLACEABLE));
    }
    CHECK(failed > 5);
}

#ifndef _WIN32
TEST_ARENA(the_state_folder_is_private)
{
    const char *dir = begin(a, "state/above/jitwarm"), *drivers = jw_path_join(a, dir, "drivers");
    struct jw_driver_state s;
    struct stat st;

    save(&one);
    const char *const paths[] = {
        dir, drivers,
        jw_path_join(a, drivers,
                     jw_arena_printf(a, "%s.record", jw_state_file_name(one.build, a)))};

    CHECK(stat(dir, &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(stat(drivers, &st) == 0 && (st.st_mode & 0777) == 0700);
    /* Where everybody may write, anybody may have, and nothing is written. */
    for (size_t i = 0; i < JW_COUNT(paths); i++) {
        CHECK(chmod(paths[i], i < 2 ? 0777 : 0666) == 0 && !load(a, one.build, &s));
        CHECK(i == 2 || !jw_driver_save(&one, &err));
        CHECK(chmod(paths[i], i < 2 ? 0755 : 0644) == 0 && load(a, one.build, &s));
    }
}
#endif
