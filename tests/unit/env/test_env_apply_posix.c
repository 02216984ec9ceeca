/* A home, a machine and environments of the test's own: put, taken back, and every step in between failing. */
#include "base/fault.h"
#include "check.h"
#include "env/env_apply.h"
#include "os/files/file.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALL "[ ! -r \"$HOME/.config/jitwarm/env.sh\" ] || . \"$HOME/.config/jitwarm/env.sh\" # jitwarm env"
#define LINE CALL "\n"
#define JOINT_LINE CALL " (and the line break before it)\n"

struct rig {
    struct jw_arena a;
    struct jw_cachedir dir;
    struct jw_env_state s;
    struct jw_env_apply_options o;
    const char *root, *home;
};

/* Of a user of bash, with nothing set and nothing measured. */
static struct rig begin(const char *name)
{
    struct rig r = { .o = { .unchecked = true, .proc = "/nowhere" } };

    scratch_empty(scratch(name));
    r.root = tree_dir(&r.a, name);
    r.o.sysroot = r.root;
    r.home = jw_arena_alloc(&r.a, 4096);
    (void)snprintf((char *)(uintptr_t)r.home, 4096, "%s/home", r.root);
    CHECK(mkdir(r.home, 0755) == 0);
    cache_env("HOME", r.home);
    cache_env("SHELL", "/bin/bash");
    cache_env("ZDOTDIR", NULL);
    return r;
}

static const char *in(struct rig *r, const char *name)
{
    char *path = jw_arena_alloc(&r->a, 4096);

    (void)snprintf(path, 4096, "%s/%s", r->root, name);
    return path;
}

static void advise(struct rig *r, const char *size, const char *place)
{
    r->s.home = r->home;
    r->s.facts.dir = &r->dir;
    r->dir.root = in(r, "home/.nv/ComputeCache");
    r->s.advice[JW_ENV_SIZE] = (struct jw_env_advice){ "CUDA_CACHE_MAXSIZE", size, "because", false };
    r->s.advice[JW_ENV_PLACE] = (struct jw_env_advice){ "CUDA_CACHE_PATH", place, "because", false };
    r->s.advice[JW_ENV_OFF] = (struct jw_env_advice){ "CUDA_CACHE_DISABLE", NULL, "because", false };
}

static bool apply(struct rig *r, struct jw_env_report *out, struct jw_err *err)
{
    return jw_env_apply(&r->o, &r->s, &r->a, out, err);
}

static void applies(struct rig *r)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK(apply(r, &out, &err));
    CHECK_TEXT(err.msg, "");
}

static void undoes(struct rig *r)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK(jw_env_undo(&r->o, &r->a, &out, &err));
    CHECK_TEXT(err.msg, "");
}

static void refused(struct rig *r, const char *why)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK(!apply(r, &out, &err));
    CHECK_HAS(err.msg, why);
    CHECK(!scratch_there(in(r, "home/.config")));
}

TEST(the_machine_gets_files_of_its_own)
{
    struct rig r = begin("system");

    advise(&r, "2147483648", "/ignored");
    CHECK(mkdir(in(&r, "etc"), 0755) == 0 && mkdir(in(&r, "etc/fish"), 0755) == 0);
    r.o.scope = JW_ENV_SYSTEM;
    applies(&r);
    scratch_holds(in(&r, "etc/profile.d/jitwarm.sh"), "# Written by jitwarm env apply; jitwarm env undo "
                                                      "removes it.\nexport CUDA_CACHE_MAXSIZE=2147483648\n");
    scratch_holds(
        in(&r, "etc/environment.d/50-jitwarm.conf"),
        "# Written by jitwarm env apply; jitwarm env undo removes it.\nCUDA_CACHE_MAXSIZE=\"2147483648\"\n");
    scratch_holds(in(&r, "etc/fish/conf.d/jitwarm.fish"),
                  "# Written by jitwarm env apply; jitwarm env undo removes it.\nset -gx CUDA_CACHE_MAXSIZE "
                  "2147483648\n");
    CHECK(!scratch_there(in(&r, "etc/profile.d/jitwarm.csh")));
    undoes(&r);
    CHECK_NUM(scratch_count(in(&r, "etc/profile.d")), 0); /* the folders of /etc stay */
    CHECK_NUM(scratch_count(in(&r, "etc/environment.d")), 0);
    CHECK_NUM(scratch_count(in(&r, "etc/fish/conf.d")), 0);
    jw_arena_free(&r.a);
}

/* A folder of this machine in a home that many machines share: used where it is there and ours, made where it is missing. */
TEST(a_local_folder_is_guarded)
{
    struct rig r = begin("guarded");
    struct jw_env_report out;
    struct jw_err err = { 0 };
    const char *place = NULL;
    char line[4200];
    struct jw_buf text = JW_BUF(1 << 16);
    bool found;

    advise(&r, "2147483648", NULL);
    r.s.advice[JW_ENV_PLACE].wrong = true;
    r.s.facts.disk_known = true;
    r.s.facts.disk.kind = JW_DISK_NETWORK;
    CHECK(apply(&r, &out, &err));
    CHECK_TEXT(err.msg, "");
    for (size_t i = 0; i < out.n_settings; i++)
        if (strcmp(out.settings[i].name, "CUDA_CACHE_PATH") == 0)
            place = out.settings[i].value;
    CHECK_HAS(place ? place : "", "/var/tmp/jitwarm-");
    CHECK(place && strlen(place) == strlen("/var/tmp/jitwarm-") + 24);

    struct stat st;

    CHECK(place && stat(place, &st) == 0 && (st.st_mode & 07777) == 0700);
    CHECK(jw_file_slurp(in(&r, "home/.config/environment.d/50-jitwarm.conf"), &text, &found, &err));
    CHECK(!strstr(jw_buf_cstr(&text), "CUDA_CACHE_PATH")); /* where nothing can be asked */
    jw_buf_free(&text);
    (void)snprintf(line, sizeof line,
                   "rmdir '%s'; . '%s/.config/jitwarm/env.sh'; test \"$CUDA_CACHE_PATH\" = '%s' -a \"$(stat "
                   "-c %%a '%s')\" = 700",
                   place, r.home, place, place);
    CHECK(system(line) == 0); /* made again */
    (void)snprintf(line, sizeof line,
                   "rmdir '%s'; ln -s / '%s'; . '%s/.config/jitwarm/env.sh'; test -z \"$CUDA_CACHE_PATH\"",
                   place, place, r.home);
    CHECK(system(line) == 0); /* a link of somebody's */
    (void)snprintf(line, sizeof line, "rm '%s'; mkdir '%s'", place, place);
    CHECK(system(line) == 0);
    applies(&r); /* the same folder again */
    CHECK_NUM(r.o.dry_run, false);
    undoes(&r);
    CHECK(place && stat(place, &st) != 0);
    jw_arena_free(&r.a);
}

TEST(a_folder_that_others_may_fill_is_refused)
{
    struct rig r = begin("open");

    CHECK(mkdir(in(&r, "cache"), 0700) == 0 && chmod(in(&r, "cache"), 0777) == 0);
    advise(&r, "2147483648", in(&r, "cache"));
    refused(&r, "everybody may write to it");
    CHECK(chmod(in(&r, "cache"), 0700) == 0);
    applies(&r);
    undoes(&r);
    CHECK(scratch_there(in(&r, "cache"))); /* it was the user's */
    jw_arena_free(&r.a);
}

TEST(rights_of_a_file_are_kept)
{
    struct rig r = begin("rights");
    struct stat before, after;

    advise(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1");
    CHECK(chmod(in(&r, "home/.profile"), 0641) == 0);
    if (geteuid() == 0)
        CHECK(chown(in(&r, "home/.profile"), 0, 12) == 0);
    CHECK(stat(in(&r, "home/.profile"), &before) == 0);
    applies(&r);
    CHECK(stat(in(&r, "home/.profile"), &after) == 0);
    CHECK(before.st_ino != after.st_ino && before.st_mode == after.st_mode && before.st_gid == after.st_gid
          && before.st_uid == after.st_uid);
    scratch_holds(in(&r, "home/.profile"), "x=1\n" JOINT_LINE);
    undoes(&r);
    scratch_holds(in(&r, "home/.profile"), "x=1");
    CHECK(stat(in(&r, "home/.profile"), &after) == 0 && before.st_mode == after.st_mode
          && before.st_gid == after.st_gid);
    jw_arena_free(&r.a);
}

TEST(files_of_others_are_left_alone)
{
    struct rig r = begin("others");

    if (geteuid() != 0)
        SKIP("only root can give a file away");
    advise(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1\n");
    CHECK(chown(in(&r, "home/.profile"), 65534, 65534) == 0);
    refused(&r, "run jitwarm as that user");
    CHECK(chown(in(&r, "home/.profile"), 0, 0) == 0 && chown(r.home, 65534, 65534) == 0);
    refused(&r, "its folder belongs to another user");
    jw_arena_free(&r.a);
}

/* ---- without rights ---- */

static void prepare_locked(const char *folder)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/home", folder);
    CHECK(mkdir(path, 0755) == 0);
    (void)snprintf(path, sizeof path, "%s/home/.profile", folder);
    scratch_write(path, "x=1\n");
}

static void apply_without_rights(const char *folder)
{
    struct rig r = { .o = { .unchecked = true, .proc = "/nowhere", .sysroot = "" }, .root = folder };
    struct jw_env_report out;
    struct jw_err err = { 0 };

    r.home = in(&r, "home");
    advise(&r, "2147483648", NULL);
    CHECK(!apply(&r, &out, &err));
    CHECK_HAS(err.msg, "belongs to");
    r.o.scope = JW_ENV_SYSTEM;
    r.o.sysroot = folder;
    err = (struct jw_err){ 0 };
    CHECK(!apply(&r, &out, &err));
    CHECK_HAS(err.msg, "permission denied");
    scratch_holds(in(&r, "home/.profile"), "x=1\n");
    jw_arena_free(&r.a);
}

static void prepare_read_only(const char *folder)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/home", folder);
    CHECK(mkdir(path, 0755) == 0);
}

static void apply_read_only(const char *folder)
{
    struct rig r = { .o = { .unchecked = true, .proc = "/nowhere", .sysroot = folder }, .root = folder };
    struct jw_env_report out;
    struct jw_err err = { 0 };
    struct stat st;

    r.home = in(&r, "home");
    advise(&r, "2147483648", NULL);
    r.s.advice[JW_ENV_PLACE].wrong = true;
    r.s.facts.disk_known = true;
    r.s.facts.disk.kind = JW_DISK_NETWORK;
    CHECK(!apply(&r, &out, &err));
    CHECK_HAS(err.msg, "permission denied");
    CHECK(!out.begun);
    for (size_t i = 0; i < out.n_settings; i++)
        CHECK(strcmp(out.settings[i].name, "CUDA_CACHE_PATH") != 0 || stat(out.settings[i].value, &st) != 0);
    CHECK_NUM(out.n_settings, 2);
    jw_arena_free(&r.a);
}

TEST(nothing_is_left_of_an_apply_to_a_read_only_home)
{
    as_nobody(apply_read_only, prepare_read_only);
}

TEST(a_home_of_somebody_else_is_not_written_to)
{
    if (geteuid() != 0)
        SKIP("only root can make a home of another's");
    as_nobody(apply_without_rights, prepare_locked);
}

/* ---- every step failing ---- */

static bool is_either(const char *path, const char *one, const char *other)
{
    struct jw_buf text = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool found, ok = jw_file_slurp(path, &text, &found, &err);
    const char *is = found ? jw_buf_cstr(&text) : "(none)";

    ok = ok && (strcmp(is, one) == 0 || strcmp(is, other) == 0);
    if (!ok)
        printf("%s is:\n%s\n", path, is);
    jw_buf_free(&text);
    return ok;
}

static void is_old_or_new(struct rig *r)
{
    CHECK(is_either(in(r, "home/.profile"), "x=1", "x=1\n" JOINT_LINE));
    CHECK(is_either(in(r, "home/.config/jitwarm/env.sh"), "(none)",
                    "# Written by jitwarm env apply; jitwarm env undo removes it.\nexport "
                    "CUDA_CACHE_MAXSIZE=2147483648\n"));
    CHECK(is_either(
        in(r, "home/.config/environment.d/50-jitwarm.conf"), "(none)",
        "# Written by jitwarm env apply; jitwarm env undo removes it.\nCUDA_CACHE_MAXSIZE=\"2147483648\"\n"));
}

/* Killed while it wrote the first file: what it had in the making goes, and with it the folders that it made. */
TEST(undo_takes_what_a_killed_run_had_in_the_making)
{
    struct rig r = begin("killed");

    advise(&r, "2147483648", NULL);
    applies(&r);
    CHECK(rename(in(&r, "home/.config/jitwarm/env.sh"),
                 in(&r, "home/.config/jitwarm/.env.sh.jw-999999999-1.tmp"))
          == 0);
    undoes(&r);
    CHECK(!scratch_there(in(&r, "home/.config/jitwarm")));
    CHECK(!scratch_there(in(&r, "home/.config")));
    jw_arena_free(&r.a);
}

/* The n-th fault point of one or the other; then undone in peace, all is as it was. False: there are not so many. */
static bool fail_one(unsigned long nth, bool undo)
{
    struct rig r = begin("faults");
    struct jw_env_report out;
    struct jw_err err = { 0 };
    bool ok, fired;

    advise(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1");
    if (undo)
        applies(&r);
    jw_fault_arm(nth);
    ok = undo ? jw_env_undo(&r.o, &r.a, &out, &err) : apply(&r, &out, &err);
    fired = jw_fault_fired();
    jw_fault_arm(0);
    CHECK(ok || err.msg[0]);
    CHECK(!(ok && err.msg[0]));
    is_old_or_new(&r);
    if (ok && !undo)
        scratch_holds(in(&r, "home/.profile"), "x=1\n" JOINT_LINE);
    undoes(&r);
    scratch_holds(in(&r, "home/.profile"), "x=1");
    CHECK(!scratch_there(in(&r, "home/.config/jitwarm/env.sh"))); /* an empty folder may be left */
    CHECK(!scratch_there(in(&r, "home/.config/environment.d/50-jitwarm.conf")));
    jw_arena_free(&r.a);
    return fired;
}

TEST(every_fault_of_apply_leaves_old_or_new)
{
    unsigned long nth = 1;

    while (fail_one(nth, false) && nth < 5000)
        nth++;
    CHECK(nth > 25 && nth < 5000);
}

TEST(every_fault_of_undo_leaves_old_or_new)
{
    unsigned long nth = 1;

    while (fail_one(nth, true) && nth < 5000)
        nth++;
    CHECK(nth > 20 && nth < 5000);
}

/* ---- what wwritten by an earlier env apply ---- */

TEST(an_advice_that_is_less_leaves_what_was_written)
{
    struct rig r = begin("before");
    struct jw_env_report out;
    struct jw_err err = { 0 };

    advise(&r, "2147483648", NULL);
    applies(&r);
    advise(&r, "1073741824", NULL);
    CHECK(apply(&r, &out, &err));
    CHECK(out.nothing);
    CHECK_TEXT(out.settings[0].why, "written by an earlier env apply");
    r.o.size_asked = true;
    CHECK(apply(&r, &out, &err));
    CHECK_TEXT(out.settings[0].value, "1073741824");
    r.o.size_asked = false;
    advise(&r, "4294967296", NULL); /* more is needed by now */
    CHECK(apply(&r, &out, &err));
    CHECK_TEXT(out.settings[0].value, "4294967296");
    cache_env("SHELL", "/usr/bin/fish"); /* what an earlier shell had goes, too */
    applies(&r);
    CHECK(scratch_there(in(&r, "home/.config/fish/conf.d/jitwarm.fish")));
    undoes(&r);
    CHECK_NUM(scratch_count(r.home), 0);
    jw_arena_free(&r.a);
}

/* It keeps bash from reading ~/.profile. */
TEST(an_empty_file_is_not_removed)
{
    struct rig r = begin("empty");

    scratch_write(in(&r, "home/.bash_profile"), "");
    advise(&r, "2147483648", NULL);
    applies(&r);
    scratch_holds(in(&r, "home/.bash_profile"), "\n" JOINT_LINE);
    undoes(&r);
    scratch_holds(in(&r, "home/.bash_profile"), "");
    CHECK_NUM(scratch_count(r.home), 1);
    jw_arena_free(&r.a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(the_machine_gets_files_of_its_own), T(a_local_folder_is_guarded),
               T(a_folder_that_others_may_fill_is_refused), T(rights_of_a_file_are_kept),
               T(files_of_others_are_left_alone), T(a_home_of_somebody_else_is_not_written_to),
               T(nothing_is_left_of_an_apply_to_a_read_only_home),
               T(undo_takes_what_a_killed_run_had_in_the_making), T(every_fault_of_apply_leaves_old_or_new),
               T(every_fault_of_undo_leaves_old_or_new), T(an_advice_that_is_less_leaves_what_was_written),
               T(an_empty_file_is_not_removed));
}
