/* A home, a machine and environments of the test's own: put, taken back, and every step in between failing. */
#include "base/fault.h"
#include "check.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#include "setup/env/env_apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BEGIN "# >>> jitwarm env >>>"
#define END "# <<< jitwarm env <<<\n"
#define PROFILE BEGIN "\nexport CUDA_CACHE_MAXSIZE=2147483648\n" END
#define JOINT_PROFILE BEGIN " (and the line break before it)\nexport CUDA_CACHE_MAXSIZE=2147483648\n" END
#define CONF BEGIN "\nCUDA_CACHE_MAXSIZE=\"2147483648\"\n" END

struct rig {
    struct jw_arena a;
    struct jw_env_options o;
    struct jw_env_setting wanted[JW_ENV_VARIABLES];
    size_t n;
    const char *root, *home;
    const char *sysroot; /* NULL: this system's */
};

/* Of a user of bash, with nothing set and nothing measured. */
static struct rig begin(const char *name)
{
    struct rig r = { .o = { .unchecked = true } };

    scratch_empty(scratch(name));
    r.root = tree_dir(&r.a, name);
    r.sysroot = r.root;
    r.home = jw_arena_alloc(&r.a, 4096);
    (void)snprintf((char *)(uintptr_t)r.home, 4096, "%s/home", r.root);
    CHECK(mkdir(r.home, 0755) == 0);
    set_variable("HOME", r.home);
    set_variable("SHELL", "/bin/bash");
    set_variable("ZDOTDIR", NULL);
    return r;
}

static const char *in(struct rig *r, const char *name)
{
    char *path = jw_arena_alloc(&r->a, 4096);

    (void)snprintf(path, 4096, "%s/%s", r->root, name);
    return path;
}

static void want(struct rig *r, const char *size, const char *place)
{
    r->n = 0;
    if (size)
        r->wanted[r->n++] = (struct jw_env_setting){ "CUDA_CACHE_MAXSIZE", size, "because", false };
    if (place)
        r->wanted[r->n++] = (struct jw_env_setting){ "CUDA_CACHE_PATH", place, "because", false };
}

static bool apply(struct rig *r, struct jw_env_report *out, struct jw_err *err)
{
    struct jw_session s = { .a = &r->a, .sysroot = r->sysroot };

    return jw_env_apply(&s, &r->o, r->wanted, r->n, out, err);
}

static void applies(struct rig *r)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK_OK(apply(r, &out, &err), err);
}

static void undoes(struct rig *r)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK_OK(jw_env_undo(&(struct jw_session){ .a = &r->a, .sysroot = r->sysroot }, &r->o, &out, &err), err);
}

static void refused(struct rig *r, const char *why)
{
    struct jw_env_report out;
    struct jw_err err = { 0 };

    CHECK_REFUSED(apply(r, &out, &err), err, why);
    CHECK(!scratch_there(in(r, "home/.config")));
}

TEST(the_machine_gets_files_of_its_own)
{
    struct rig r = begin("system");

    want(&r, "2147483648", "/ignored");
    CHECK(mkdir(in(&r, "etc"), 0755) == 0 && mkdir(in(&r, "etc/fish"), 0755) == 0);
    r.o.system = true;
    applies(&r);
    scratch_holds(in(&r, "etc/profile.d/jitwarm.sh"), PROFILE);
    scratch_holds(in(&r, "etc/environment.d/50-jitwarm.conf"), CONF);
    scratch_holds(in(&r, "etc/fish/conf.d/jitwarm.fish"),
                  BEGIN "\nset -gx CUDA_CACHE_MAXSIZE 2147483648\n" END);
    undoes(&r);
    CHECK_NUM(scratch_count(in(&r, "etc/profile.d")), 0); /* the folders of /etc stay */
    CHECK_NUM(scratch_count(in(&r, "etc/environment.d")), 0);
    CHECK_NUM(scratch_count(in(&r, "etc/fish/conf.d")), 0);
    jw_arena_free(&r.a);
}

/* People who keep dotfiles behind links keep them in a place of their own, maybe under version control. */
TEST(a_link_is_not_followed)
{
    struct rig r = begin("link");

    want(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/dotfile"), "x=1\n");
    CHECK(symlink("dotfile", in(&r, "home/.profile")) == 0);
    refused(&r, "is a link");
    scratch_holds(in(&r, "home/dotfile"), "x=1\n");
    CHECK(unlink(in(&r, "home/.profile")) == 0 && symlink("nowhere", in(&r, "home/.profile")) == 0);
    refused(&r, "is a link");
    jw_arena_free(&r.a);
}

/* A new file would not have it, and its mode would say something else. */
TEST(a_file_with_an_access_list_is_left_alone)
{
    /* version 2; user::rw- user:1234:rw- group::r-- mask::rw- other::r-- */
    static const uint8_t list[] = { 2,    0,    0,    0,    1,    0,    6,    0,    0xff, 0xff, 0xff,
                                    0xff, 2,    0,    6,    0,    0xd2, 4,    0,    0,    4,    0,
                                    4,    0,    0xff, 0xff, 0xff, 0xff, 0x10, 0,    6,    0,    0xff,
                                    0xff, 0xff, 0xff, 0x20, 0,    4,    0,    0xff, 0xff, 0xff, 0xff };
    struct rig r = begin("list");

    want(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1\n");
    if (setxattr(in(&r, "home/.profile"), "system.posix_acl_access", list, sizeof list, 0) != 0)
        SKIP("no access lists here");
    refused(&r, "has an access list");
    jw_arena_free(&r.a);
}

TEST(a_home_with_a_slash_at_its_end_ends_there)
{
    struct rig r = begin("slash");

    set_variable("HOME", in(&r, "home/"));
    want(&r, "2147483648", NULL);
    applies(&r);
    undoes(&r);
    CHECK_NUM(scratch_count(r.home), 0);
    jw_arena_free(&r.a);
}

TEST(a_folder_that_others_may_fill_is_refused)
{
    struct rig r = begin("open");

    CHECK(mkdir(in(&r, "cache"), 0700) == 0 && chmod(in(&r, "cache"), 0777) == 0);
    want(&r, "2147483648", in(&r, "cache"));
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

    want(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1");
    CHECK(chmod(in(&r, "home/.profile"), 0641) == 0);
    if (geteuid() == 0)
        CHECK(chown(in(&r, "home/.profile"), 0, 12) == 0);
    CHECK(stat(in(&r, "home/.profile"), &before) == 0);
    applies(&r);
    CHECK(stat(in(&r, "home/.profile"), &after) == 0);
    CHECK(before.st_ino != after.st_ino && before.st_mode == after.st_mode && before.st_gid == after.st_gid
          && before.st_uid == after.st_uid);
    scratch_holds(in(&r, "home/.profile"), "x=1\n" JOINT_PROFILE);
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
    want(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1\n");
    CHECK(chown(in(&r, "home/.profile"), 65534, 65534) == 0);
    refused(&r, "run jitwarm as that user");
    CHECK(chown(in(&r, "home/.profile"), 0, 0) == 0 && chown(r.home, 65534, 65534) == 0);
    refused(&r, "belongs to user 65534");
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
    struct rig r = { .o = { .unchecked = true }, .root = folder };
    struct jw_env_report out;
    struct jw_err err = { 0 };

    set_variable("HOME", in(&r, "home"));
    want(&r, "2147483648", NULL);
    CHECK_REFUSED(apply(&r, &out, &err), err, "belongs to");
    r.o.system = true;
    r.sysroot = folder;
    err = (struct jw_err){ 0 };
    CHECK_REFUSED(apply(&r, &out, &err), err, "permission denied");
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
    struct rig r = { .o = { .unchecked = true }, .root = folder, .sysroot = folder };
    struct jw_env_report out;
    struct jw_err err = { 0 };

    set_variable("HOME", in(&r, "home"));
    want(&r, "2147483648", NULL);
    CHECK_REFUSED(apply(&r, &out, &err), err, "permission denied");
    CHECK_NUM(scratch_count(in(&r, "home")), 0);
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
    CHECK(is_either(in(r, "home/.profile"), "x=1", "x=1\n" JOINT_PROFILE));
    CHECK(is_either(in(r, "home/.config/environment.d/50-jitwarm.conf"), "(none)", CONF));
}

/* Killed while it wrote the first file: what it had in the making goes, and with it the folders that it made. */
TEST(undo_takes_what_a_killed_run_had_in_the_making)
{
    struct rig r = begin("killed");

    want(&r, "2147483648", NULL);
    applies(&r);
    CHECK(rename(in(&r, "home/.config/environment.d/50-jitwarm.conf"),
                 in(&r, jw_arena_printf(
                            &r.a, "home/.config/environment.d/.50-jitwarm.conf.jw-%08lx-999999999-1.tmp",
                            (unsigned long)jw_sys_system())))
          == 0);
    undoes(&r);
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

    want(&r, "2147483648", NULL);
    scratch_write(in(&r, "home/.profile"), "x=1");
    if (undo)
        applies(&r);
    jw_fault_arm(nth);
    ok = undo ? jw_env_undo(&(struct jw_session){ .a = &r.a, .sysroot = r.sysroot }, &r.o, &out, &err)
              : apply(&r, &out, &err);
    fired = jw_fault_fired();
    jw_fault_arm(0);
    CHECK(ok || err.msg[0]);
    CHECK(!(ok && err.msg[0]));
    is_old_or_new(&r);
    if (ok && !undo)
        scratch_holds(in(&r, "home/.profile"), "x=1\n" JOINT_PROFILE);
    undoes(&r);
    scratch_holds(in(&r, "home/.profile"), "x=1");
    CHECK(!scratch_there(
        in(&r, "home/.config/environment.d/50-jitwarm.conf"))); /* an empty folder may be left */
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

/* ---- what was written by an earlier env apply ---- */

TEST(an_advice_that_is_less_leaves_what_was_written)
{
    struct rig r = begin("before");
    struct jw_env_report out;
    struct jw_err err = { 0 };

    want(&r, "2147483648", NULL);
    applies(&r);
    want(&r, "1073741824", NULL);
    CHECK(apply(&r, &out, &err));
    CHECK(out.nothing);
    CHECK_TEXT(out.settings[0].why, "written by an earlier env apply");
    r.wanted[0].asked = true;
    CHECK(apply(&r, &out, &err));
    CHECK_TEXT(out.settings[0].value, "1073741824");
    want(&r, "4294967296", NULL); /* more is needed by now */
    CHECK(apply(&r, &out, &err));
    CHECK_TEXT(out.settings[0].value, "4294967296");
    set_variable("SHELL", "/usr/bin/fish"); /* what an earlier shell had goes, too */
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
    want(&r, "2147483648", NULL);
    applies(&r);
    scratch_holds(in(&r, "home/.bash_profile"), "\n" JOINT_PROFILE);
    undoes(&r);
    scratch_holds(in(&r, "home/.bash_profile"), "");
    CHECK_NUM(scratch_count(r.home), 1);
    jw_arena_free(&r.a);
}
