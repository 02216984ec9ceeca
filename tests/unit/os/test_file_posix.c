#include "check.h"
#include "os/files/file.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void refused(const char *path, const char *sentence)
{
    struct jw_err err = { 0 };
    struct jw_file f;

    CHECK(!jw_file_open(&f, path, &err));
    CHECK_TEXT(err.msg, sentence);
}

TEST(a_pipe_and_a_socket_neither_block_nor_pass)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
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
    struct jw_err err = { 0 };
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
    CHECK(!jw_file_stat(scratch("loop"), &a, &err));
    CHECK_NUM(err.os, ELOOP);
}

TEST(offsets_beyond_4_GiB)
{
    const off_t far = ((off_t)5 << 30) + 123;
    struct jw_err err = { 0 };
    struct jw_file_info info;
    struct jw_file f;
    char got[8] = { 1 };
    size_t n;
    int fd = open(scratch("sparse"), O_RDWR | O_CREAT | O_TRUNC, 0600);

    CHECK(fd >= 0 && pwrite(fd, "far", 3, far) == 3 && close(fd) == 0);
    CHECK(jw_file_open(&f, scratch("sparse"), &err) && jw_file_info(&f, &info, &err));
    CHECK_NUM(info.size, far + 3);
    CHECK(jw_file_read(&f, (uint64_t)far, got, 8, &n, &err) && n == 3 && memcmp(got, "far", 3) == 0);
    CHECK(jw_file_read(&f, (uint64_t)far - 4, got, 8, &n, &err) && n == 7
          && memcmp(got, "\0\0\0\0far", 7) == 0);
    jw_file_close(&f);
    CHECK(unlink(scratch("sparse")) == 0);
}

TEST(a_file_that_really_shrinks)
{
    struct jw_err err = { 0 };
    struct jw_file_info info;
    struct jw_file f;
    char got[10];

    scratch_write(scratch("ten"), "0123456789");
    CHECK(jw_file_open(&f, scratch("ten"), &err) && jw_file_info(&f, &info, &err) && info.size == 10);

    struct jw_source s = jw_file_source(&f, info.size);

    CHECK(truncate(scratch("ten"), 5) == 0);
    CHECK(!jw_source_read(&s, 0, got, 10, &err));
    CHECK_TEXT(err.msg, "the file shrank while it was read");
    jw_file_close(&f);
}

TEST(descriptors_do_not_leak_to_programs)
{
    struct jw_err err = { 0 };
    struct jw_file f;

    scratch_write(scratch("ten"), "0123456789");
    CHECK(jw_file_open(&f, scratch("ten"), &err));
    CHECK(fcntl((int)f.handle, F_GETFD) & FD_CLOEXEC);
    jw_file_close(&f);
}

TEST(files_of_the_kernel_say_nothing_of_their_size)
{
    struct jw_err err = { 0 };
    struct jw_buf got = JW_BUF(1 << 20);
    bool found;

    CHECK(jw_file_slurp("/proc/self/status", &got, &found, &err) && found);
    CHECK_HAS(jw_buf_cstr(&got), "Name:");
    jw_buf_free(&got);
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
    struct jw_err err = { 0 };
    struct jw_file_info info;
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    scratch_holds(path, "open");
    (void)snprintf(path, sizeof path, "%s/shut", folder);
    refused(path, "permission denied");
    (void)snprintf(path, sizeof path, "%s/shut-folder/x", folder);
    refused(path, "permission denied");
    CHECK(!jw_file_stat(path, &info, &err));
    CHECK_TEXT(err.msg, "permission denied");
    if (access(folder, W_OK) == 0) /* its owner, when there was no root to own it */
        return;
    (void)snprintf(path, sizeof path, "%s/new/below", folder);
    CHECK(!jw_make_dirs(path, &err));
    CHECK_TEXT(err.msg, "permission denied");
}

TEST(rights_are_asked_of_the_system)
{
    as_nobody(without_rights, lock_up);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(a_pipe_and_a_socket_neither_block_nor_pass), T(links_are_followed_and_loops_end),
               T(offsets_beyond_4_GiB), T(a_file_that_really_shrinks), T(descriptors_do_not_leak_to_programs),
               T(files_of_the_kernel_say_nothing_of_their_size), T(rights_are_asked_of_the_system));
}
