/* This program is its own child: `test_exec_posix become COMMAND...`, after what a run of jitwarm
 * does before. */
#include "check.h"
#include "os/files/file.h"
#include "os/machine/interrupt.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self; /* this program */

static const char *shell(const char *script)
{
    static char text[10000];
    struct jw_err err = {0};
    FREED(jw_buf) out = JW_BUF(sizeof text - 1);
    int code = -1;

    /* $0 is this program. */
    CHECK_OK(jw_process_capture("/bin/sh", (const char *const[]){"sh", "-c", script, self, NULL},
                                60000, &out, &code, &err),
             err);
    (void)snprintf(text, sizeof text, "%s", jw_buf_cstr(&out));
    return text;
}

TEST(a_signal_that_ends_it_is_seen_by_who_called_us)
{
    CHECK_TEXT(shell("\"$0\" become sh -c 'kill -TERM $$'; echo $?"), "143\n");
    CHECK_TEXT(shell("\"$0\" become sh -c 'kill -INT $$'; echo $?"), "130\n");
    CHECK_TEXT(shell("\"$0\" become sh -c 'exit 7'; echo $?"), "7\n");
}

TEST(it_is_this_process)
{
    CHECK_TEXT(shell("\"$0\" become sh -c 'echo $$' >\"$MARK\" & wait; "
                     "read it <\"$MARK\"; test $it = $! && echo same"),
               "same\n");
}

TEST(its_streams_are_ours)
{
    CHECK_TEXT(shell("echo in | \"$0\" become sh -c 'read x; echo out $x; echo err >&2' 2>&1"),
               "out in\nerr\n");
    CHECK_TEXT(shell("\"$0\" become sh -c 'cat' <&-; echo end"), "end\n");
}

TEST(signals_that_were_ignored_stay_so_and_no_other)
{
    static const char *const words[] = {"int default, term default, usr1 open",
                                        "int ignored, term default, usr1 open"};

    CHECK_TEXT(shell("\"$0\" become \"$0\" signals"), words[0]);
    SKIP_UNDER_QEMU("handles every signal itself, so that who is started finds none ignored");
    CHECK_TEXT(shell("trap '' INT; \"$0\" become \"$0\" signals"), words[1]);
}

TEST(what_was_blocked_stays_so)
{
    sigset_t mask, before;
    int status = -1;
    pid_t pid;

    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &mask, &before);
    pid = fork();
    if (pid == 0) {
        (void)execl(self, self, "become", self, "blocked", (char *)NULL);
        _exit(99);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(files_of_the_caller_are_handed_on_and_none_of_ours)
{
    scratch_write(scratch("given"), "given\n");
    CHECK(setenv("GIVEN", scratch("given"), 1) == 0);
    CHECK_TEXT(shell("exec 7<\"$GIVEN\"; \"$0\" become sh -c 'cat <&7; ls /proc/self/fd | wc -l'"),
               shell("exec 7<\"$GIVEN\"; sh -c 'cat <&7; ls /proc/self/fd | wc -l'"));
}

static void program(const char *name, const char *text)
{
    scratch_write(scratch(name), text);
    CHECK(chmod(scratch(name), 0755) == 0);
}

TEST(commands_are_found_as_a_shell_finds_them)
{
    char path[8192];

    CHECK(mkdir(scratch("bin"), 0755) == 0);
    program("bin/with-line", "#!/bin/sh\necho line \"$@\"\n");
    program("bin/without-line", "echo none \"$@\"\n");
    program("bin/lost", "#!/no/such/program\n");
    (void)snprintf(path, sizeof path, "%s:/usr/bin:/bin", scratch("bin"));
    CHECK(setenv("JW_TEST_PATH", path, 1) == 0);
    CHECK_TEXT(shell("PATH=$JW_TEST_PATH \"$0\" become with-line 1 2"), "line 1 2\n");
    CHECK_TEXT(shell("PATH=$JW_TEST_PATH \"$0\" become without-line 1"), "none 1\n");
    CHECK_TEXT(shell("cd \"${JW_TEST_PATH%%:*}\"; \"$0\" become ./lost; echo $?"),
               "./lost: the program that is to run it is missing (its #! line, its loader)126\n");
    CHECK_TEXT(shell("\"$0\" become /; echo $?"), "/: permission denied126\n");
    CHECK_TEXT(shell("\"$0\" become ''; echo $?"), ": not found127\n");
    CHECK_TEXT(shell("\"$0\" become /bin/sh/x; echo $?"), "/bin/sh/x: not found127\n");
    CHECK(!jw_process_foreground(
        &(struct jw_command){.argv = (const char *const[]){scratch("bin/lost"), NULL}},
        &(struct jw_process_end){0}, &err));
    CHECK(strstr(err.msg, "/bin/lost: the program that is to run it is missing") != NULL);
}

/* cat ends when no process holds the pipe any more. */
TEST(a_command_that_is_waited_for_ends_when_its_starter_is_killed)
{
    CHECK_TEXT(shell("\"$0\" attend sh -c 'echo $PPID; exec sleep 600' | "
                     "{ read starter; kill -KILL $starter; cat; echo ended; }"),
               "ended\n");
}

/* As a server does. */
TEST(a_command_that_was_asked_to_end_may_end_well)
{
    CHECK_TEXT(shell("\"$0\" attend sh -c 'trap \"exit 0\" TERM; (kill -TERM $PPID); sleep 5 >&2 & "
                     "wait'; echo $?"),
               "asked 0\n");
}

/* ---- what the children do */

static int become(char **argv)
{
    struct jw_file held = JW_FILE_CLOSED;
    struct jw_err err = {0};
    int code = -1;

    (void)jw_interrupt_watch();
    if (!jw_file_open(&held, "/proc/self/exe", &err))
        return 98;
    if (!jw_process_exec(&(struct jw_command){.argv = (const char *const *)argv}, &code, &err))
        printf("%s", err.msg);
    jw_file_close(&held);
    return code;
}

static int attend(char **argv)
{
    const struct jw_command c = {.argv = (const char *const *)argv};
    struct jw_process_end end;

    int code = jw_process_foreground(&c, &end, JW_IGNORED) ? end.code : 99;

    printf("%s", end.asked ? "asked " : "");
    return code;
}

static const char *disposition(int sig)
{
    struct sigaction now;

    (void)sigaction(sig, NULL, &now);
    return now.sa_handler == SIG_DFL   ? "default"
           : now.sa_handler == SIG_IGN ? "ignored"
                                       : "handled";
}

static bool blocked(int sig)
{
    sigset_t mask;

    (void)sigprocmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, sig);
}

/* As soon as it would be passed on: long before there is a command. */
static void send_early(void *ctx)
{
    uint64_t until = jw_time_after_ms(10000);
    struct sigaction now;

    (void)ctx;
    do
        CHECK(sigaction(SIGUSR1, NULL, &now) == 0);
    while (!(now.sa_flags & SA_SIGINFO) && jw_time_monotonic_ns() < until);
    CHECK(now.sa_flags & SA_SIGINFO && kill(getpid(), SIGUSR1) == 0);
}

TEST(a_signal_that_came_before_they_are_passed_on_starts_nothing)
{
    const char *const argv[] = {"true", NULL};
    const atomic_bool interrupted = true;
    const struct jw_command c = {.argv = argv, .interrupted = &interrupted};
    struct sigaction before, after;
    struct jw_process_end ended;

    CHECK(sigaction(SIGTERM, NULL, &before) == 0);
    CHECK(!jw_process_foreground(&c, &ended, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    CHECK(sigaction(SIGTERM, NULL, &after) == 0 && after.sa_handler == before.sa_handler);
}

TEST(a_signal_that_comes_before_the_command_reaches_it)
{
    const char *const argv[] = {"/bin/sleep", "5", NULL};
    struct jw_process_end ended;
    struct jw_thread *sender;

    CHECK(jw_thread_start(&sender, send_early, NULL, &err));
    CHECK(jw_process_foreground(&(struct jw_command){.argv = argv}, &ended, &err));
    jw_thread_join(sender);
    CHECK_TEXT(err.msg, "");
    CHECK_NUM(ended.signal, SIGUSR1);
}

MAIN(argc, argv)
{
    self = own_program();
    if (argc > 2 && strcmp(argv[1], "become") == 0)
        return become(argv + 2);
    if (argc > 2 && strcmp(argv[1], "attend") == 0)
        return attend(argv + 2);
    if (argc > 1 && strcmp(argv[1], "signals") == 0)
        return printf("int %s, term %s, usr1 %s", disposition(SIGINT), disposition(SIGTERM),
                      blocked(SIGUSR1) ? "blocked" : "open")
               < 0;
    if (argc > 1 && strcmp(argv[1], "blocked") == 0)
        return blocked(SIGUSR1) ? 0 : 1;
    scratch_begin();
    if (setenv("MARK", scratch("mark"), 1) != 0)
        return 2;
    return RUN(argc, argv);
}
