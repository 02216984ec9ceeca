#include "check.h"
#include "os/process/process.h"
#include "rigs/as_nobody.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool alive(pid_t pid, const char *start)
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
    CHECK(alive(pid, child.start));
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    CHECK(!alive(pid, child.start));
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(!alive(pid, child.start));
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
    CHECK(alive((pid_t)tester.pid, tester.start));
    CHECK(!alive((pid_t)tester.pid, "1"));
}

TEST(processes_of_others_can_be_told_apart)
{
    SKIP_UNDER_QEMU("tells a process another moment for its start than it tells others");
    as_nobody(look_at_the_tester, prepare);
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IONBF, 0); /* tests fork */
    return RUN(argc, argv, T(a_zombie_is_gone), T(processes_of_others_can_be_told_apart));
}
