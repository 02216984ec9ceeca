#include "base/fault.h"
#include "base/fields.h"
#include "base/path.h"
#include "check.h"
#include "memory/drivers.h"
#include "memory/state_folder.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <math.h>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

static const struct jw_compile_rate rates[] = { { 86, 0.03, 1 / 1.1e6, 143 }, { 120, 0.25, 1 / 2e5, 7 } };

static const struct jw_driver_state one = { .build = "gnu:5d1c0ffee",
                                            .compiler = "gnu:cc 10 bytes",
                                            .stamp = CACHE_NOW,
                                            .version = "580.126.09",
                                            .level = JW_LEVEL_PLACEABLE,
                                            .proven_at = 1790000000,
                                            .why = "it says \"\xc3\xa4\"",
                                            .rates = rates,
                                            .n_rates = 2 };

/* A state folder of its own for each test. */
static const char *begin(struct jw_arena *a, const char *name)
{
    const char *path = tree_path(a, name);

    set_variable("JITWARM_STATE", path);
    return path;
}

static bool load(struct jw_arena *a, const char *build, struct jw_driver_state *s, const char **why)
{
    struct jw_err err = { 0 };
    bool found = false;

    CHECK_OK(jw_state_load_driver(build, a, s, &found, why, &err), err);
    return found;
}

static void save(const struct jw_driver_state *s)
{
    struct jw_err err = { 0 };

    CHECK_OK(jw_state_save_driver(s, &err), err);
}

TEST_ARENA(round_trip)
{
    struct jw_driver_state s;
    const char *why;

    (void)begin(a, "round/deep");
    CHECK(!load(a, one.build, &s, &why) && !why);
    save(&one);
    CHECK(load(a, one.build, &s, &why) && !why);
    CHECK_TEXT(s.build, one.build);
    CHECK_TEXT(s.compiler, one.compiler);
    CHECK_TEXT(s.stamp, one.stamp);
    CHECK_TEXT(s.version, one.version);
    CHECK_NUM(s.n_rates, 2);
    CHECK_NUM(s.rates[1].sm, 120);
    CHECK_NUM(s.rates[1].modules, 7);
    CHECK(s.rates[0].base_s > 0.0299 && s.rates[0].base_s < 0.0301);
    CHECK(s.rates[0].per_byte_s > 0.99 / 1.1e6 && s.rates[0].per_byte_s < 1.01 / 1.1e6);
    CHECK(s.level == JW_LEVEL_PLACEABLE && s.proven_at == 1790000000);
    CHECK_TEXT(s.why, one.why);
}

#if !defined(_WIN32)

/* What a group could write is not believed, so jitwarm writes nothing that way. */
TEST_ARENA(the_umask_does_not_matter)
{
    struct jw_driver_state s;
    const char *why;
    mode_t before = umask(0);

    (void)begin(a, "umask");
    save(&one);
    (void)umask(before);
    CHECK(load(a, one.build, &s, &why) && !why);
}

#else

TEST(the_umask_does_not_matter)
{
    SKIP("POSIX");
}

#endif

TEST_ARENA(nothing_known)
{
    struct jw_driver_state s = { .build = "pe:65f0a1b2c000", .level = JW_LEVEL_NONE };
    const char *why;

    (void)begin(a, "none");
    save(&s);
    CHECK(load(a, "pe:65f0a1b2c000", &s, &why));
    CHECK(s.level == JW_LEVEL_NONE && !s.stamp && !s.version && !s.why);
}

TEST_ARENA(builds_that_are_no_file_names)
{
    static const char *const names[] = {
        "gnu:../../../etc/passwd",
        "a/b\\c",
        ".",
        "..",
        "CON",
        "con",
        "\xff\xfe",
        "a very long name, longer than any file name may be, which still must be told "
        "from others like it, of which there may be one that differs at its end only, "
        "as this one does: 1"
    };
    struct jw_driver_state s, other = one;
    const char *why;
    char last[512];

    (void)begin(a, "names");
    for (size_t i = 0; i < JW_COUNT(names); i++) {
        other.build = names[i];
        save(&other);
        CHECK(load(a, names[i], &s, &why));
        CHECK_TEXT(s.build, names[i]);
    }
    (void)snprintf(last, sizeof last, "%s", names[JW_COUNT(names) - 1]);
    last[strlen(last) - 1] = '2';
    CHECK(!load(a, last, &s, &why) && !why);
    other.build = "";

    struct jw_err err = { 0 };

    CHECK_REFUSED(jw_state_save_driver(&other, &err), err, "no identity");
    CHECK(!load(a, "", &s, &why));
}

/* A file with one record, as the format says; without lists. */
struct file {
    const char *build, *stamp;
    int level;
    uint64_t proven_at;
    uint8_t compiles_absent;
    uint16_t kind; /* 0: that of a driver */
    uint32_t rates, more;
};

static struct jw_buf file_of(const struct file *f)
{
    static const struct jw_field rest[] = { JW_FIELD_ALONE(JW_FIELD_REST, sizeof(struct jw_bytes)), { 0 } };
    struct jw_buf body = JW_BUF(4096), out = JW_BUF(4096);

    jw_field_text(&body, "gnu:cc");
    jw_field_text(&body, "");
    jw_field_text(&body, f->build);
    jw_field_text(&body, f->stamp);
    jw_field_text(&body, "");
    jw_field_text(&body, "");
    jw_field_number(&body, (uint32_t)f->level, 4);
    jw_field_text(&body, "");
    jw_buf_add(&body, &f->compiles_absent, 1);
    jw_field_number(&body, f->proven_at, 8);
    jw_field_number(&body, 0, 8);
    jw_field_number(&body, f->rates, 4);
    jw_buf_fill(&body, 0, f->more);
    jw_record_put(&out, f->kind ? f->kind : 57, rest, &(struct jw_bytes){ body.p, body.n });
    CHECK(!out.bad);
    jw_buf_free(&body);
    return out;
}

static void damaged(struct jw_arena *a, const void *p, size_t n, const char *says)
{
    struct jw_driver_state s;
    const char *why;

    (void)tree_bytes(a, "spoilt/drivers/gnu-1.record", p, n);
    CHECK(!load(a, "gnu:1", &s, &why));
    CHECK_HAS(why, says);
    CHECK_HAS(why, "gnu-1.record");
    CHECK(s.level == JW_LEVEL_NONE && !s.stamp);
}

TEST_ARENA(damage_is_told)
{
    static const struct {
        struct file file;
        const char *says;
    } cases[] = {
        { { .build = "gnu:1", .kind = 33 }, "another version" },
        { { .build = "gnu:1", .more = 1 }, "another version" },
        { { .build = "gnu:1", .rates = UINT32_MAX }, "another version" },
        { { .build = "gnu:1", .compiles_absent = 2 }, "another version" },
        { { .build = "gnu:1", .proven_at = (uint64_t)1 << 63 }, "another version" },
        { { .build = "gnu:2" }, "another library (gnu:2)" },
        { { .build = "" }, "another library (none)" },
        { { .build = "gnu:1", .level = 4 }, "no level 4" },
        { { .build = "gnu:1", .level = -2 }, "no level -2" },
        { { .build = "gnu:1", .level = 3 }, "level 3 without a stamp" },
        { { .build = "gnu:1", .level = 3, .stamp = "yesterday" }, "stamp" },
    };
    const struct file good = { .build = "gnu:1", .stamp = CACHE_NOW, .level = 3, .proven_at = 1 };
    struct jw_driver_states all;
    struct jw_driver_state s;
    struct jw_buf whole = file_of(&good), twice = JW_BUF(8192);
    const char *why;

    (void)begin(a, "spoilt");
    save(&one);
    (void)tree_bytes(a, "spoilt/drivers/gnu-1.record", whole.p, whole.n);
    CHECK(load(a, "gnu:1", &s, &why));
    CHECK(s.level == JW_LEVEL_PLACEABLE && !s.version && !s.library);
    CHECK_TEXT(s.compiler, "gnu:cc");
    CHECK(!s.failed);
    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_buf file = file_of(&cases[i].file);

        damaged(a, file.p, file.n, cases[i].says);
        jw_buf_free(&file);
    }
    for (size_t i = 0; i < whole.n; i++) {
        damaged(a, whole.p, i, "it is damaged");
        whole.p[i] ^= 1;
        damaged(a, whole.p, whole.n, "it is damaged");
        whole.p[i] ^= 1;
    }
    jw_buf_add(&twice, whole.p, whole.n);
    jw_buf_add(&twice, whole.p, whole.n);
    damaged(a, twice.p, twice.n, "it is damaged");
    jw_state_list_drivers(a, &all);
    CHECK_NUM(all.n, 1);
    CHECK_NUM(all.notes.n, 1);
    jw_buf_free(&whole);
    jw_buf_free(&twice);
}

/* A wrong one costs an estimate, not the level. */
TEST_ARENA(rates_that_make_no_sense)
{
    static const struct jw_compile_rate some[] = { { 86, -1, 1e-6, 1 }, { 86, 3601, 1e-6, 1 },
                                                   { 86, 1, 0, 1 },     { 86, 1, 2, 1 },
                                                   { 0, 1, 1e-6, 1 },   { 86, NAN, 1e-6, 1 },
                                                   { 86, 1, NAN, 1 },   { 90, 1, 1e-6, 1 } };
    struct jw_driver_state s, other = one;
    const char *why;

    (void)begin(a, "rates");
    other.rates = some;
    other.n_rates = JW_COUNT(some);
    save(&other);
    CHECK(load(a, one.build, &s, &why) && s.level == JW_LEVEL_PLACEABLE);
    CHECK_NUM(s.n_rates, 1);
    CHECK(s.n_rates == 1 && s.rates[0].sm == 90);
}

TEST_ARENA(all_of_them)
{
    struct jw_driver_states all;
    struct jw_driver_state other = one;
    struct jw_buf copy = file_of(&(struct file){ .build = "gnu:0ld", .proven_at = 5 });

    (void)begin(a, "several");
    jw_state_list_drivers(a, &all);
    CHECK(all.n == 0 && all.notes.n == 0);
    save(&one);
    other.build = "gnu:0ld";
    other.proven_at = 1;
    save(&other);
    other.build = "gnu:newest";
    other.proven_at = 1800000000;
    save(&other);
    (void)tree_file(a, "several/drivers/readme.txt", "x");
    (void)tree_bytes(a, "several/drivers/gnu-copy.record", copy.p, copy.n);
    jw_buf_free(&copy);
    jw_state_list_drivers(a, &all);
    CHECK_NUM(all.n, 3);
    CHECK_NUM(all.notes.n, 1);
    CHECK_HAS(all.notes.v[0], "gnu-copy.record: it speaks of another library (gnu:0ld)");
    CHECK_TEXT(all.v[0].build, "gnu:newest");
    CHECK_TEXT(all.v[1].build, one.build);
    CHECK_TEXT(all.v[2].build, "gnu:0ld");
}

TEST_ARENA(where_it_is)
{
    struct jw_err err = { 0 };

    set_variable("JITWARM_STATE", "relative");
    CHECK_REFUSED(jw_state_dir(a, &err), err, "not an absolute path");
    set_variable("JITWARM_STATE", NULL);
    if (jw_os_is_windows()) {
        set_variable("LOCALAPPDATA", "C:\\users\\An\\AppData\\Local");
        CHECK_HAS(jw_state_dir(a, &err), "AppData\\Local");
        CHECK_TEXT(jw_path_base(jw_state_dir(a, &err)), "state");
    } else {
        set_variable("XDG_STATE_HOME", "/var/state");
        CHECK_TEXT(jw_state_dir(a, &err), "/var/state/jitwarm");
    }
}

/* A save that fails leaves the old file or the new one. */
TEST_ARENA(every_call_fails_once)
{
    struct jw_driver_state newer = one, s;
    const char *why;
    unsigned failed = 0;

    (void)begin(a, "faults");
    save(&one);
    newer.level = JW_LEVEL_PREDICTABLE;
    for (unsigned long nth = 1;; nth++) {
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_state_save_driver(&newer, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        failed += !ok;
        CHECK(ok || err.msg[0]);
        CHECK(load(a, one.build, &s, &why));
        CHECK(s.level == JW_LEVEL_PREDICTABLE || (!ok && s.level == JW_LEVEL_PLACEABLE));
        if (!fired)
            break;
    }
    CHECK(failed > 5);
    for (unsigned long nth = 1;; nth++) {
        struct jw_err err = { 0 };
        bool found = false;

        jw_fault_arm(nth);
        bool ok = jw_state_load_driver(one.build, a, &s, &found, &why, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok ? found || why || !fired : err.msg[0] != '\0');
        if (!fired)
            break;
    }
}

#ifndef _WIN32
TEST_ARENA(the_state_folder_is_private)
{
    static const struct jw_driver_state s = { .build = "gnu:1", .level = JW_LEVEL_OPAQUE };
    struct jw_driver_state got;
    struct jw_driver_states all;
    struct jw_err err = { 0 };
    const char *dir = tree_path(a, "state/above/jitwarm"), *why;
    bool found;
    struct stat st;

    set_variable("JITWARM_STATE", dir);
    CHECK(jw_state_save_driver(&s, &err));
    CHECK(stat(dir, &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(jw_state_load_driver("gnu:1", a, &got, &found, &why, &err) && found);
    /* Where everybody may write, anybody may have. */
    CHECK(chmod(dir, 0777) == 0);
    CHECK(jw_state_load_driver("gnu:1", a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "may be changed by everybody");
    jw_state_list_drivers(a, &all);
    CHECK(all.n == 0 && all.notes.n == 1);
    CHECK(chmod(dir, 0755) == 0);
    CHECK(stat(jw_path_join(a, dir, "drivers"), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(chmod(jw_path_join(a, dir, "drivers"), 0777) == 0);
    CHECK(jw_state_load_driver("gnu:1", a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "drivers: the folder may be changed by everybody");
    jw_state_list_drivers(a, &all);
    CHECK(all.n == 0 && all.notes.n == 1);
    CHECK(chmod(jw_path_join(a, dir, "drivers"), 0755) == 0
          && chmod(jw_path_join(a, dir, "drivers/gnu-1.record"), 0666) == 0);
    CHECK(jw_state_load_driver("gnu:1", a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "the file may be changed by everybody");
    jw_state_list_drivers(a, &all);
    CHECK(all.n == 0 && all.notes.n == 1);
    CHECK(chmod(jw_path_join(a, dir, "drivers/gnu-1.record"), 0644) == 0);
    CHECK(jw_state_load_driver("gnu:1", a, &got, &found, &why, &err) && found);
}
#endif
