#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "rigs/scratch.h"

#include <stdlib.h>

static void refused(const char *path, const char *sentence)
{
    struct jw_err err = {0};
    struct jw_file f;

    CHECK_SAYS(jw_file_open(&f, path, &err), err, sentence);
    CHECK_NUM(err.code, JW_E_IO);
    CHECK(f.handle == -1);
    jw_file_close(&f);
}

TEST(what_is_not_a_file_is_refused_with_a_sentence)
{
    scratch_write(scratch("plain"), "x");
    refused(scratch("missing"), "no such file");
    refused(scratch("missing/too"), "no such file");
    refused(scratch(""), "is a folder");
    refused(scratch("."), "is a folder");
    refused("", "the name is empty");
    refused(scratch("plain/"),
            jw_os_is_windows() ? "no such file" : "part of the path is not a folder");
    refused(jw_os_is_windows() ? "NUL" : "/dev/null", "is not a regular file");
    refused(jw_os_is_windows() ? "C:\\nul.txt" : "/dev/tty", "is not a regular file");
}

TEST(a_missing_file_keeps_the_system_code)
{
    struct jw_file f;

    CHECK(!jw_file_open(&f, scratch("missing"), &err));
    CHECK_NUM(err.os, 2); /* ENOENT and ERROR_FILE_NOT_FOUND alike */
}

TEST(reads_by_position)
{
    struct jw_file f;
    char got[16] = {0};
    size_t n;

    scratch_write(scratch("ten"), "0123456789");
    CHECK(jw_file_open(&f, scratch("ten"), &err));
    CHECK(jw_file_read(&f, 3, got, 4, &n, &err) && n == 4 && memcmp(got, "3456", 4) == 0);
    CHECK(jw_file_read(&f, 8, got, 16, &n, &err) && n == 2 && memcmp(got, "89", 2) == 0);
    CHECK(jw_file_read(&f, 0, got, 0, &n, &err) && n == 0);
    CHECK(jw_file_read(&f, 10, got, 1, &n, &err) && n == 0);
    CHECK(jw_file_read(&f, (uint64_t)5 << 40, got, 1, &n, &err) && n == 0);
    CHECK(jw_file_read(&f, INT64_MAX - 1, got, 16, &n, &err) && n == 0);
    CHECK(jw_file_read(&f, UINT64_MAX, got, 1, &n, &err) && n == 0);
    jw_file_close(&f);
    CHECK(f.handle == -1);
    jw_file_close(&f);
}

#define TEST_FILE(id) TEST_WITH(id, struct jw_file, f, (void), jw_file_close)

TEST_FILE(tells_kind_size_time_and_identity)
{
    struct jw_file_info a, b;

    scratch_write(scratch("ten"), "0123456789");
    scratch_write(scratch("other"), "");
    CHECK(jw_file_stat(scratch("ten"), &a, &err));
    CHECK(a.kind == JW_FILE_REGULAR && a.size == 10);
    CHECK(llabs(a.mtime / 1000000000 - jw_time_unix()) < 60);
    CHECK(jw_file_open(f, scratch("./ten"), &err) && jw_file_info(f, &b, &err));
    CHECK(a.id.volume == b.id.volume && a.id.node == b.id.node && a.mtime == b.mtime
          && b.size == 10);
    CHECK(jw_file_stat(scratch("other"), &b, &err));
    CHECK(a.id.node != b.id.node);
    CHECK(jw_file_stat(scratch(""), &b, &err) && b.kind == JW_FILE_DIR);
    CHECK(jw_file_stat(scratch("missing"), &b, &err) && b.kind == JW_FILE_NONE);
    CHECK(jw_file_stat(scratch("missing/below"), &b, &err) && b.kind == JW_FILE_NONE);
    CHECK(jw_file_stat("", &b, &err) && b.kind == JW_FILE_NONE);
    CHECK(jw_file_stat(jw_os_is_windows() ? "NUL" : "/dev/null", &b, &err)
          && b.kind == JW_FILE_OTHER);
}

TEST(a_file_of_ones_own_is_made_once_and_written_in_place)
{
    struct jw_file_info info;
    struct jw_file f;

    CHECK(jw_file_make(&f, scratch("own"), &err) && jw_file_write(&f, 0, "whole, to", 9, &err));
    jw_file_close(&f);
    CHECK(jw_file_make(&f, scratch("own"), &err) && jw_file_info(&f, &info, &err)
          && info.size == 9);
    CHECK(jw_os_is_windows() || info.mode == 0600);
    CHECK(jw_file_truncate(&f, 7, &err) && jw_file_write(&f, 7, "whole", 5, &err));
    jw_file_close(&f);
    scratch_holds(scratch("own"), "whole, whole");
    CHECK(!jw_file_make(&f, scratch(""), &err) && f.handle == -1);
    CHECK_SAYS(jw_file_make(&f, scratch("no/such/folder"), &err), err, "no such file");
}

TEST_FILE(a_source_tells_of_a_file_that_shrank)
{
    char got[16];

    scratch_write(scratch("ten"), "0123456789");
    CHECK(jw_file_open(f, scratch("ten"), &err));

    struct jw_source s =
        jw_file_source(f, 12); /* as if it had been 12 long when it was looked at */

    CHECK(jw_source_read(&s, 2, got, 8, &err) && memcmp(got, "23456789", 8) == 0);
    CHECK_SAYS(jw_source_read(&s, 4, got, 8, &err), err, "the file shrank while it was read");
    CHECK_NUM(err.code, JW_E_IO);
    CHECK(!jw_source_read(&s, 12, got, 1, &err));
    CHECK_NUM(err.code, JW_E_FORMAT);
}

TEST(slurps_the_whole_and_knows_absence)
{
    struct jw_buf got = JW_BUF(1 << 20);
    bool found = true;
    size_t n = 100000;
    char *text = malloc(n + 1);

    CHECK(jw_file_slurp(scratch("missing"), &got, &found, &err) && !found && !got.n);
    CHECK(jw_file_slurp(scratch("missing/below"), &got, &found, &err) && !found);
    scratch_write(scratch("empty"), "");
    CHECK(jw_file_slurp(scratch("empty"), &got, &found, &err) && found && !got.n);
    CHECK_SAYS(jw_file_slurp(scratch(""), &got, &found, &err), err, "is a folder");

    memset(text, 'a', n);
    text[n] = '\0';
    scratch_write(scratch("large"), text);
    CHECK(jw_file_slurp(scratch("large"), &got, &found, &err) && got.n == n
          && memcmp(got.p, text, n) == 0);
    jw_buf_free(&got);
    got = JW_BUF(n - 1);
    CHECK(!jw_file_slurp(scratch("large"), &got, &found, &err));
    CHECK_NUM(err.code, JW_E_LIMIT);
    jw_buf_free(&got);
    free(text);
}

TEST(names_may_be_hangul_and_long)
{
    char name[256] = "", path[1024] = "";

    scratch_write(scratch("한글 파일 😀.so"), "안녕");
    scratch_holds(scratch("한글 파일 😀.so"), "안녕");

    for (int i = 0; i < 85; i++)
        (void)snprintf(name + 3 * i, sizeof name - 3 * (size_t)i, "%s", "각");
    CHECK_NUM(strlen(name), 255);
    scratch_write(scratch(name), "long");
    scratch_holds(scratch(name), "long");

    /* 4 folders of 100 letters: beyond the 260 of old Windows. */
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path + 101 * i, sizeof path - 101 * i, "%0100d/", (int)i);
    }
    CHECK_OK(jw_make_dirs(scratch(path), &err), err);
    (void)snprintf(path + 404, sizeof path - 404, "파일");
    scratch_write(scratch(path), "deep");
    scratch_holds(scratch(path), "deep");
}

TEST(makes_folders_above_folders)
{
    struct jw_file_info info;

    CHECK(jw_make_dirs(scratch("a/b//c/"), &err));
    CHECK(jw_make_dirs(scratch("a/b/c"), &err));
    CHECK(jw_file_stat(scratch("a/b/c"), &info, &err) && info.kind == JW_FILE_DIR);
    scratch_write(scratch("a/file"), "");
    CHECK_SAYS(jw_make_dirs(scratch("a/file"), &err), err, "is not a folder");
    CHECK(!jw_make_dirs(scratch("a/file/below"), &err));
    CHECK(!jw_make_dirs("", &err));
    CHECK(jw_make_dirs(jw_os_is_windows() ? "C:\\" : "/", &err));
    CHECK(jw_make_dirs(".", &err));
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

TEST(a_pipe_and_a_socket_neither_block_nor_pass)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    char here[4096];

    CHECK(mkfifo(scratch("pipe"), 0600) == 0);
    refused(scratch("pipe"), "is not a regular file");
    CHECK(symlink("pipe", scratch("to-pipe")) == 0);
    refused(scratch("to-pipe"), "is not a regular file");

    /* A socket's path is short, so it is named from inside the folder. */
    CHECK(getcwd(here, sizeof here) != NULL && chdir(scratch("")) == 0);
    memcpy(at.sun_path, "socket", sizeof "socket");
    CHECK(bind(s, (const struct sockaddr *)&at, sizeof at) == 0);
    refused("socket", "is not a regular file");
    CHECK(chdir(here) == 0 && close(s) == 0);
}

TEST(links_are_followed_and_loops_end)
{
    struct jw_file_info a, b;

    scratch_write(scratch("real"), "real");
    CHECK(symlink("real", scratch("link")) == 0 && link(scratch("real"), scratch("second")) == 0);
    scratch_holds(scratch("link"), "real");
    CHECK(jw_file_stat(scratch("link"), &a, &err) && jw_file_stat(scratch("second"), &b, &err));
    CHECK(a.kind == JW_FILE_REGULAR && a.id.node == b.id.node && a.id.volume == b.id.volume);

    CHECK(symlink("nowhere", scratch("dangling")) == 0);
    refused(scratch("dangling"), "no such file");
    CHECK(jw_file_stat(scratch("dangling"), &a, &err) && a.kind == JW_FILE_NONE);

    CHECK(symlink("loop", scratch("loop")) == 0);
    refused(scratch("loop"), "the links lead in a circle");
    CHECK(jw_file_stat(scratch("loop"), &a, &err) && a.kind == JW_FILE_NONE);
}

TEST_FILE(offsets_beyond_4_GiB)
{
    const off_t far = ((off_t)5 << 30) + 123;
    struct jw_file_info info;
    char got[8] = {1};
    size_t n;
    int fd = open(scratch("sparse"), O_RDWR | O_CREAT | O_TRUNC, 0600);

    CHECK(fd >= 0 && pwrite(fd, "far", 3, far) == 3 && close(fd) == 0);
    CHECK(jw_file_open(f, scratch("sparse"), &err) && jw_file_info(f, &info, &err));
    CHECK_NUM(info.size, far + 3);
    CHECK(jw_file_read(f, (uint64_t)far, got, 8, &n, &err) && n == 3 && memcmp(got, "far", 3) == 0);
    CHECK(jw_file_read(f, (uint64_t)far - 4, got, 8, &n, &err) && n == 7
          && memcmp(got, "\0\0\0\0far", 7) == 0);
    CHECK(unlink(scratch("sparse")) == 0);
}

TEST(a_file_of_the_year_2400_is_of_the_future)
{
    const struct timespec then[] = {{.tv_sec = 13569465600}, {.tv_sec = 13569465600}};
    struct jw_file_info info;

    scratch_write(scratch("ten"), "0123456789");
    CHECK(utimensat(AT_FDCWD, scratch("ten"), then, 0) == 0
          && jw_file_stat(scratch("ten"), &info, &err));
    CHECK(info.mtime > jw_time_unix_ns());
}

TEST_FILE(descriptors_do_not_leak_to_programs)
{
    scratch_write(scratch("ten"), "0123456789");
    CHECK(jw_file_open(f, scratch("ten"), &err));
    CHECK(fcntl((int)f->handle, F_GETFD) & FD_CLOEXEC);
}

TEST(files_of_the_kernel_say_nothing_of_their_size)
{
    FREED(jw_buf) got = JW_BUF(1 << 20);
    bool found;

    CHECK(jw_file_slurp("/proc/self/status", &got, &found, &err) && found);
    CHECK_HAS(jw_buf_cstr(&got), "Name:");
}

static void lock_up(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    scratch_write(path, "open");
    (void)snprintf(path, sizeof path, "%s/shut", folder);
    scratch_write(path, "shut");
    CHECK(chmod(path, 0) == 0);
    (void)snprintf(path, sizeof path, "%s/shut-folder", folder);
    CHECK(mkdir(path, 0) == 0);
}

static void without_rights(const char *folder)
{
    struct jw_err err = {0};
    struct jw_file_info info;
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    scratch_holds(path, "open");
    (void)snprintf(path, sizeof path, "%s/shut", folder);
    refused(path, "permission denied");
    (void)snprintf(path, sizeof path, "%s/shut-folder/x", folder);
    refused(path, "permission denied");
    CHECK_SAYS(jw_file_stat(path, &info, &err), err, "permission denied");
    if (access(folder, W_OK) == 0) /* its owner, when there was no root to own it */
        return;
    (void)snprintf(path, sizeof path, "%s/new/below", folder);
    CHECK_SAYS(jw_make_dirs(path, &err), err, "permission denied");
}

TEST(rights_are_asked_of_the_system) { as_nobody(without_rights, lock_up); }

#endif
