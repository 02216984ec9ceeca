/* What is installed, and that remove leaves everything as it was before. */
#include "startup/startup.h"

#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "check.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a home of its own for each test ---- */

struct home {
    struct jw_arena a;
    const char *dir, *units;
    struct jw_startup_options o;
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

static struct home *enter(const char *name)
{
    struct home *h = jw_alloc(sizeof *h);

    unset_all();
    h->dir = tree_dir(&h->a, name);
    (void)chmod(h->dir, 0700);
    (void)setenv("HOME", h->dir, 1);
    h->units = ".config/systemd/user";
    h->o = (struct jw_startup_options){
        .with = JW_STARTUP_SYSTEMD, .as_root = true, .exe = "/bin/true", .sysroot = h->dir
    };
    return h;
}

static void leave(struct home *h)
{
    jw_arena_free(&h->a);
    jw_free(h);
}

static const char *below(struct home *h, const char *name)
{
    struct jw_buf b = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&b, "%s/%s", h->dir, name);
    const char *path = jw_arena_str(&h->a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return path;
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
    h->run = (struct jw_run){ .a = &h->a };
    return jw_startup_install(&h->run, &h->o, &h->r, &h->err);
}

static bool removes(struct home *h)
{
    h->err = (struct jw_err){ 0 };
    h->run = (struct jw_run){ .a = &h->a };
    return jw_startup_remove(&h->run, &h->o, &h->r, &h->err);
}

static bool status(struct home *h)
{
    h->err = (struct jw_err){ 0 };
    h->run = (struct jw_run){ .a = &h->a };
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

TEST(install_writes_two_units_and_a_link)
{
    struct home *h = enter("install");
    char to[256] = { 0 };

    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_DONE);
    CHECK_NUM(h->r.n_steps, 3);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_SERVICE)),
              "ExecStart=\"/bin/true\" prime --if-stale --background --quiet");
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_TIMER)), "OnStartupSec=45s");
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

/* The folders, too: those that were made go, those that were there stay, empty or not. */
TEST(remove_restores_exactly)
{
    static const char *const made[] = { NULL, ".config", ".config/systemd", ".config/systemd/user",
                                        ".config/systemd/user/timers.target.wants" };
    char name[32];

    for (size_t i = 0; i < JW_COUNT(made); i++) {
        (void)snprintf(name, sizeof name, "exactly-%zu", i);
        struct home *h = enter(name);

        if (made[i])
            CHECK(jw_make_dirs(below(h, made[i]), &h->err));
        const char *before = whole(h);

        h->o.with = JW_STARTUP_SYSTEMD;
        CHECK(install(h));
        CHECK(strcmp(whole(h), before) != 0);
        h->o.with = JW_STARTUP_AUTO;
        CHECK(removes(h));
        CHECK_NUM(h->run.end, JW_END_DONE);
        CHECK_TEXT(whole(h), before);
        CHECK(removes(h));
        CHECK_NUM(h->run.end, JW_END_NOTHING);
        leave(h);
    }
}

/* What somebody put beside it meanwhile stays, and so does its folder. */
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

TEST(a_new_program_or_option_takes_the_place_of_the_old_one)
{
    struct home *h = enter("newer");
    const char *before = whole(h);

    CHECK(install(h));
    h->o.exe = "/bin/false";
    h->o.prune = true;
    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_DONE);
    CHECK_HAS(slurp(h, unit(h, JW_STARTUP_SERVICE)),
              "ExecStart=\"/bin/false\" prime --if-stale --background --quiet --jobs 2 --as-root --prune\n");
    CHECK(removes(h));
    CHECK_TEXT(whole(h), before);
    leave(h);
}

/* ---- files of others ---- */

TEST(files_of_others_are_refused_and_stay)
{
    static const char *const names[] = { JW_STARTUP_SERVICE, JW_STARTUP_TIMER,
                                         "timers.target.wants/" JW_STARTUP_TIMER };
    char name[96];

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        (void)snprintf(name, sizeof name, "others-%zu", i);
        struct home *h = enter(name);

        (void)snprintf(name, sizeof name, "others-%zu/.config/systemd/user/%s", i, names[i]);
        (void)tree_file(&h->a, name, "[Unit]\nDescription=mine\n");
        const char *before = whole(h);

        CHECK(!install(h));
        CHECK_NUM(h->err.code, JW_E_IO);
        CHECK_HAS(h->err.msg, names[i]);
        CHECK_TEXT(whole(h), before);
        h->o.yes = true; /* does not open that door */
        CHECK(!install(h));
        CHECK(removes(h));
        CHECK_NUM(h->run.end, JW_END_NOTHING);
        CHECK_TEXT(whole(h), before);
        leave(h);
    }
}

TEST(a_masked_unit_stays_masked)
{
    struct home *h = enter("masked");

    CHECK(jw_make_dirs(below(h, h->units), &h->err));
    CHECK(symlink("/dev/null", unit(h, JW_STARTUP_TIMER)) == 0);
    const char *before = whole(h);

    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "is masked");
    CHECK_TEXT(whole(h), before);
    leave(h);
}

TEST(what_was_changed_by_hand_needs_a_yes)
{
    struct home *h = enter("edited");

    CHECK(install(h));
    const char *path = unit(h, JW_STARTUP_SERVICE);
    char *text = jw_arena_str(&h->a, slurp(h, path));

    strstr(text, "Nice=19")[6] = '5';
    (void)tree_file(&h->a, "edited/.config/systemd/user/" JW_STARTUP_SERVICE, text);
    CHECK(install(h));
    CHECK_NUM(h->run.end, JW_END_CONSENT);
    CHECK_HAS(h->run.why, "was edited by hand");
    CHECK_HAS(h->run.why, "--yes");
    CHECK_TEXT(slurp(h, path), text);
    CHECK(removes(h));
    CHECK_NUM(h->run.end, JW_END_CONSENT);
    CHECK_TEXT(slurp(h, path), text);
    h->o.yes = true;
    CHECK(install(h));
    CHECK_HAS(slurp(h, path), "Nice=19");
    CHECK(removes(h));
    CHECK(!there(path));
    leave(h);
}

/* ---- bad surroundings ---- */

/* `folder` belongs to somebody else. */
static void install_as_nobody(const char *folder)
{
    struct home h = {
        .dir = folder,
        .o = { .with = JW_STARTUP_SYSTEMD, .as_root = true, .exe = "/bin/true", .sysroot = folder }
    };

    unset_all();
    (void)setenv("HOME", folder, 1);
    CHECK(!install(&h));
    CHECK_NUM(h.err.code, JW_E_IO);
    CHECK_HAS(h.err.msg, folder);
    jw_arena_free(&h.a);
}

static void prepare_nothing(const char *folder)
{
    (void)folder;
}

TEST(a_home_that_cannot_be_written_is_told)
{
    struct home *h = enter("unwritable");

    as_nobody(install_as_nobody, prepare_nothing);
    (void)tree_file(&h->a, "unwritable/.config", "a file");
    CHECK(!install(h));
    CHECK_NUM(h->err.code, JW_E_IO);
    CHECK_HAS(h->err.msg, ".config");
    CHECK_TEXT(slurp(h, below(h, ".config")), "a file");
    leave(h);
}

TEST(hostile_variables_are_told_or_passed_over)
{
    struct home *h = enter("hostile");

    (void)setenv("XDG_CONFIG_HOME", "relative/path", 1); /* to be ignored, says the specification */
    CHECK(install(h));
    CHECK(there(unit(h, JW_STARTUP_SERVICE)) && !there("relative"));
    CHECK(removes(h));
    (void)setenv("XDG_CONFIG_HOME", "/dev/null", 1);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "/dev/null");
    (void)setenv("XDG_CONFIG_HOME", "/proc/1/root/no", 1);
    CHECK(!install(h));
    CHECK(h->err.msg[0]);
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)setenv("CUDA_CACHE_PATH", "/x\ny", 1);
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "CUDA_CACHE_PATH");
    CHECK(!there(unit(h, JW_STARTUP_SERVICE)));
    (void)unsetenv("CUDA_CACHE_PATH");
    leave(h);
}

/* Whoever may write there can have us run what he likes. */
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

TEST(nothing_known_that_starts_programs_is_a_sentence)
{
    struct home *h = enter("nothing");

    h->o.with = JW_STARTUP_AUTO; /* the sysroot of this test has no /run/systemd/system */
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "does not run systemd");
    CHECK_HAS(h->err.msg, "jitwarm prime --if-stale");
    (void)tree_dir(&h->a, "nothing/run/systemd/system");
    CHECK(install(h));
    CHECK_NUM(h->r.with, JW_STARTUP_SYSTEMD);
    leave(h);
}

/* ---- for everybody ---- */

TEST(for_everybody_it_goes_into_the_image_that_is_named)
{
    struct home *h = enter("image");

    h->o.everybody = true;
    h->o.as_root = false;
    h->o.root = h->dir;
    const char *before = whole(h);

    (void)umask(077);
    CHECK(install(h));
    (void)umask(022);
    struct stat st;

    CHECK(stat(below(h, "etc/systemd/user/" JW_STARTUP_SERVICE), &st) == 0 && (st.st_mode & 0777) == 0644);
    CHECK(stat(below(h, "etc/systemd/user/timers.target.wants"), &st) == 0 && (st.st_mode & 0777) == 0755);
    CHECK_HAS(slurp(h, below(h, "etc/systemd/user/" JW_STARTUP_SERVICE)), "ConditionUser=!@system");
    CHECK(status(h));
    CHECK(h->r.installed && h->r.enabled);
    CHECK(removes(h));
    CHECK_TEXT(whole(h), before);
    leave(h);
}

TEST(a_program_that_others_may_change_is_not_for_everybody)
{
    struct home *h = enter("unsafe");
    const char *exe = tree_file(&h->a, "unsafe/jitwarm", "#!/bin/sh\n");

    CHECK(chmod(exe, 0777) == 0);
    h->o.everybody = true;
    h->o.exe = exe;
    h->o.dry_run = true; /* or a mistake here would change this machine */
    CHECK(!install(h));
    CHECK_HAS(h->err.msg, "every user would run");
    leave(h);
}

/* ---- status ---- */

TEST(status_tells_what_is_wrong)
{
    struct home *h = enter("status");

    CHECK(status(h) && !h->r.installed);
    CHECK_NUM(h->run.end, JW_END_PARTLY);
    CHECK(install(h) && status(h));
    CHECK(h->r.installed && h->r.enabled && !h->r.ran);
    CHECK_NUM(h->run.end, JW_END_NOTHING);
    CHECK(unlink(unit(h, "timers.target.wants/" JW_STARTUP_TIMER)) == 0);
    CHECK(status(h) && h->r.installed && !h->r.enabled);
    CHECK_HAS(h->run.why, "not enabled");
    CHECK(install(h) && status(h) && h->r.enabled);
    CHECK(unlink(unit(h, JW_STARTUP_TIMER)) == 0);
    CHECK(status(h));
    CHECK_HAS(h->run.why, "a file is missing");
    h->o.exe = below(h, "gone");
    CHECK(install(h) && status(h));
    CHECK_HAS(h->run.why, "does not exist");
    leave(h);
}

TEST(status_tells_the_last_run)
{
    struct home *h = enter("runs");
    struct jw_startup_run run = {
        .when = 1795189212, .pid = 1, .start = "x", .end = "nothing", .what = "all warm"
    };

    CHECK(install(h));
    CHECK(jw_startup_log_add(&run, &h->err) && status(h));
    CHECK(h->r.ran && h->r.working);
    CHECK_TEXT(h->r.last.what, "all warm");
    run.end = "no-gpu";
    run.exit = 3;
    CHECK(jw_startup_log_add(&run, &h->err) && status(h));
    CHECK(h->r.ran && !h->r.working);
    CHECK_NUM(h->run.end, JW_END_PARTLY);
    run.exit = 0;
    run.began = true; /* and nobody of this number and beginning is here any more */
    CHECK(jw_startup_log_add(&run, &h->err) && status(h));
    CHECK(h->r.working && !h->r.last.began);
    CHECK_TEXT(h->r.last.end, "cut-off");
    leave(h);
}

TEST(a_log_that_cannot_be_read_is_told)
{
    struct home *h = enter("nolog");

    CHECK(install(h));
    (void)tree_dir(&h->a, "nolog/.local/state/jitwarm/startup.log");
    CHECK(status(h));
    CHECK_NUM(h->run.end, JW_END_PARTLY);
    CHECK_HAS(h->run.why, "its log cannot be read");
    leave(h);
}

/* What a process left that was killed while it wrote. */
TEST(what_a_killed_process_left_is_swept)
{
    struct home *h = enter("swept");
    const char *before = whole(h);

    CHECK(install(h));
    (void)tree_file(&h->a, "swept/.config/systemd/user/.jitwarm-startup.service.jw-4711-0.tmp", "half a un");
    CHECK(symlink("x", unit(h, "timers.target.wants/.jitwarm-startup.timer.jw-4711-0.tmp")) == 0);
    CHECK(removes(h));
    CHECK_TEXT(whole(h), before);
    (void)tree_file(&h->a, "swept/.config/systemd/user/.jitwarm-startup.timer.jw-4711-0.tmp", "");
    (void)tree_file(&h->a, "swept/.config/systemd/user/.someones.timer.jw-4711-0.tmp", "");
    CHECK(install(h));
    CHECK(!there(unit(h, ".jitwarm-startup.timer.jw-4711-0.tmp")));
    CHECK(there(unit(h, ".someones.timer.jw-4711-0.tmp")));
    leave(h);
}

/* ---- failures ---- */

/* Each verb of the system and each allocation in turn: as it was before, or installed. */
TEST(every_failure_of_install_leaves_all_or_nothing)
{
    struct home *h = enter("faults");
    const char *before = whole(h);
    bool fired = true;
    unsigned tried = 0;

    for (unsigned long nth = 1; fired; nth++, tried++) {
        jw_fault_arm(nth);
        bool ok = install(h);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || h->err.msg[0]);
        if (ok) {
            CHECK(status(h) && h->r.enabled);
            CHECK(removes(h));
        }
        CHECK_TEXT(whole(h), before);
    }
    CHECK(tried > 20);
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
    CHECK(tried > 10);
    leave(h);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(install_writes_two_units_and_a_link), T(a_second_install_changes_nothing),
               T(a_dry_run_changes_nothing_and_shows_all), T(remove_restores_exactly),
               T(remove_leaves_what_is_not_its_own),
               T(a_new_program_or_option_takes_the_place_of_the_old_one),
               T(files_of_others_are_refused_and_stay), T(a_masked_unit_stays_masked),
               T(what_was_changed_by_hand_needs_a_yes), T(a_home_that_cannot_be_written_is_told),
               T(hostile_variables_are_told_or_passed_over), T(a_folder_that_others_may_write_is_refused),
               T(what_a_shell_set_is_kept_in_the_unit), T(nothing_known_that_starts_programs_is_a_sentence),
               T(for_everybody_it_goes_into_the_image_that_is_named),
               T(a_program_that_others_may_change_is_not_for_everybody), T(status_tells_what_is_wrong),
               T(status_tells_the_last_run), T(a_log_that_cannot_be_read_is_told),
               T(what_a_killed_process_left_is_swept), T(every_failure_of_install_leaves_all_or_nothing),
               T(every_failure_of_remove_is_mended_by_the_next));
}
