#include "setup/setup.h"

#include "check.h"
#include "machine/run.h"
#include "os/files/file.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <unistd.h>

#define UNITS "root/etc/systemd/user/"
#define LINK UNITS "timers.target.wants/jitwarm-startup.timer"
#define KEY "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"

static void begin(struct jw_arena *a)
{
    (void)tree_dir(a, "home");
    (void)tree_dir(a, "root/run/systemd/system");
    set_variable("HOME", tree_path(a, "home"));
    set_variable("JITWARM_SYSROOT", tree_path(a, "root"));
    set_variable("JITWARM_STATE", tree_path(a, "state"));
    for (size_t i = 0; i < 4; i++)
        set_variable((const char *const[]){"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME",
                                           "XDG_RUNTIME_DIR"}[i],
                     NULL);
}

static bool exists(struct jw_arena *a, const char *name)
{
    return access(tree_path(a, name), F_OK) == 0;
}

static struct jw_run *run_of(struct jw_arena *a)
{
    const struct jw_session s = {.a = a, .exe = "/usr/bin/env"};
    const struct jw_run made = {.session = jw_arena_copy(a, &s, sizeof s), .a = a};
    struct jw_run *run = jw_arena_copy(a, &made, sizeof made);

    jw_run_begin(run);
    return run;
}

typedef bool verb(struct jw_run *run, struct jw_startup *s, struct jw_err *err);

static enum jw_end act(struct jw_arena *a, verb *what, struct jw_startup s)
{
    struct jw_run *run = run_of(a);
    struct jw_err err = {0};

    CHECK_OK(what(run, &s, &err), err);
    return run->end;
}

static const struct jw_startup all = {.everybody = true};

TEST_WITH(install_and_remove_leave_nothing, struct jw_arena, a, begin, jw_arena_free)
{
    CHECK(act(a, jw_startup_status, all) == JW_END_PARTLY);
    CHECK(act(a, jw_startup_install, all) == JW_END_DONE);
    CHECK(exists(a, UNITS "jitwarm-startup.service") && exists(a, UNITS "jitwarm-startup.path")
          && exists(a, LINK));
    CHECK(act(a, jw_startup_install, all) == JW_END_NOTHING);
    CHECK(act(a, jw_startup_status, (struct jw_startup){0})
          == JW_END_DONE); /* everybody's counts */
    CHECK(act(a, jw_startup_remove, all) == JW_END_DONE);
    CHECK(!exists(a, UNITS "jitwarm-startup.service") && !exists(a, UNITS "timers.target.wants"));
    CHECK(act(a, jw_startup_remove, all) == JW_END_NOTHING);
}

TEST_WITH(an_enrolment_is_a_file_that_goes_with_it, struct jw_arena, a, begin, jw_arena_free)
{
    const char *sources[] = {"oci://reg.example/team/jit"}, *keys[] = {KEY};
    const struct jw_startup o = {.everybody = true, .sources = {sources, 1}, .trust = {keys, 1}};
    FREED(jw_buf) text = JW_BUF(4096);
    bool found;

    (void)tree_file(a, "root/etc/jitwarm/jitwarm.conf", "jobs = 3");
    CHECK(act(a, jw_startup_install, o) == JW_END_DONE
          && act(a, jw_startup_install, o) == JW_END_NOTHING);
    CHECK_OK(jw_file_slurp(tree_path(a, "root/etc/jitwarm/startup.conf"), &text, &found, &err),
             err);
    CHECK_HAS(jw_buf_cstr(&text), "\nsource = oci://reg.example/team/jit\ntrust = " KEY "\n");
    CHECK(act(a, jw_startup_install, all) == JW_END_NOTHING
          && exists(a, "root/etc/jitwarm/startup.conf"));
    CHECK(act(a, jw_startup_remove, all) == JW_END_DONE);
    CHECK(!exists(a, "root/etc/jitwarm/startup.conf")
          && exists(a, "root/etc/jitwarm/jitwarm.conf"));
    (void)!jw_file_remove(tree_path(a, "root/etc/jitwarm/jitwarm.conf"), &err);
}

TEST_WITH(a_source_needs_a_key_and_a_unit_of_others_stays, struct jw_arena, a, begin, jw_arena_free)
{
    const char *sources[] = {"oci://reg.example/team/jit"};
    struct jw_startup o = {.everybody = true, .sources = {sources, 1}}, plain = all;

    CHECK_REFUSED(jw_startup_install(run_of(a), &o, &err), err, "no key is trusted here");
    (void)tree_file(a, UNITS "jitwarm-startup.service", "[Service]\n");
    err = (struct jw_err){0};
    CHECK_REFUSED(jw_startup_install(run_of(a), &plain, &err), err, "not as jitwarm wrote it");
    CHECK(!exists(a, LINK));
    (void)!jw_file_remove(tree_path(a, UNITS "jitwarm-startup.service"), &err);
}

TEST_WITH(uninstall_removes_exactly_what_is_jitwarms, struct jw_arena, a, begin, jw_arena_free)
{
    struct jw_step_list steps = {0};
    struct jw_run *run = run_of(a);

    (void)tree_file(a, "state/caches/0123456789abcdef0123456789abcdef/roots", "12345");
    (void)tree_file(a, "state/sources/cat.c",
                    "mine"); /* JITWARM_STATE names a folder of the user's */
    CHECK_OK(jw_uninstall(run, false, true, &steps, &err), err);
    CHECK(jw_steps_found(&steps) && exists(a, "state/caches"));
    run = run_of(a);
    steps.n = 0;
    CHECK_OK(jw_uninstall(run, false, false, &steps, &err), err);
    CHECK(run->end == JW_END_DONE && !exists(a, "state/caches")
          && exists(a, "state/sources/cat.c"));
    run = run_of(a);
    steps.n = 0;
    CHECK_OK(jw_uninstall(run, false, false, &steps, &err), err);
    CHECK(run->end == JW_END_NOTHING);
}
