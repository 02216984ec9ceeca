/* Programs that use files in every way that a system call knows, traced; beside each works another one, which is not. */
#include "base/arena.h"
#include "check.h"
#include "os/process/file_trace.h"
#include "os/process/foreground.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* ---- the programs: each in the folder of its test ---- */

static void make(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
        _exit(90);
}

static void *make_in_thread(void *path)
{
    make(path);
    return NULL;
}

static void need(bool ok)
{
    if (!ok)
        _exit(errno ? errno : 91);
}

static int play_names(void)
{
    const struct {
        uint64_t flags, mode, resolve;
    } how = { O_CREAT | O_WRONLY, 0600, 0 };
    pthread_t thread;
    int folder = -1, fd = -1, status = 0;

    make("plain");
    need(mkdir("sub", 0700) == 0 && (folder = open("sub", O_RDONLY | O_DIRECTORY)) >= 0);
    need((fd = openat(folder, "relative", O_CREAT | O_WRONLY, 0600)) >= 0 && close(fd) == 0);
    make("new.aside");
    need(rename("new.aside", "renamed") == 0);
    make("second.aside");
    need(renameat(AT_FDCWD, "second.aside", folder, "renamed-there") == 0);
    need(link("plain", "linked") == 0);
    need((fd = open(".", O_TMPFILE | O_RDWR, 0600)) >= 0 || errno == EOPNOTSUPP || errno == EISDIR);
    need((fd = (int)syscall(SYS_openat2, AT_FDCWD, "by-openat2", &how, sizeof how)) >= 0 || errno == ENOSYS);
    need(mkdir("aside.d", 0700) == 0);
    make("aside.d/moved-with-its-folder");
    need(rename("aside.d", "folder") == 0);
    need(pthread_create(&thread, NULL, make_in_thread, (char[]){ "by-thread" }) == 0
         && pthread_join(thread, NULL) == 0);
    need(chdir("sub") == 0);
    make("after-chdir");
    make("../above");
    need(chdir("..") == 0);
    pid_t child = fork();

    if (child == 0) {
        make("by-child");
        (void)execl(
            "/bin/sh", "sh", "-c",
            "echo x > by-exec; (sleep 0.01; echo y > by-orphan; sleep 0.3; echo z > by-orphan-later) &",
            (char *)NULL);
        _exit(92);
    }
    need(waitpid(child, &status, 0) == child && status == 0);
    make("gone");
    need(unlink("gone") == 0);
    return 0;
}

static int play_many(void)
{
    for (unsigned i = 0; i < 300; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "many-%u", i);
        make(name);
    }
    return 0;
}

static int play_opens(void)
{
    need(access("known", F_OK) == 0 && close(open("known", O_RDONLY)) == 0);
    (void)open("missing", O_RDONLY);
    need(close(open(".", O_RDONLY | O_DIRECTORY)) == 0);
    int fd = open("changed", O_RDWR | O_CLOEXEC);

    need(fd >= 0 && write(fd, "y", 1) == 1 && close(fd) == 0);
    need(mkdir("gone", 0700) == 0);
    make("gone/begun");
    need(unlink("gone/begun") == 0 && rmdir("gone") == 0);
    return 0;
}

static int play_asks(void)
{
    struct stat st;
    int fd = open(".", O_RDONLY | O_DIRECTORY);

    need(stat("by-stat", &st) == 0 && lstat("by-lstat", &st) == 0 && access("by-access", F_OK) == 0);
    need(fstatat(fd, "by-fstatat", &st, 0) == 0 && faccessat(fd, "by-faccessat", F_OK, 0) == 0);
    need(syscall(SYS_statx, fd, "by-statx", 0, 0, NULL) != 0); /* it has no place for the answer */
    need(close(fd) == 0 && (fd = open("opened", O_RDONLY)) >= 0);
    need(fstat(fd, &st) == 0 && close(fd) == 0);
    return 0;
}

/* Leaves a process behind that makes files as long as it may, and says so. */
static int play_left(void)
{
    if (fork() != 0)
        return 0;
    (void)setsid();
    for (unsigned i = 0; i < 60; i++) {
        char name[32];
        int fd;

        (void)snprintf(name, sizeof name, "left-%u", i);
        fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (fd < 0)
            return 1;
        (void)close(fd);
        usleep(20000);
    }
    make("left-all");
    return 0;
}

/* Traces one that leaves a process, and is killed meanwhile: that of the test. */
static int play_killed(void)
{
    struct jw_file_trace *t = jw_file_trace_new(false);
    const char *const argv[] = { own_program(), "--play", "left", NULL };
    struct jw_foreground_end end;
    struct jw_err err = { 0 };

    if (!jw_foreground_run(&(struct jw_foreground){ .argv = argv, .trace = t }, &end, &err))
        return 1;
    (void)kill(getpid(), SIGKILL);
    return 2;
}

/* Where a name may be another file's. */
static int play_elsewhere(void)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return 77;
    make("elsewhere");
    return 0;
}

/* Opens its files through a ring where it gets one, which no filter of system calls sees; else as all others do. */
static int play_uring(void)
{
    struct io_uring_params how = { 0 };

    if (syscall(SYS_io_uring_setup, 1, &how) >= 0)
        return 3;
    if (errno != ENOSYS)
        return 4;
    make("made-without-a-ring");
    return 0;
}

/* Traces a second time what is traced already: it runs, and nothing is said of what it made. */
static int play_nested(void)
{
    struct jw_arena own = { 0 };
    struct jw_file_trace *t = jw_file_trace_new(false);
    const char *const argv[] = { "/bin/true", NULL };
    struct jw_foreground_end end;
    struct jw_err err = { 0 };
    bool ok = jw_foreground_run(&(struct jw_foreground){ .argv = argv, .trace = t }, &end, &err) && !end.code;
    struct jw_traced seen = jw_file_trace_end(t, 0, &own);

    ok = ok && seen.why && strstr(seen.why, "another program traces it");
    jw_file_trace_free(t);
    jw_arena_free(&own);
    return ok ? 0 : 1;
}

static int play(const char *what)
{
    return strcmp(what, "nested") == 0      ? play_nested()
           : strcmp(what, "elsewhere") == 0 ? play_elsewhere()
           : strcmp(what, "uring") == 0     ? play_uring()
           : strcmp(what, "names") == 0     ? play_names()
           : strcmp(what, "many") == 0      ? play_many()
           : strcmp(what, "opens") == 0     ? play_opens()
           : strcmp(what, "asks") == 0      ? play_asks()
           : strcmp(what, "left") == 0      ? play_left()
           : strcmp(what, "killed") == 0    ? play_killed()
                                            : 99;
}

/* ---- the tests ---- */

static struct jw_arena a;

/* In a folder of its own, which is the working folder then. */
static struct jw_traced trace(const char *what, int *code)
{
    struct jw_file_trace *t = jw_file_trace_new(strcmp(what, "asks") == 0);
    const char *const argv[] = { own_program(), "--play", what, NULL };
    struct jw_foreground_end end = { 0 };
    struct jw_err err = { 0 };

    CHECK_OK(jw_foreground_run(&(struct jw_foreground){ .argv = argv, .trace = t }, &end, &err), err);
    *code = end.code;
    struct jw_traced out = jw_file_trace_end(t, strcmp(what, "left") == 0 ? 0 : 10000, &a);

    jw_file_trace_free(t);
    return out;
}

static void enter(const char *folder)
{
    CHECK(mkdir(scratch(folder), 0700) == 0 && chdir(scratch(folder)) == 0);
}

static bool has(const char *const *list, size_t n, const char *name)
{
    char here[4096], path[8192];

    CHECK(getcwd(here, sizeof here));
    (void)snprintf(path, sizeof path, "%s/%s", here, name);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], path) == 0)
            return true;
    return false;
}

static bool can_trace(const struct jw_traced *t)
{
    if (!t->why)
        return true;
    (void)fprintf(stderr, "SKIP: %s\n", t->why);
    return false;
}

TEST(every_way_to_make_a_name_is_seen)
{
    static const char *const names[] = { "plain",           "sub/relative",
                                         "renamed",         "sub/renamed-there",
                                         "linked",          "folder/moved-with-its-folder",
                                         "by-thread",       "sub/after-chdir",
                                         "above",           "by-child",
                                         "by-exec",         "by-orphan",
                                         "by-orphan-later", "by-orphan-later",
                                         "new.aside",       "gone" };
    int code;

    enter("names");
    struct jw_traced t = trace("names", &code);

    CHECK_NUM(code, 0);
    if (!can_trace(&t))
        return;
    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (!has(t.made, t.n_made, names[i]))
            CHECK_TEXT(names[i], "seen");
    CHECK(access("by-openat2", F_OK) != 0 || has(t.made, t.n_made, "by-openat2"));
    CHECK(!has(t.made, t.n_made, "sub") && !t.n_opened - has(t.opened, t.n_opened, "by-openat2"));
}

static atomic_bool stop;

static void *make_beside(void *unused)
{
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "beside-%u", i);
        make(name);
        usleep(200);
    }
    return unused;
}

TEST(what_another_program_makes_there_meanwhile_is_not)
{
    pthread_t other;
    int code;
    size_t many = 0, beside = 0;

    enter("beside");
    atomic_store(&stop, false);
    CHECK(pthread_create(&other, NULL, make_beside, NULL) == 0);
    struct jw_traced t = trace("many", &code);

    atomic_store(&stop, true);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK_NUM(code, 0);
    if (!can_trace(&t))
        return;
    for (size_t i = 0; i < t.n_made; i++) {
        many += strstr(t.made[i], "/many-") != NULL;
        beside += strstr(t.made[i], "/beside-") != NULL;
    }
    CHECK_NUM(many, 300);
    CHECK_NUM(beside, 0);
    CHECK(access("beside-0", F_OK) == 0);
}

TEST(opens_are_seen)
{
    int code;

    enter("opens");
    make("known");
    make("changed");
    struct jw_traced t = trace("opens", &code);

    CHECK_NUM(code, 0);
    if (!can_trace(&t))
        return;
    CHECK(has(t.opened, t.n_opened, "known") && has(t.opened, t.n_opened, "missing"));
    CHECK(!has(t.made, t.n_made, "known"));
    CHECK(has(t.made, t.n_made, "changed") && has(t.made, t.n_made, "gone/begun"));
}

TEST(questions_are_seen_where_they_are_asked_for)
{
    static const char *const names[] = { "by-stat",      "by-lstat", "by-access", "by-fstatat",
                                         "by-faccessat", "by-statx", "opened" };
    int code;

    enter("asks");
    for (size_t i = 0; i < JW_COUNT(names); i++)
        make(names[i]);
    struct jw_traced t = trace("asks", &code);

    CHECK_NUM(code, 0);
    if (!can_trace(&t))
        return;
    for (size_t i = 0; i < JW_COUNT(names); i++)
        CHECK(has(t.asked, t.n_asked, names[i]) == (strcmp(names[i], "opened") != 0));
    CHECK(has(t.opened, t.n_opened, "opened") && !has(t.opened, t.n_opened, "by-stat"));
    make("known");
    make("changed");
    t = trace("opens", &code);
    CHECK(t.n_opened && !t.n_asked);
}

static void await_file(const char *name)
{
    for (unsigned i = 0; i < 6000 && access(name, F_OK) != 0; i++)
        usleep(10000);
    CHECK(access(name, F_OK) == 0);
}

TEST(a_process_that_outlives_the_trace_goes_on)
{
    int code;

    enter("left");
    struct jw_traced t = trace("left", &code);

    CHECK_NUM(code, 0);
    if (!can_trace(&t))
        return;
    CHECK(t.left);
    await_file("left-all");
}

TEST(a_process_that_outlives_a_killed_tracer_goes_on)
{
    const char *const argv[] = { own_program(), "--play", "killed", NULL };
    struct jw_foreground_end end = { 0 };
    struct jw_err err = { 0 };

    enter("killed");
    CHECK(jw_foreground_run(&(struct jw_foreground){ .argv = argv }, &end, &err));
    CHECK_NUM(end.signal, SIGKILL);
    await_file("left-all");
}

TEST(a_command_that_traces_itself_is_told_so)
{
    int code;

    enter("nested");
    struct jw_traced t = trace("nested", &code);

    if (can_trace(&t))
        CHECK_NUM(code, 0);
}

TEST(what_cannot_be_seen_is_said)
{
    int code;

    enter("unseen");
    struct jw_traced t = trace("opens-nothing", &code);

    if (!can_trace(&t))
        return;
    t = trace("elsewhere", &code);
    if (code != 77) {
        CHECK_NUM(code, 0);
        CHECK_HAS(t.why, "another root, or mounts of its own");
        CHECK(!has(t.made, t.n_made, "elsewhere"));
    }
}

/* As on a system that has none: programs fall back on calls that are seen. */
TEST(a_program_gets_no_ring_for_unseen_calls)
{
    int code;

    enter("uring");
    struct jw_traced t = trace("opens-nothing", &code);

    if (!can_trace(&t))
        return;
    t = trace("uring", &code);
    CHECK_NUM(code, 0);
    CHECK(!t.why && has(t.made, t.n_made, "made-without-a-ring"));
}

/* Only where this process may not give rights itself: as another user, below. */
TEST(a_program_with_rights_of_its_own_is_not_traced)
{
    int status = 0;
    pid_t child;

    if (geteuid() != 0)
        return;
    enter("rights");
    CHECK(chmod("..", 0755) == 0);
    child = fork();
    if (!child) {
        const char *const argv[] = { "/usr/bin/su", "--version", NULL };
        struct stat st;
        struct jw_file_trace *t = jw_file_trace_new(false);
        struct jw_foreground_end end = { 0 };
        struct jw_err err = { 0 };
        struct jw_arena own = { 0 };

        if (stat(argv[0], &st) != 0 || !(st.st_mode & S_ISUID) || setuid(65534) != 0)
            _exit(77);
        bool bad =
            !jw_foreground_run(&(struct jw_foreground){ .argv = argv, .trace = t }, &end, &err) || end.code;
        struct jw_traced traced = jw_file_trace_end(t, 0, &own);

        _exit(bad || !traced.why || !strstr(traced.why, "set-uid"));
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}

TEST(a_command_that_cannot_be_started_leaves_nothing)
{
    struct jw_file_trace *t = jw_file_trace_new(false);
    const char *const argv[] = { "/no/such/command", NULL };
    struct jw_foreground_end end = { 0 };
    struct jw_err err = { 0 };

    CHECK_REFUSED(jw_foreground_run(&(struct jw_foreground){ .argv = argv, .trace = t }, &end, &err), err,
                  "not found");
    (void)jw_file_trace_end(t, 0, &a);
    jw_file_trace_free(t);
}

MAIN(argc, argv)
{
    if (argc == 3 && strcmp(argv[1], "--play") == 0)
        return play(argv[2]);
    scratch_begin();
    int code = RUN(argc, argv);

    jw_arena_free(&a);
    return code;
}
