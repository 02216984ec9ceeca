/* This program is its own child: `test_peer child` says who it is, and ends. */
#include "base/fault.h"
#include "check.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdlib.h>

static char program[4096];

static bool alive(unsigned long pid, const char *start)
{
    struct jw_err err = { 0 };
    bool answer = false;

    CHECK(jw_peer_alive(pid, start, &answer, &err));
    CHECK_TEXT(err.msg, "");
    return answer;
}

TEST(we_are_alive)
{
    struct jw_peer us = { 0 }, again = { 0 };
    struct jw_err err = { 0 };
    int64_t now = jw_time_unix();

    CHECK(jw_peer_self(&us, &err) && jw_peer_self(&again, &err));
    CHECK(us.pid > 0 && us.start[0]);
    CHECK_TEXT(us.start, again.start);
    CHECK(us.since <= now + 2 && us.since > now - 3600);
    CHECK(alive(us.pid, us.start));
    CHECK_NUM(strspn(us.start, "0123456789abcdefghijklmnopqrstuvwxyz-"), strlen(us.start));
}

TEST(one_that_has_our_number_but_not_our_beginning_is_another)
{
    struct jw_peer us = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_peer_self(&us, &err));
    CHECK(!alive(us.pid, "1"));
    CHECK(!alive(us.pid, ""));
    CHECK(!alive(0, us.start));
    CHECK(!alive(0x7ffffffe, us.start));
}

TEST(one_that_has_ended_is_gone)
{
    struct jw_err err = { 0 };
    struct jw_buf out = JW_BUF(1000);
    int code = -1;

    CHECK(jw_process_capture(program, (const char *const[]){ program, "child", NULL }, 60000, &out, &code,
                             &err));

    char *blank = NULL;
    unsigned long pid = strtoul(jw_buf_cstr(&out), &blank, 10);

    CHECK(pid > 0 && *blank == ' ');
    CHECK(!alive(pid, blank + 1));
    jw_buf_free(&out);
}

TEST(a_fault_is_told)
{
    struct jw_peer us;
    struct jw_err err = { 0 };
    bool answer = true;

    jw_fault_arm(1);
    CHECK(!jw_peer_self(&us, &err) && jw_fault_fired() && err.msg[0]);
    jw_fault_arm(1);
    CHECK(!jw_peer_alive(1, "", &answer, &err) && jw_fault_fired() && !answer);
    jw_fault_arm(0);
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool alive_here(pid_t pid, const char *start)
{
    struct jw_err err = { 0 };
    bool answer = false;

    CHECK(jw_peer_alive((unsigned long)pid, start, &answer, &err));
    CHECK_TEXT(err.msg, "");
    return answer;
}

/* Dead, but not yet asked for its exit code: its number is taken, and it holds nothing any more. */
TEST(a_zombie_is_gone)
{
    struct jw_peer child = { 0 };
    siginfo_t info;
    int ends[2];

    SKIP_UNDER_QEMU("tells a process another moment for its start than it tells others");
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();

    if (pid == 0) {
        struct jw_err err = { 0 };

        _exit(jw_peer_self(&child, &err) && write(ends[1], &child, sizeof child) == sizeof child && pause()
                  ? 0
                  : 1);
    }
    CHECK(read(ends[0], &child, sizeof child) == sizeof child);
    CHECK(child.pid == (unsigned long)pid);
    CHECK(alive_here(pid, child.start));
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    CHECK(!alive_here(pid, child.start));
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(!alive_here(pid, child.start));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static struct jw_peer tester;

static void prepare(const char *folder)
{
    struct jw_err err = { 0 };

    (void)folder;
    CHECK(jw_peer_self(&tester, &err));
}

static void look_at_the_tester(const char *folder)
{
    (void)folder;
    CHECK(alive_here((pid_t)tester.pid, tester.start));
    CHECK(!alive_here((pid_t)tester.pid, "1"));
}

TEST(processes_of_others_can_be_told_apart)
{
    SKIP_UNDER_QEMU("tells a process another moment for its start than it tells others");
    as_nobody(look_at_the_tester, prepare);
}

#define POSIX T(a_zombie_is_gone), T(processes_of_others_can_be_told_apart),
#else
#define POSIX
#endif

int main(int argc, char **argv)
{
    struct jw_err err = { 0 };
    struct jw_buf path = JW_BUF(sizeof program - 1);
    struct jw_peer us;

    (void)setvbuf(stdout, NULL, _IONBF, 0); /* tests fork */
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return jw_peer_self(&us, &err) ? printf("%lu %s", us.pid, us.start) < 0 : 1;
    if (!jw_process_self(&path, &err))
        return 2;
    (void)snprintf(program, sizeof program, "%s", jw_buf_cstr(&path));
    jw_buf_free(&path);
    return RUN(argc, argv, POSIX T(we_are_alive), T(one_that_has_our_number_but_not_our_beginning_is_another),
               T(one_that_has_ended_is_gone), T(a_fault_is_told));
}
