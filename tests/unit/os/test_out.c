#include "check.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "rigs/faults.h"
#include "rigs/scratch.h"

static bool write_file(const char *path, bool replace, const char *text, struct jw_err *err)
{
    struct jw_bytes bytes = {(const uint8_t *)text, strlen(text)};

    return jw_file_put(path, replace ? JW_OUT_REPLACE : JW_OUT_NEW, bytes, err);
}

/* An empty folder "new". */
static void fresh(void)
{
    scratch_empty(scratch("new"));
    CHECK(jw_make_dirs(scratch("new"), JW_IGNORED));
}

EACH(fresh, NULL)

TEST(committed_bytes_are_there_and_nothing_else)
{
    struct jw_out out;

    CHECK(jw_out_open(&out, scratch("new/a"), JW_OUT_NEW, &err));
    CHECK(!scratch_there(scratch("new/a")));
    CHECK_NUM(scratch_count(scratch("new")), 1);

    struct jw_sink sink = jw_out_sink(&out);

    CHECK(sink.put(sink.ctx, "he", 2, &err) && jw_out_write(&out, "llo", 3, &err));
    CHECK(jw_out_write(&out, "", 0, &err));
    CHECK(jw_out_close(&out, true, &err));
    scratch_holds(scratch("new/a"), "hello");
    CHECK_NUM(scratch_count(scratch("new")), 1);
}

TEST(what_is_not_committed_leaves_nothing)
{
    struct jw_out out, zeroed = {0};

    CHECK(jw_out_open(&out, scratch("new/a"), JW_OUT_NEW, &err)
          && jw_out_write(&out, "x", 1, &err));
    CHECK(!jw_out_close(&out, false, &err));
    CHECK(!jw_out_close(&out, false, &err));
    CHECK(!jw_out_close(&zeroed, false, &err));
    CHECK_NUM(scratch_count(scratch("new")), 0);
}

TEST(a_taken_name_is_not_replaced_unasked)
{
    struct jw_out out;

    CHECK(jw_out_open(&out, scratch("new/a"), JW_OUT_NEW, &err)
          && jw_out_write(&out, "late", 4, &err));
    scratch_write(scratch("new/a"), "first");
    CHECK_SAYS(jw_out_close(&out, true, &err), err, "already exists");
    CHECK_NUM(err.code, JW_E_IO);
    CHECK(!jw_out_close(&out, false, &err));

    err.msg[0] = '\0';
    CHECK_SAYS(write_file(scratch("new/a"), false, "again", &err), err, "already exists");
    scratch_holds(scratch("new/a"), "first");
    CHECK_NUM(scratch_count(scratch("new")), 1);
}

TEST(replaces_when_asked)
{
    CHECK(write_file(scratch("new/a"), false, "a longer first text", &err));
    CHECK(write_file(scratch("new/a"), true, "second", &err));
    scratch_holds(scratch("new/a"), "second");
    CHECK_NUM(scratch_count(scratch("new")), 1);
}

TEST(what_is_not_there_can_be_removed)
{
    scratch_write(scratch("gone"), "");
    CHECK(jw_file_remove(scratch("gone"), &err) && !scratch_there(scratch("gone")));
    CHECK(jw_file_remove(scratch("gone"), &err));
    CHECK_OK(jw_file_remove(scratch("no/such/folder"), &err), err);
}

TEST(two_writers_of_one_name_do_not_meet)
{
    struct jw_out one, two;

    CHECK(jw_out_open(&one, scratch("new/a"), JW_OUT_REPLACE, &err)
          && jw_out_open(&two, scratch("new/a"), JW_OUT_REPLACE, &err));
    CHECK(jw_out_write(&one, "one", 3, &err) && jw_out_write(&two, "two", 3, &err));
    CHECK(jw_out_close(&two, true, &err) && jw_out_close(&one, true, &err));
    scratch_holds(scratch("new/a"), "one");
    CHECK_NUM(scratch_count(scratch("new")), 1);
}

/* A name as of this process's temporary files, with another system or process in it. */
static void temp_of(uint32_t system, unsigned long pid)
{
    char name[80];

    (void)snprintf(name, sizeof name, "new/.jw-%08lx-%lu-0.tmp", (unsigned long)system, pid);
    CHECK(write_file(scratch(name), false, "x", JW_IGNORED));
}

TEST(what_killed_processes_left_is_swept)
{
    enum { NOBODY = 0x7ffffff0 };
    uint32_t here = jw_boot_id();
    struct jw_out out;

    CHECK(jw_out_open(&out, scratch("new/a"), JW_OUT_REPLACE,
                      &err)); /* that of a process that lives */
    temp_of(here, NOBODY);
    temp_of(here + 1, NOBODY); /* another system's, and young */
    CHECK(write_file(scratch("new/.jw-notes.tmp"), false, "x", &err));
    CHECK(write_file(scratch("new/a.jw-0-1-0.tmp"), false, "x", &err));
    jw_out_sweep(scratch("new"));
    CHECK_NUM(scratch_count(scratch("new")), 4);
    CHECK(!jw_out_close(&out, false, &err));
    CHECK_NUM(scratch_count(scratch("new")), 3);
    jw_out_sweep(scratch("nowhere"));
}

TEST(names_that_cannot_be_files_are_refused)
{
    CHECK_SAYS(write_file(scratch("new"), true, "", &err), err, "is a folder");
    CHECK_SAYS(write_file(scratch("new/"), true, "", &err), err, "is a folder");
    CHECK_SAYS(write_file("", true, "", &err), err, "the name is empty");
    CHECK_SAYS(write_file(scratch("new/missing/a"), true, "", &err), err, "no such file");
    CHECK_NUM(scratch_count(scratch("new")), 0);
}

TEST(a_file_without_a_folder_in_its_name)
{
    CHECK(write_file("jw-test-out.tmp", true, "here", &err));
    scratch_holds("jw-test-out.tmp", "here");
    CHECK(remove("jw-test-out.tmp") == 0);
}

TEST(every_fault_of_a_write_is_told_and_leaves_nothing)
{
    EACH_FAULT (f, 1) {
        bool ok = FAULTED(f, write_file(scratch("new/a"), false, "text", &err));

        CHECK(ok == !f.fired);
        CHECK(ok || (err.msg[0] && err.code));
        CHECK_NUM(scratch_count(scratch("new")), ok ? 1 : 0);
        CHECK(f.fired || f.nth > 4);
    }
    scratch_holds(scratch("new/a"), "text");
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(the_umask_decides_who_may_read)
{
    struct stat st;
    mode_t before = umask(027);

    CHECK(write_file(scratch("mode"), true, "", &err));
    CHECK(stat(scratch("mode"), &st) == 0);
    CHECK_NUM(st.st_mode & 0777, 0640);
    (void)umask(0);
    for (unsigned how = JW_OUT_PRIVATE; how <= (JW_OUT_PRIVATE | JW_OUT_FAST); how += JW_OUT_FAST) {
        CHECK(jw_file_put(scratch("mode"), JW_OUT_REPLACE | how, JW_BYTES("mine"), &err));
        CHECK(stat(scratch("mode"), &st) == 0);
        CHECK_NUM(st.st_mode & 0777, 0600);
        scratch_holds(scratch("mode"), "mine");
    }
    (void)umask(before);
}

TEST(a_link_stays_and_its_file_changes)
{
    struct stat st;

    CHECK(mkdir(scratch("real"), 0755) == 0);
    scratch_write(scratch("real/file"), "old");
    CHECK(symlink("real/file", scratch("link")) == 0
          && symlink("nowhere", scratch("dangling")) == 0);
    CHECK(write_file(scratch("link"), true, "new", &err));
    CHECK(lstat(scratch("link"), &st) == 0 && S_ISLNK(st.st_mode));
    scratch_holds(scratch("real/file"), "new");
    CHECK_NUM(scratch_count(scratch("real")), 1);

    CHECK_SAYS(write_file(scratch("link"), false, "x", &err), err, "already exists");
    CHECK_SAYS(write_file(scratch("dangling"), true, "x", &err), err, "is a link to nothing");
}

TEST(devices_are_never_replaced)
{
    struct stat st;

    CHECK_SAYS(write_file("/dev/null", true, "x", &err), err, "is not a regular file");
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(mkfifo(scratch("pipe"), 0600) == 0);
    CHECK_SAYS(write_file(scratch("pipe"), true, "x", &err), err, "is not a regular file");
}

static void nothing(const char *folder) { (void)folder; }

static void forbid(const char *folder) { CHECK(chmod(folder, 0555) == 0); }

static void not_in_a_folder_of_others(const char *folder)
{
    struct jw_err err = {0};
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/new", folder);
    CHECK_SAYS(write_file(path, false, "x", &err), err, "permission denied");
    CHECK_NUM(err.os, EACCES);
    CHECK_NUM(scratch_count(folder), 0);
}

TEST(rights_are_asked_of_the_system)
{
    as_nobody(not_in_a_folder_of_others, geteuid() == 0 ? nothing : forbid);
}

static void on_a_small_disk(void)
{
    struct jw_err err = {0};
    struct jw_out out = {0};
    char block[4096] = {0};
    bool full = false;

    if (!mount_at(scratch("disk"), "size=64k"))
        SKIP("no tmpfs");
    CHECK(jw_out_open(&out, scratch("disk/a"), JW_OUT_NEW, &err));
    for (int i = 0; i < 32 && !full; i++)
        full = !jw_out_write(&out, block, sizeof block, &err);
    CHECK(full);
    CHECK_TEXT(err.msg, "the disk is full");
    CHECK_NUM(err.os, ENOSPC);
    CHECK_NUM(err.code, JW_E_IO);
    CHECK(!jw_out_close(&out, false, &err));
    CHECK_NUM(scratch_count(scratch("disk")), 0);
}

TEST(a_full_disk_is_told_and_cleaned) { in_child("on_a_small_disk", on_a_small_disk); }

#endif
