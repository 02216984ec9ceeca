/* What is installed, and that remove leaves everything as it was before. */
#include "setup/startup/startup.h"
#include "setup/startup/startup_text.h"

#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "check.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "session/session.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a home of its own for each test ---- */

struct home {
    const char *exe, *sysroot;
    struct jw_arena a;
    const char *dir, *units;
    struct jw_startup_options o;
    struct jw_session session;
    struct jw_run run;
    struct jw_startup_report r;
    struct jw_err err;
};

static void unset_all(void)
{
    static const char *const names[] = { "XDG_CONFIG_HOME",     "XDG_STATE_HOME",       "XDG_RUNTIME_DIR",
                                         "JITWARM_STATE",       "CUDA_CACHE_PATH",      "JITWARM_DRIVER",
                                         "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION",      "CUDA_CACHE_MAXSIZE",
                                         "JITWARM_STORE",       "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        (void)unsetenv(names[i]);
}

static const char *below(struct home *h, const char *name)
{
    struct jw_buf b = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&b, "%s/%s", h->dir, name);
    const char *path = jw_arena_str(&h->a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return path;
}

static struct home *enter(const char *name)
{
    struct home *h = jw_alloc(sizeof *h);

    unset_all();
    h->dir = tree_dir(&h->a, name);
    (void)chmod(h->dir, 0700);
    (void)setenv("HOME", h->dir, 1);
    h->units = ".config/systemd/user";
    CHECK(jw_make_dirs(below(h, "machine/run/systemd/system"), &h->err));
    h->o = (struct jw_startup_options){ .as_root = true };
    h->exe = "/bin/true";
    h->sysroot = below(h, "machine");
    return h;
}

static void leave(struct home *h)
{
    jw_arena_free(&h->a);
    jw_free(h);
}

static const char *unit(struct home *h, const char *name)
{
    struct jw_buf b = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&b, "%s/%s", h->units, name);
    const char *path = below(h, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return path;
}

static bool there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static bool install(struct home *h)
{
    h->err = (struct jw_err){ 0 };
    h->session = (struct jw_session){ .a = &h->a, .exe = h->exe, .sysroot = h->sysroot };
    h->run = (struct jw_run){ .session = &h->session, .a = &h->a };
    return jw_startup_install(&h->run, &h->o, &h->r, &h->err);
}

static bool removes(struct home *h)
{
    h->err = (struct jw_err){ 0 };
    h->session = (struct jw_session){ .a = &h->a, .exe = h->exe, .sysroot = h->sysroot };
    h->run = (struct jw_run){ .session = &h->session, .a = &h->a };
    return jw_startup_remove(&h->run, &h->o, &h->r, &h->err);
}

static bool status(struct home *h)
{
    h->err = (struct jw_err){ 0 };
    h->session = (struct jw_session){ .a = &h->a, .exe = h->exe, .sysroot = h->sysroot };
    h->run = (struct jw_run){ .session = &h->session, .a = &h->a };
    return jw_startup_status(&h->run, &h->o, &h->r, &h->err);
}

static const char *slurp(struct home *h, const char *path)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    bool found;

    CHECK(jw_file_slurp(path, &b, &found, &h->err) && found);
    const char *text = jw_arena_str(&h->a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return text;
}

/* All names below a folder with what is in them, as one text. */
static void list(struct home *h, const char *path, unsigned depth, struct jw_buf *out)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err err = { 0 };
    bool more = true;
    unsigned n = 0;

    CHECK(jw_dir_open(&dir, path, &err));
    while (dir && jw_dir_next(dir, &e, &more, &err) && more) {
        struct jw_buf sub = JW_BUF(JW_MAX_PATH);

        jw_buf_printf(&sub, "%s/%s", path, e.name);
        n++;
        if (e.type == JW_ENTRY_DIR)
            list(h, jw_buf_cstr(&sub), depth + 1, out);
        else if (e.type == JW_ENTRY_FILE)
            jw_buf_printf(out, "%s: %s\n", jw_buf_cstr(&sub), slurp(h, jw_buf_cstr(&sub)));
        else
            jw_buf_printf(out, "%s (link)\n", jw_buf_cstr(&sub));
        jw_buf_free(&sub);
    }
    jw_dir_close(dir);
    jw_buf_printf(out, "%s: %u names\n", path, n);
}

static const char *whole(struct home *h)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);

    list(h, h->dir, 0, &b);
    const char *text = jw_arena_str(&h->a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return text;
}

/* ---- systemd ---- */

TEST(install_writes_three_units_and_a_link)
{
    struct home *h = enter("install");
    char to[256] = { 0 };

    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_DONE);
    CHECK_NUM(h->r.n_steps, 4);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_SERVICE)), "ExecStart=\"/bin/true\" prime --if-stale --background");
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_TIMER)), "OnStartupSec=45s");
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_TIMER)), "Wants=" JW_STARTUP_PATH);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_PATH)), "PartOf=" JW_STARTUP_TIMER);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_PATH)), "libcuda.so.1\n");
    CHECK(readlink(unit(h, "timers.target.wants/" JW_STARTUP_TIMER), to, sizeof to - 1) > 0);
    CHECK_TEXT(to, "../" JW_STARTUP_TIMER);
    CHECK(access(unit(h, "timers.target.wants/" JW_STARTUP_TIMER), R_OK) == 0);
    leave(h);
}

TEST(a_second_install_changes_nothing)
{
    struct home *h = enter("twice");

    CHECK(install(h));
    const char *before = whole(h);

    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_NOTHING);
    CHECK_TEXT(whole(h), before);
    leave(h);
}

TEST(a_dry_run_changes_nothing_and_shows_all)
{
    struct home *h = enter("dry");
    const char *before = whole(h);

    h->o.dry_run = true;
    CHECK(install(h));
    CHECK_TEXT(whole(h), before);
    CHECK_HAS(h->r.steps[0].text, "[Service]");
    h->o.dry_run = false;
    CHECK(install(h));
    const char *shown = h->r.steps[0].text, *installed = whole(h);

    CHECK_TEXT(slurp(h, unit(h, JW_STARTUP_SERVICE)), shown);
    h->o.dry_run = true;
    CHECK(removes(h));
    CHECK_TEXT(whole(h), installed);
    leave(h);
}

TEST(remove_restores)
{
    struct home *h = enter("restores");
    const char *before = whole(h);

    CHECK(install(h));
    CHECK(strcmp(whole(h), before) != 0);
    CHECK(removes(h));
    CHECK_NUM(h->run.end, JW_END_DONE);
    CHECK_TEXT(whole(h), before);
    CHECK(removes(h));
    CHECK_NUM(h->run.end, JW_END_NOTHING);
    leave(h);
}

/* What another program put beside it meanwhile stays, and so does its folder. */
TEST(remove_leaves_what_is_not_its_own)
{
    struct home *h = enter("beside");

    CHECK(install(h));
    (void)tree_file(&h->a, "beside/.config/systemd/user/mine.service", "[Unit]\n");
    CHECK(removes(h));
    CHECK(!there(unit(h, JW_STARTUP_SERVICE)) && !there(unit(h, JW_STARTUP_TIMER)));
    CHECK_TEXT(slurp(h, unit(h, "mine.service")), "[Unit]\n");
    leave(h);
}

TEST(a_new_program_takes_the_place_of_the_old_one)
{
    struct home *h = enter("newer");
    const char *before = whole(h);

    CHECK(install(h));
    h->exe = "/bin/false";
    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_DONE);
    CHECK(!h->r.steps[0].same && h->r.steps[1].same && h->r.steps[2].same);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_SERVICE)), "ExecStart=\"/bin/false\"");
    CHECK(removes(h));
    CHECK_TEXT(whole(h), before);
    leave(h);
}

TEST(files_of_others_are_refused_and_stay)
{
    static const char *const names[] = { JW_STARTUP_SERVICE, JW_STARTUP_TIMER };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct home *h = enter(i ? "others-1" : "others-0");

        CHECK(jw_make_dirs(below(h, h->units), &h->err));
        (void)tree_file(&h->a,
                        i ? "others-1/.config/systemd/user/" JW_STARTUP_TIMER
                          : "others-0/.config/systemd/user/" JW_STARTUP_SERVICE,
                        "[Unit]\n");
        const char *before = whole(h);

        CHECK(!install(h));
        CHECK_HAS(h->err.msg, "was not written by jitwarm");
        CHECK(removes(h));
        CHECK_NUM(h->run.end, JW_END_NOTHING);
        CHECK(status(h) && !h->r.installed);
        CHECK_TEXT(whole(h), before);
        leave(h);
    }
}

TEST(a_masked_unit_stays_masked)
{
    struct home *h = enter("masked");

    CHECK(jw_make_dirs(below(h, h->units), &h->err));
    CHECK(symlink("/dev/null", unit(h, JW_STARTUP_TIMER)) == 0);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "is a link");
    CHECK(removes(h));
    CHECK(there(unit(h, JW_STARTUP_TIMER)) && !there(unit(h, JW_STARTUP_SERVICE)));
    leave(h);
}

TEST(hostile_variables_are_refused_or_ignored)
{
    struct home *h = enter("hostile");

    (void)setenv("XDG_CONFIG_HOME", "relative/path", 1); /* to be ignored, says the specification */
    CHECK(install(h));
    CHECK(there(unit(h, JW_STARTUP_SERVICE)) && !there("relative"));
    CHECK(removes(h));
    (void)setenv("XDG_CONFIG_HOME", "/dev/null", 1);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "/dev/null");
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)setenv("CUDA_CACHE_PATH", "/x\ny", 1);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "CUDA_CACHE_PATH");
    CHECK(!there(unit(h, JW_STARTUP_SERVICE)));
    (void)unsetenv("CUDA_CACHE_PATH");
    leave(h);
}

/* A user who may write there can have jitwarm run anything. */
TEST(a_folder_that_others_may_write_is_refused)
{
    struct home *h = enter("shared");

    CHECK(jw_make_dirs(below(h, ".config/systemd/user"), &h->err));
    CHECK(chmod(unit(h, ""), 0777) == 0);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "may be changed by everybody");
    CHECK(!there(unit(h, JW_STARTUP_SERVICE)));
    leave(h);
}

TEST(what_a_shell_set_is_kept_in_the_unit)
{
    struct home *h = enter("pinned");

    (void)setenv("CUDA_CACHE_PATH", "/data/a b/100%", 1);
    CHECK(install(h));
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_SERVICE)), "\nEnvironment=\"CUDA_CACHE_PATH=/data/a b/100%%\"\n");
    CHECK_NUM(h->run.notes.n, 1);
    CHECK_HAS(h->run.notes.v[0], "CUDA_CACHE_PATH=/data/a b/100%");
    (void)unsetenv("CUDA_CACHE_PATH");
    leave(h);
}

TEST(a_machine_without_systemd_is_a_sentence)
{
    struct home *h = enter("nothing");

    h->sysroot = h->dir;
    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_STOPPED);
    CHECK_HAS(h->run.why, "does not run systemd");
    CHECK_HAS(h->run.why, "jitwarm prime --if-stale");
    leave(h);
}

/* ---- for everybody ---- */

TEST(for_everybody_all_may_read_it)
{
    struct home *h = enter("image");
    const char *units = "machine/etc/systemd/user/" JW_STARTUP_SERVICE;
    struct stat st;

    h->o.everybody = true;
    h->o.as_root = false;
    (void)umask(077);
    CHECK(install(h));
    (void)umask(022);
    CHECK(stat(below(h, units), &st) == 0 && (st.st_mode & 0777) == 0644);
    CHECK(stat(below(h, "machine/etc/systemd/user/timers.target.wants"), &st) == 0
          && (st.st_mode & 0777) == 0755);
    CHECK_HAS(slurp(h, below(h, units)), "ConditionUser=!@system");
    h->o.everybody = false;
    CHECK(status(h)); /* counts for each user */
    CHECK(h->r.installed && h->r.everybody);
    h->o.everybody = true;
    CHECK(removes(h));
    CHECK(!there(below(h, units)) && there(below(h, "machine/etc/systemd/user")));
    leave(h);
}

TEST(a_program_that_others_may_change_is_not_for_everybody)
{
    if (!there("/run/systemd/system"))
        SKIP("this machine does not run systemd");
    struct home *h = enter("unsafe");
    const char *exe = tree_file(&h->a, "unsafe/jitwarm", "#!/bin/sh\n");

    CHECK(chmod(exe, 0777) == 0);
    h->o.everybody = true;
    h->exe = exe;
    h->sysroot = NULL;
    h->o.dry_run = true; /* or a mistake here would change this machine */
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "every user would run");
    leave(h);
}

/* ---- status ---- */

TEST(status_says_what_is_wrong)
{
    struct home *h = enter("status");

    CHECK(status(h));
    CHECK_NUM(h->run.end, JW_END_PARTLY);
    CHECK_HAS(h->run.why, "it is not installed: jitwarm startup install");
    CHECK(install(h) && status(h));
    CHECK_NUM(h->run.end, JW_END_NOTHING); /* it has not run */
    CHECK(h->r.installed);
    CHECK_TEXT(h->r.program, "/bin/true");
    CHECK(unlink(unit(h, "timers.target.wants/" JW_STARTUP_TIMER)) == 0);
    CHECK(status(h));
    CHECK_HAS(h->run.why, "installed, but not enabled");
    h->exe = "/no/such/program";
    CHECK(install(h) && status(h));
    CHECK_HAS(h->run.why, "its program /no/such/program does not exist");
    CHECK(removes(h));
    leave(h);
}

TEST(what_a_killed_process_left_is_swept)
{
    struct home *h = enter("swept");
    const char *before = whole(h);

    CHECK(install(h));
    (void)tree_file(
        &h->a,
        jw_arena_printf(&h->a, "swept/.config/systemd/user/.jitwarm-startup.service.jw-%08lx-999999999-0.tmp",
                        (unsigned long)jw_sys_system()),
        "half");
    CHECK(removes(h));
    CHECK_TEXT(whole(h), before);
    leave(h);
}

/* ---- failures ---- */

/* Each fault point in turn. What is left of a failed install is never started, and remove takes it away. */
TEST(every_failure_of_install_can_be_removed)
{
    struct home *h = enter("faults");
    const char *before = whole(h);
    bool fired = true;
    unsigned tried = 0;

    for (unsigned long nth = 1; fired; nth++, tried++) {
        jw_fault_arm(nth);
        bool ok = install(h) && h->run.end != JW_END_STOPPED;

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || h->err.msg[0] || h->run.why);
        CHECK(ok == there(unit(h, "timers.target.wants/" JW_STARTUP_TIMER)));
        CHECK(removes(h)); /* empty folders may be left */
        CHECK(!there(unit(h, JW_STARTUP_SERVICE)) && !there(unit(h, JW_STARTUP_TIMER)));
        CHECK(install(h) && removes(h));
        CHECK_TEXT(whole(h), before);
    }
    CHECK(tried > 5);
    leave(h);
}

/* What a failed remove left, the next one takes; and what is left is not started any more, or all of it. */
TEST(every_failure_of_remove_is_mended_by_the_next)
{
    struct home *h = enter("unfaults");
    const char *before = whole(h);
    bool fired = true;
    unsigned tried = 0;

    for (unsigned long nth = 1; fired; nth++, tried++) {
        CHECK(install(h));
        jw_fault_arm(nth);
        bool ok = removes(h);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || h->err.msg[0]);
        if (!ok) {
            CHECK(removes(h));
        }
        CHECK(!there(unit(h, JW_STARTUP_SERVICE)) && !there(unit(h, JW_STARTUP_TIMER)));
        CHECK_TEXT(whole(h), before);
    }
    CHECK(tried > 1);
    leave(h);
}
