#include "check.h"
#include "os/files/file.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_file(const char *path, bool replace, const char *text, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, replace, err) && jw_out_write(&out, text, strlen(text), err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok;
}

TEST(the_umask_decides_who_may_read)
{
    struct jw_err err = { 0 };
    struct stat st;
    mode_t before = umask(027);

    CHECK(write_file(scratch("mode"), true, "", &err));
    CHECK(stat(scratch("mode"), &st) == 0);
    CHECK_NUM(st.st_mode & 0777, 0640);
    (void)umask(before);
}

TEST(a_link_stays_and_its_file_changes)
{
    struct jw_err err = { 0 };
    struct stat st;

    CHECK(mkdir(scratch("real"), 0755) == 0);
    scratch_write(scratch("real/file"), "old");
    CHECK(symlink("real/file", scratch("link")) == 0 && symlink("nowhere", scratch("dangling")) == 0);
    CHECK(write_file(scratch("link"), true, "new", &err));
    CHECK(lstat(scratch("link"), &st) == 0 && S_ISLNK(st.st_mode));
    scratch_holds(scratch("real/file"), "new");
    CHECK_NUM(scratch_count(scratch("real")), 1);

    CHECK(!write_file(scratch("link"), false, "x", &err));
    CHECK_TEXT(err.msg, "already exists");
    CHECK(!write_file(scratch("dangling"), true, "x", &err));
    CHECK_TEXT(err.msg, "is a link to nothing");
}

TEST(devices_are_never_replaced)
{
    struct jw_err err = { 0 };
    struct stat st;

    CHECK(!write_file("/dev/null", true, "x", &err));
    CHECK_TEXT(err.msg, "is not a regular file");
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(mkfifo(scratch("pipe"), 0600) == 0);
    CHECK(!write_file(scratch("pipe"), true, "x", &err));
    CHECK_TEXT(err.msg, "is not a regular file");
}

static void nothing(const char *folder)
{
    (void)folder;
}

static void forbid(const char *folder)
{
    CHECK(chmod(folder, 0555) == 0);
}

static void not_in_a_folder_of_others(const char *folder)
{
    struct jw_err err = { 0 };
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/new", folder);
    CHECK(!write_file(path, false, "x", &err));
    CHECK_TEXT(err.msg, "permission denied");
    CHECK_NUM(err.os, EACCES);
    CHECK_NUM(scratch_count(folder), 0);
}

TEST(rights_are_asked_of_the_system)
{
    as_nobody(not_in_a_folder_of_others, geteuid() == 0 ? nothing : forbid);
}

/* In a mount namespace of its own, so that nothing stays mounted. 77: cannot be done here. */
static int on_a_small_disk(void)
{
    struct jw_err err = { 0 };
    struct jw_out out = { 0 };
    char block[4096] = { 0 };
    bool full = false;

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mkdir(scratch("disk"), 0755) != 0 || mount("jw", scratch("disk"), "tmpfs", 0, "size=64k") != 0)
        return 77;
    CHECK(jw_out_open(&out, scratch("disk/a"), false, &err));
    for (int i = 0; i < 32 && !full; i++)
        full = !jw_out_write(&out, block, sizeof block, &err);
    CHECK(full);
    CHECK_TEXT(err.msg, "the disk is full");
    CHECK_NUM(err.os, ENOSPC);
    CHECK_NUM(err.code, JW_E_IO);
    jw_out_close(&out);
    CHECK_NUM(scratch_count(scratch("disk")), 0);
    return full && strcmp(err.msg, "the disk is full") == 0 && scratch_count(scratch("disk")) == 0 ? 0 : 1;
}

TEST(a_full_disk_is_told_and_cleaned)
{
    int status = -1;

    if (geteuid() != 0)
        SKIP("mounting a small disk needs root");

    pid_t pid = fork();

    if (pid == 0)
        _exit(on_a_small_disk());
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        SKIP("this system does not let root mount a tmpfs");
    CHECK_NUM(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(the_umask_decides_who_may_read), T(a_link_stays_and_its_file_changes),
               T(devices_are_never_replaced), T(rights_are_asked_of_the_system),
               T(a_full_disk_is_told_and_cleaned));
}
