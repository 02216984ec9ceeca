#include "check.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self; /* this program */

#define ARGV(...) ((const char *const[]){self, __VA_ARGS__, NULL})

static bool capture(struct jw_buf *out, unsigned ms, struct jw_err *err, const char *const argv[])
{
    int code = -1;

    return jw_process_capture(self, argv, ms, out, &code, err) && code == 0;
}

static void begin_out(struct jw_buf *out) { *out = JW_BUF(1000); }

#define TEST_OUT(id)                                                                               \
    TEST_WITH(id, struct jw_buf, out, begin_out, jw_buf_free) /* of the child's output */

TEST_OUT(nothing_but_the_standard_streams_is_inherited)
{
    int low = open("/dev/null", O_RDONLY), high = fcntl(low, F_DUPFD, 500);

    CHECK(low > 2 && high >= 500);
    CHECK(capture(out, 60000, &err, ARGV("child-descriptors")));
    CHECK_TEXT(jw_buf_cstr(out), "0 1 2 ");
    (void)close(low);
    (void)close(high);
}

TEST_OUT(signals_are_as_a_new_program_expects_them)
{
    sigset_t block, before, after;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &block, &before);
    CHECK(capture(out, 60000, &err, ARGV("child-signals")));
    CHECK_TEXT(jw_buf_cstr(out), "pipe default, term open");
    (void)sigprocmask(SIG_SETMASK, &before, &after);
    CHECK(sigismember(&after, SIGTERM) == 1); /* ours is as it was */
    (void)signal(SIGPIPE, SIG_DFL);
}

/* As Perl programs and servers leave it to those that they start. */
TEST_OUT(how_it_ended_is_known_where_ends_were_ignored)
{
    static const char *const argv[] = {"/bin/sh", "-c", "exit 3", NULL};
    int code = 0;

    (void)signal(SIGCHLD, SIG_IGN);
    CHECK(jw_env_begin(&err) && jw_process_capture(*argv, argv, 60000, out, &code, &err));
    CHECK_NUM(code, 3);
    (void)signal(SIGCHLD, SIG_DFL);
}

/* As an upgrade does it to a long run. */
TEST_OUT(it_starts_itself_also_when_its_file_is_gone)
{
    const char *copy = scratch("copy"), *const argv[] = {"/bin/cp", self, copy, NULL};
    int code = 0;

    CHECK(jw_process_capture(*argv, argv, 60000, out, &code, &err) && code == 0);
    CHECK(jw_process_capture(copy, ARGV("child-again"), 60000, out, &code, &err));
    CHECK_TEXT(jw_buf_cstr(out), "pipe default, term open");
}

/* A shell that may be asked for its settings stops itself when it finds a terminal that is
 * another's. */
TEST_OUT(it_has_no_terminal)
{
    CHECK(capture(out, 60000, &err, ARGV("child-session")));
    CHECK_TEXT(jw_buf_cstr(out), "leads a session, no terminal");
}

/* Holding the lock is being alive; waits at most ten seconds for it to be free. */
static bool freed(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool free_now = false;

    for (int i = 0; fd >= 0 && i < 1000 && !free_now; i++) {
        free_now = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (!free_now)
            jw_time_sleep_ms(10);
    }
    if (fd >= 0)
        (void)close(fd);
    return free_now;
}

TEST_OUT(a_timeout_ends_the_whole_group)
{
    const char *path = scratch("lock");

    CHECK_REFUSED(capture(out, 1500, &err, ARGV("child-fork", path, "stay")), err, "ran longer");
    CHECK_TEXT(jw_buf_cstr(out), "locked"); /* it really was alive */
    CHECK(freed(path));
}

/* pyenv, for one, waits a minute at every login for the lock of a run of it that was killed. */
TEST_OUT(before_it_is_killed_it_may_put_its_things_in_order)
{
    const char *path = scratch("own-lock");

    CHECK_REFUSED(capture(out, 500, &err, ARGV("child-tidy", path, "stay")), err, "ran longer");
    CHECK_TEXT(jw_buf_cstr(out), "locked");
    CHECK(!scratch_there(path));
    jw_buf_clear(out);
    CHECK(capture(out, 60000, &err, ARGV("child-tidy", path, "leave")));
    CHECK_TEXT(jw_buf_cstr(out), "locked");
    CHECK(!scratch_there(path));
}

TEST_OUT(one_that_does_not_listen_is_killed)
{
    const char *path = scratch("deaf-lock");

    CHECK(!capture(out, 500, &err, ARGV("child-deaf", path)));
    CHECK_TEXT(jw_buf_cstr(out), "locked");
    CHECK(freed(path));
}

TEST_OUT(a_child_left_behind_neither_delays_nor_survives)
{
    const char *path = scratch("lock2");
    uint64_t before = jw_time_monotonic_ns();

    CHECK(capture(out, 60000, &err, ARGV("child-fork", path, "leave")));
    CHECK_TEXT(jw_buf_cstr(out), "locked");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)30 * 1000000000);
    CHECK(freed(path));
}

TEST(it_dies_with_us)
{
    const char *path = scratch("lock3");
    int status;

    pid_t pid = fork();

    if (pid == 0) {
        struct jw_buf out = JW_BUF(1000);

        err = (struct jw_err){0};
        (void)capture(&out, 60000, &err, ARGV("child-hold", path));
        _exit(0);
    }
    for (int i = 0; i < 1000 && !scratch_there(path); i++)
        jw_time_sleep_ms(10);
    CHECK(scratch_there(path));
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
    CHECK(freed(path));
}

TEST_OUT(no_descriptor_and_no_zombie_is_left)
{
    int before = dup(0), after;

    (void)close(before);
    CHECK(capture(out, 60000, &err, ARGV("child-descriptors")));
    CHECK(!capture(out, 50, &err, ARGV("child-hold", scratch("lock4"))));
    after = dup(0);
    (void)close(after);
    CHECK_NUM(after, before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

/* Where no process can be made, none is ended either: not the group that jitwarm is in. */
TEST(a_start_that_fails_ends_nobody)
{
    enum { FREE_MAX = 12 };

    for (rlim_t some = 0; some <= FREE_MAX; some++) {
        int first = dup(0), status;
        pid_t pid;

        (void)close(first);
        pid = fork();
        if (pid == 0) {
            const struct rlimit few = {(rlim_t)first + some, (rlim_t)first + some};
            const struct jw_command c = {.exe = self, .argv = ARGV("child-descriptors")};
            struct jw_process *child = NULL;
            struct jw_buf out = JW_BUF(1000);
            bool alone = setpgid(0, 0) == 0 && setrlimit(RLIMIT_NOFILE, &few) == 0;

            err = (struct jw_err){0};
            if (jw_process_start(&child, &c, &err))
                jw_process_free(child);
            (void)capture(&out, 60000, &err, ARGV("child-descriptors"));
            _exit(alone ? 0 : 1);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* ---- what the children do */

static void child_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");

    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (*e->d_name != '.' && strtol(e->d_name, NULL, 10) != dirfd(d))
            printf("%s ", e->d_name);
    if (d)
        (void)closedir(d);
}

static void child_signals(void)
{
    struct sigaction now;
    sigset_t mask;

    (void)sigaction(SIGPIPE, NULL, &now);
    (void)sigprocmask(SIG_SETMASK, NULL, &mask);
    printf("pipe %s, term %s", now.sa_handler == SIG_DFL ? "default" : "other",
           sigismember(&mask, SIGTERM) ? "blocked" : "open");
}

static void child_session(void)
{
    printf("%s, %s", getsid(0) == getpid() ? "leads a session" : "is led",
           open("/dev/tty", O_RDWR) < 0 ? "no terminal" : "a terminal");
}

static void hold(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    (void)flock(fd, LOCK_EX);
    (void)!write(1, "locked", 6);
    for (int i = 0; i < 60; i++)
        (void)sleep(1);
}

static const char *own_lock;

static void put_in_order(int s)
{
    (void)s;
    (void)unlink(own_lock);
    _exit(0);
}

/* A process below it holds a lock; `tidy`: one that is a file. */
static void child_fork(const char *path, bool stay, bool tidy)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        _exit(1);
    if (fork() == 0) {
        int fd = open(path, O_RDWR | O_CREAT | (tidy ? O_EXCL : 0), 0600);

        own_lock = path;
        if (tidy)
            (void)signal(SIGTERM, put_in_order);
        (void)flock(fd, LOCK_EX);
        (void)!write(1, "locked", 6);
        (void)!write(ready[1], "x", 1);
        if (tidy)
            (void)close(1);
        for (int i = 0; i < 60; i++)
            (void)sleep(1);
        _exit(0);
    }
    (void)!read(ready[0], &byte, 1);
    for (int i = 0; stay && i < 60; i++)
        (void)sleep(1);
}

/* Its own file goes, and what has its name then is started. */
static void child_again(void)
{
    FREED(jw_buf) exe = JW_BUF(4096), out = JW_BUF(1000);
    struct jw_err err = {0};
    int code;

    if (unlink(self) == 0 && jw_process_self(&exe, &err)
        && jw_process_capture(jw_buf_cstr(&exe), ARGV("child-signals"), 60000, &out, &code, &err))
        printf("%s", jw_buf_cstr(&out));
    printf("%s", err.msg);
}

static int child(int argc, char **argv)
{
    if (strcmp(argv[1], "child-descriptors") == 0)
        child_descriptors();
    else if (strcmp(argv[1], "child-signals") == 0)
        child_signals();
    else if (strcmp(argv[1], "child-session") == 0)
        child_session();
    else if (strcmp(argv[1], "child-hold") == 0 && argc > 2)
        hold(argv[2]);
    else if (strcmp(argv[1], "child-again") == 0)
        child_again();
    else if (strcmp(argv[1], "child-deaf") == 0 && argc > 2) {
        (void)signal(SIGTERM, SIG_IGN);
        (void)signal(SIGHUP, SIG_IGN);
        hold(argv[2]);
    } else if (argc > 3)
        child_fork(argv[2], strcmp(argv[3], "stay") == 0, strcmp(argv[1], "child-tidy") == 0);
    return 0;
}

MAIN(argc, argv)
{
    self = own_program();
    if (argc > 1 && strncmp(argv[1], "child-", 6) == 0)
        return child(argc, argv);
    scratch_begin();
    return RUN(argc, argv);
}
