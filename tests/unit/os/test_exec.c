/*
 * This program is its own child: `test_exec child-become IN ERR COMMAND...` reads from the file IN,
 * writes to the file ERR, and becomes COMMAND, which may be `test_exec child-echo CODE
 * ARGUMENT...`.
 */
#include "check.h"
#include "os/machine/env.h"
#include "os/machine/interrupt.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <signal.h>
#include <stdlib.h>

enum { PLENTY_MS = 60000, MAX_ARGS = 32 };

static char *self; /* this program */

/* What it says, and its exit code. */
static int become(struct jw_buf *out, const char *const command[])
{
    const char *argv[MAX_ARGS] = {self, "child-become", scratch("in"), scratch("err")};
    struct jw_err err = {0};
    int code = -1;

    for (size_t i = 0; command[i] && i < MAX_ARGS - 5; i++)
        argv[4 + i] = command[i];
    jw_buf_clear(out);
    CHECK_OK(jw_process_capture(self, argv, PLENTY_MS, out, &code, &err), err);
    return code;
}

#define COMMAND(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(streams_arguments_and_exit_code_are_the_commands)
{
    FREED(jw_buf) out = JW_BUF(10000);

    scratch_write(scratch("in"), "one\ntwo");
    CHECK_NUM(become(&out, COMMAND(self, "child-echo", "42", "a b", "", "\"q\\\"", "*")), 42);
    CHECK_TEXT(jw_buf_cstr(&out), "before [a b][][\"q\\\"][*] one\ntwo");
    scratch_holds(scratch("err"), "told");
    CHECK_NUM(become(&out, COMMAND(self, "child-echo", "0")), 0);
}

static void cannot(const char *command, int want, const char *sentence)
{
    FREED(jw_buf) out = JW_BUF(10000);
    char text[9000];

    scratch_write(scratch("in"), "");
    CHECK_NUM(become(&out, COMMAND(command, "argument")), want);
    (void)snprintf(text, sizeof text, "before %s", sentence);
    CHECK_TEXT(jw_buf_cstr(&out), text);
}

TEST(what_cannot_be_run_has_the_shells_codes)
{
    char path[4096], sentence[8192];

    cannot("no-such-command-of-ours", 127, "no-such-command-of-ours: not found");
    (void)snprintf(path, sizeof path, "%s", scratch("missing.exe"));
    (void)snprintf(sentence, sizeof sentence, "%s: %s", path,
                   jw_os_is_windows() ? "no such file" : "not found");
    cannot(path, 127, sentence);
    (void)snprintf(path, sizeof path, "%s", scratch("text.exe"));
    scratch_write(path, "this is no program");
    (void)snprintf(sentence, sizeof sentence, "%s: %s", path,
                   jw_os_is_windows() ? "is not a program of this system" : "permission denied");
    cannot(path, 126, sentence);
    if (jw_os_is_windows())
        cannot("tool.cmd", 126, "tool.cmd: is a batch file; run cmd /c tool.cmd");
}

TEST(an_interruption_that_came_before_counts)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;

    if (jw_os_is_windows())
        SKIP("a console event needs a console");
    CHECK(jw_process_capture(self, (const char *const[]){self, "child-interrupted", NULL},
                             PLENTY_MS, &out, &code, &err));
    CHECK_NUM(code, 130);
    CHECK_TEXT(jw_buf_cstr(&out), "x: interrupted before it was started");
}

/* ---- what the children do */

static int child_become(char **argv)
{
    struct jw_err err = {0};
    int code = -1;

    (void)jw_interrupt_watch();
    if (!freopen(argv[2], "rb", stdin) || !freopen(argv[3], "wb", stderr))
        return 99;
    printf("before "); /* and not lost, although it is still in a buffer */
    if (!jw_process_exec(&(struct jw_command){.argv = (const char *const *)argv + 4}, &code, &err))
        printf("%s", err.msg);
    return code;
}

static int child_echo(int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        printf("[%s]", argv[i]);
    printf(" ");
    for (int c; (c = getchar()) != EOF;)
        (void)putchar(c);
    (void)fputs("told", stderr);
    return (int)strtol(argv[2], NULL, 10);
}

static int child_interrupted(void)
{
    struct jw_err err = {0};
    int code = -1;

    (void)jw_interrupt_watch();
    (void)raise(SIGINT);
    if (!jw_process_exec(&(struct jw_command){.argv = COMMAND("x")}, &code, &err))
        printf("%s", err.msg);
    return code;
}

MAIN(argc, argv)
{
    int rc = 2;

    if (!jw_env_begin(JW_IGNORED))
        return rc;
    self = own_program();
    if (argc > 4 && strcmp(argv[1], "child-become") == 0)
        rc = child_become(argv);
    else if (argc > 2 && strcmp(argv[1], "child-echo") == 0)
        rc = child_echo(argc, argv);
    else if (argc > 1 && strcmp(argv[1], "child-interrupted") == 0)
        rc = child_interrupted();
    else {
        scratch_begin();
        rc = RUN(argc, argv);
    }
    return rc;
}
