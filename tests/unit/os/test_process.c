/* This program is its own child: `test_process child-WHAT ...` does one thing that the tests look
 * at. */
#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

static char *self; /* this program */

static bool capture(struct jw_buf *out, unsigned ms, int *code, struct jw_err *err,
                    const char *const argv[])
{
    return jw_process_capture(self, argv, ms, out, code, err);
}

#define ARGV(...) ((const char *const[]){self, __VA_ARGS__, NULL})

enum { PLENTY_MS = 60000 };

TEST(output_and_exit_code_come_back)
{
    FREED(jw_buf) out = JW_BUF(1 << 20);
    int code = -1;

    CHECK(capture(&out, PLENTY_MS, &code, &err, ARGV("child-exit", "0")));
    CHECK_NUM(code, 0);
    CHECK_NUM(out.n, 0);
    CHECK(capture(&out, PLENTY_MS, &code, &err, ARGV("child-exit", "42")));
    CHECK_NUM(code, 42);
    CHECK(capture(&out, PLENTY_MS, &code, &err, ARGV("child-streams")));
    CHECK_TEXT(jw_buf_cstr(&out), "stdin 0 bytes\n"); /* and nothing of what it wrote to stderr */
    CHECK_TEXT(err.msg, "");
}

TEST(arguments_arrive_as_they_left)
{
    const char *const hard[] = {
        self,     "child-args", "",         "plain",  "two words",   "tab\there", "\"",     "\\",
        "\\\"",   "a\\\\b\"",   "end\\",    "end \\", "end \\\\",    "*",         "%PATH%", "$HOME",
        "한글 😀", "a\nb",       "'single'", "^&|<>",  "--x=\"y z\"", NULL};
    FREED(jw_buf) out = JW_BUF(1 << 20), want = JW_BUF(1 << 20);
    int code = -1;

    for (size_t i = 2; hard[i]; i++)
        jw_buf_printf(&want, "[%s]", hard[i]);
    CHECK(capture(&out, PLENTY_MS, &code, &err, hard));
    CHECK_TEXT(jw_buf_cstr(&out), jw_buf_cstr(&want));
}

TEST(large_output_is_whole_and_a_flood_is_stopped)
{
    struct jw_buf out = JW_BUF(8 << 20);
    int code = -1;

    CHECK(capture(&out, PLENTY_MS, &code, &err, ARGV("child-write", "5000000")));
    CHECK_NUM(out.n, 5000000);
    CHECK_NUM(code, 0);
    jw_buf_free(&out);

    out = JW_BUF(100000);
    CHECK(!capture(&out, PLENTY_MS, &code, &err, ARGV("child-write", "2000000000")));
    CHECK_NUM(err.code, JW_E_LIMIT);
    CHECK_TEXT(err.msg, "its output: no room for more than 100000 bytes");
    jw_buf_free(&out);
}

TEST(too_long_is_ended)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;
    uint64_t before = jw_time_monotonic_ns();

    CHECK(!capture(&out, 300, &code, &err, ARGV("child-sleep", "60000")));
    CHECK_TEXT(err.msg, "ran longer than 300 ms and was ended");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)20 * 1000000000);
}

/* A beating file: who writes it is alive. */
static unsigned long beat_of(const char *path)
{
    FREED(jw_buf) text = JW_BUF(100);
    bool found;
    unsigned long n = jw_file_slurp(path, &text, &found, JW_IGNORED) && found
                          ? strtoul(jw_buf_cstr(&text), NULL, 10)
                          : 0;

    return n;
}

TEST(its_children_end_with_it)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;
    char file[4096];

    (void)snprintf(file, sizeof file, "%s", scratch("beat"));
    CHECK_REFUSED(capture(&out, 3000, &code, &err, ARGV("child-nest", file)), err, "ran longer");

    unsigned long last = beat_of(file);

    CHECK(last > 0);
    jw_time_sleep_ms(500);
    CHECK_NUM(beat_of(file), last);
}

TEST(a_crash_is_told)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;

    CHECK_REFUSED(capture(&out, PLENTY_MS, &code, &err, ARGV("child-crash")), err, "was ended by ");
    CHECK_NUM(err.code, JW_E_IO);
}

static void not_started(const char *exe, enum jw_code want_code, const char *sentence)
{
    struct jw_err err = {0};
    FREED(jw_buf) out = JW_BUF(1000);
    int code = 7;

    CHECK_SAYS(jw_process_capture(exe, (const char *const[]){exe, NULL}, 10000, &out, &code, &err),
               err, sentence);
    CHECK_NUM(err.code, want_code);
    CHECK(code == -1);
}

/* Absolute, because that is what a program's path has to be. */
static const char *absolute(const char *name)
{
    static char path[8192];
    const char *at = scratch(name), *slash = strrchr(self, jw_os_is_windows() ? '\\' : '/');

    if (jw_path_absolute(at) || *at == '/')
        (void)snprintf(path, sizeof path, "%s%s", jw_os_is_windows() && *at == '/' ? "Z:" : "", at);
    else
        (void)snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self), self, at);
    return path;
}

TEST(what_cannot_be_started_says_why)
{
    scratch_write(scratch("text.exe"), "this is no program");
    not_started(absolute("missing.exe"), JW_E_IO, "no such file");
    not_started("relative.exe", JW_E_USAGE, "is not an absolute path");
    if (jw_os_is_windows()) {
        not_started("C:\\windows\\x.bat", JW_E_IO,
                    "is a batch file; run cmd /c C:\\windows\\x.bat");
        return;
    }
    not_started(absolute("text.exe"), JW_E_IO, "permission denied");
    not_started(absolute(""), JW_E_IO, "permission denied");
    CHECK(chmod(scratch("text.exe"), 0755) == 0);
    not_started(absolute("text.exe"), JW_E_IO, "is not a program of this system");
}

TEST(the_environment_is_ours)
{
    static char variable[] = "JW_TEST_VALUE=한글";
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;

    if (jw_os_is_windows())
        SKIP("the C library sets only what the code page knows");
    CHECK(putenv(variable) == 0);
    CHECK(capture(&out, PLENTY_MS, &code, &err, ARGV("child-env", "JW_TEST_VALUE")));
    CHECK_TEXT(jw_buf_cstr(&out), "한글");
}

static void told(const struct jw_child_edit *edits, size_t n, const char *name, const char *want)
{
    const struct jw_command c = {
        .exe = self, .argv = ARGV("child-env", name), .edits = edits, .n_edits = n};
    struct jw_err err = {0};
    FREED(jw_buf) out = JW_BUF(1000);
    int code = -1;

    CHECK_OK(jw_process_run(&c, PLENTY_MS, &out, &code, &err), err);
    CHECK_TEXT(jw_buf_cstr(&out), want);
}

TEST(its_environment_can_be_changed)
{
    static char inherited[] = "JW_TEST_INHERITED=ours";
    const struct jw_child_edit edits[] = {{"JW_TEST_A", "first"},
                                          {"JW_TEST_A", "two words = one value"},
                                          {"JW_TEST_B", "b"},
                                          {"JW_TEST_B", NULL}};
    const size_t n = sizeof edits / sizeof edits[0];

    CHECK(putenv(inherited) == 0);
    told(edits, n, "JW_TEST_INHERITED", "ours");
    told(edits, n, "JW_TEST_A", "two words = one value");
    told(edits, n, "JW_TEST_B", "nothing");
    told((const struct jw_child_edit[]){{"JW_TEST_*", NULL}}, 1, "JW_TEST_INHERITED", "nothing");
}

static void search(const char *name, const char *want)
{
    FREED(jw_arena) a = {0};
    const char *path = jw_process_path(name, &a);

    CHECK_TEXT(path ? path : "", want);
}

TEST(programs_are_found_through_absolute_entries_only)
{
    static char list[16384], want[8192];
    char separator = jw_os_is_windows() ? ';' : ':';
    const char *exe = jw_os_is_windows() ? ".exe" : "", *between = jw_os_is_windows() ? "\\" : "/";

    CHECK(jw_make_dirs(scratch("bin/folder.exe"), &err)
          && jw_make_dirs(scratch("first/folder"), &err));
    CHECK(jw_make_dirs(scratch("bin/folder"), &err));
    scratch_write(scratch("bin/tool.exe"), "x");
    scratch_write(scratch("bin/tool"), "x");
    scratch_write(scratch("first/plain"), "x"); /* not executable, not an .exe */
    CHECK(chmod(scratch("bin/tool"), 0755) == 0);
    CHECK(chmod(scratch("bin/tool.exe"), 0755) == 0);

    (void)snprintf(list, sizeof list, "PATH=.%c%c%s%c", separator, separator, scratch("bin"),
                   separator);
    if (*scratch("bin") != '/') {
        CHECK(putenv(list) == 0);
        search("tool", ""); /* a relative entry is passed over */
    }
    (void)snprintf(list, sizeof list, "PATH=bin%c%s", separator, absolute("first"));
    (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%c%s", separator,
                   absolute("bin"));
    CHECK(putenv(list) == 0);
    (void)snprintf(want, sizeof want, "%s%stool%s", absolute("bin"), between, exe);
    search("tool", want);
    search("plain", "");
    search("folder", "");
    search("missing", "");
    search("bin/tool", "");
    search("", "");
}

/* ---- what the children do */

static void child_args(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        printf("[%s]", argv[i]);
}

static void child_streams(void)
{
    size_t n = 0;

    while (getchar() != EOF)
        n++;
    (void)fprintf(stderr, "nobody reads this\n");
    printf("stdin %zu bytes\n", n);
}

static void child_write(unsigned long n)
{
    static char block[10000];

    memset(block, 'x', sizeof block);
    for (; n; n -= n < sizeof block ? n : sizeof block)
        if (fwrite(block, 1, n < sizeof block ? n : sizeof block, stdout) == 0)
            exit(1);
}

static void child_beat(const char *path)
{
    char text[32];

    for (unsigned n = 1; n < 3000; n++) {
        (void)snprintf(text, sizeof text, "%u", n);
        scratch_write(path, text);
        jw_time_sleep_ms(20);
    }
}

static void child_nest(const char *path)
{
    FREED(jw_buf) out = JW_BUF(1000);
    int code;

    (void)capture(&out, PLENTY_MS, &code, JW_IGNORED, ARGV("child-beat", path));
}

/* As a bad pointer would end it, but without a debugger or a sanitizer that shows up in between. */
static int crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    if (!jw_os_is_windows())
        (void)raise(SIGSEGV);
    return (int)0xc0000005;
}

static int child(int argc, char **argv)
{
    const char *what = argv[1] + strlen("child-"), *arg = argc > 2 ? argv[2] : "";
    const char *value;

    if (strcmp(what, "args") == 0)
        child_args(argc, argv);
    else if (strcmp(what, "exit") == 0)
        return (int)strtoul(arg, NULL, 10);
    else if (strcmp(what, "streams") == 0)
        child_streams();
    else if (strcmp(what, "write") == 0)
        child_write(strtoul(arg, NULL, 10));
    else if (strcmp(what, "sleep") == 0)
        jw_time_sleep_ms((unsigned)strtoul(arg, NULL, 10));
    else if (strcmp(what, "beat") == 0)
        child_beat(arg);
    else if (strcmp(what, "nest") == 0)
        child_nest(arg);
    else if (strcmp(what, "crash") == 0)
        return crash();
    else if (strcmp(what, "env") == 0)
        printf("%s", (value = getenv(arg)) != NULL ? value : "nothing");
    return 0;
}

MAIN(argc, argv)
{
    if (!jw_env_begin(JW_IGNORED))
        return 2;
    self = own_program();

    int rc;

    if (argc > 1 && strncmp(argv[1], "child-", 6) == 0)
        rc = child(argc, argv);
    else {
        scratch_begin();
        rc = RUN(argc, argv);
    }
    return rc;
}
