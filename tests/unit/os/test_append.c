#include "base/fault.h"
#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

static bool put(struct jw_append *f, const char *text, struct jw_err *err)
{
    return jw_append_write(f, text, strlen(text), err);
}

TEST(what_is_written_comes_at_the_end)
{
    struct jw_err err = { 0 };
    struct jw_append f, closed = JW_APPEND_CLOSED;

    CHECK(jw_append_open(&f, scratch("log"), &err));
    CHECK_NUM(f.size, 0);
    CHECK(put(&f, "one ", &err) && put(&f, "", &err) && put(&f, "two ", &err));
    CHECK_NUM(f.size, 8);
    scratch_holds(scratch("log"), "one two ");
    jw_append_close(&f);
    jw_append_close(&f);
    jw_append_close(&closed);

    CHECK(jw_append_open(&f, scratch("log"), &err));
    CHECK_NUM(f.size, 8);
    CHECK(put(&f, "three", &err));
    jw_append_close(&f);
    scratch_holds(scratch("log"), "one two three");
    CHECK_TEXT(err.msg, "");
}

TEST(what_was_cut_is_gone_and_the_rest_goes_on)
{
    struct jw_err err = { 0 };
    struct jw_append f;

    scratch_write(scratch("torn"), "whole, to");
    CHECK(jw_append_open(&f, scratch("torn"), &err));
    CHECK(jw_append_truncate(&f, 7, &err) && put(&f, "whole", &err));
    CHECK_NUM(f.size, 12);
    scratch_holds(scratch("torn"), "whole, whole");
    CHECK(jw_append_truncate(&f, 0, &err) && put(&f, "new", &err));
    jw_append_close(&f);
    scratch_holds(scratch("torn"), "new");
}

TEST(what_is_no_file_is_refused)
{
    struct jw_err err = { 0 };
    struct jw_append f;

    CHECK(!jw_append_open(&f, scratch(""), &err) && err.msg[0]);
    err.msg[0] = '\0';
    CHECK(!jw_append_open(&f, scratch("no/such/folder"), &err));
    CHECK_TEXT(err.msg, "no such file");
    CHECK_NUM(f.handle, -1);
}

/* A reader sees the file while it is locked, on every system. */
TEST(others_read_what_is_marked)
{
    struct jw_err err = { 0 };
    struct jw_append f;
    struct jw_file reader;
    bool taken = false;

    CHECK(jw_append_open(&f, scratch("marked"), &err));
    CHECK(jw_filelock_take_mark(f.handle, true, 0, &taken, &err) && taken);
    CHECK(put(&f, "whose it is", &err));
    scratch_holds(scratch("marked"), "whose it is");
    CHECK(jw_file_open(&reader, scratch("marked"), &err));
    CHECK(jw_filelock_take_mark(reader.handle, false, 0, &taken, &err) && !taken);
    CHECK(jw_append_truncate(&f, 0, &err) && put(&f, "again", &err));
    scratch_holds(scratch("marked"), "again");
    jw_append_close(&f);
    CHECK(jw_filelock_take_mark(reader.handle, false, 0, &taken, &err) && taken);
    jw_file_close(&reader);
    CHECK_TEXT(err.msg, "");
}

static bool session(struct jw_err *err)
{
    struct jw_append f = JW_APPEND_CLOSED;
    bool ok =
        jw_append_open(&f, scratch("f"), err) && jw_append_truncate(&f, 4, err) && put(&f, " more", err);

    jw_append_close(&f);
    return ok;
}

TEST(every_call_fails_once)
{
    scratch_write(scratch("f"), "text");
    for (unsigned long nth = 1;; nth++) {
        struct jw_err err = { 0 };
        struct jw_buf got = JW_BUF(100);
        bool found;

        jw_fault_arm(nth);

        bool ok = session(&err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok == !fired);
        CHECK(ok || (err.msg[0] && err.code));
        CHECK(jw_file_slurp(scratch("f"), &got, &found, &err) && found);
        if (!ok && strcmp(jw_buf_cstr(&got), "text") != 0)
            CHECK_TEXT(jw_buf_cstr(&got), "text more");
        jw_buf_free(&got);
        if (!fired) {
            CHECK(nth > 3);
            break;
        }
    }
    scratch_holds(scratch("f"), "text more");
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <errno.h>
#include <sys/stat.h>
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

static void on_a_small_disk(void)
{
    static char block[5000];
    struct jw_err err = { 0 };
    struct jw_append f;
    struct stat st;
    int written = 0;

    if (!mount_at(scratch("disk"), "size=64k"))
        SKIP("no tmpfs");
    CHECK(jw_append_open(&f, scratch("disk/log"), &err));
    while (written < 32 && jw_append_write(&f, block, sizeof block, &err))
        written++;
    CHECK(written >= 5 && written < 32);
    CHECK_NUM(err.os, ENOSPC);
    CHECK_TEXT(err.msg, "the disk is full");
    /* What went in before the disk was full is not left behind the whole ones. */
    CHECK(!f.torn && stat(scratch("disk/log"), &st) == 0
          && st.st_size == (off_t)written * (off_t)sizeof block);
    jw_append_close(&f);
}

TEST(a_full_disk_is_told_and_leaves_nothing_torn)
{
    in_child("on_a_small_disk", on_a_small_disk);
}

#endif
