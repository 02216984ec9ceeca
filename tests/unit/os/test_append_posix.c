#include "check.h"
#include "os/files/append.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(it_is_this_users_alone_whatever_the_umask)
{
    struct jw_err err = { 0 };
    struct jw_append f;
    struct stat st;
    mode_t before = umask(0);

    CHECK(jw_append_open(&f, scratch("mode"), &err));
    jw_append_close(&f);
    CHECK(stat(scratch("mode"), &st) == 0);
    CHECK_NUM(st.st_mode & 0777, 0600);
    (void)umask(before);
}

TEST(pipes_and_devices_are_refused)
{
    struct jw_err err = { 0 };
    struct jw_append f;

    CHECK(mkfifo(scratch("pipe"), 0600) == 0);
    CHECK(!jw_append_open(&f, scratch("pipe"), &err));
    CHECK_TEXT(err.msg, "is not a regular file");
    CHECK(!jw_append_open(&f, "/dev/null", &err));
    CHECK_TEXT(err.msg, "is not a regular file");
    CHECK(!jw_append_open(&f, scratch(""), &err));
    CHECK_TEXT(err.msg, "is a folder");
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
    struct jw_append f;
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/new", folder);
    CHECK(!jw_append_open(&f, path, &err));
    CHECK_TEXT(err.msg, "permission denied");
    CHECK_NUM(err.os, EACCES);
}

TEST(rights_are_asked_of_the_system)
{
    as_nobody(not_in_a_folder_of_others, geteuid() == 0 ? nothing : forbid);
}

/* In a mount namespace of its own, so that nothing stays mounted. 77: cannot be done here. */
static int on_a_small_disk(void)
{
    static char block[5000];
    struct jw_err err = { 0 };
    struct jw_append f;
    struct stat st;
    int written = 0;

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mkdir(scratch("disk"), 0755) != 0 || mount("jw", scratch("disk"), "tmpfs", 0, "size=64k") != 0)
        return 77;
    CHECK(jw_append_open(&f, scratch("disk/log"), &err));
    while (written < 32 && jw_append_write(&f, block, sizeof block, &err))
        written++;
    if (written < 5 || written == 32 || err.os != ENOSPC || strcmp(err.msg, "the disk is full") != 0)
        return 1;
    /* What went in before the disk was full is not left behind the whole ones. */
    if (f.torn || stat(scratch("disk/log"), &st) != 0 || st.st_size != (off_t)written * (off_t)sizeof block)
        return 2;
    jw_append_close(&f);
    return 0;
}

TEST(a_full_disk_is_told_and_leaves_nothing_torn)
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
    return RUN(argc, argv, T(it_is_this_users_alone_whatever_the_umask), T(pipes_and_devices_are_refused),
               T(rights_are_asked_of_the_system), T(a_full_disk_is_told_and_leaves_nothing_torn));
}
