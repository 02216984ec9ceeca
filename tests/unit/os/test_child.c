/* This program is its own child: its last argument says what to do. */
#include "check.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/faults.h"
#include "rigs/variables.h"

#include <signal.h>
#include <stdlib.h>

static char *self; /* this program */

static struct jw_process *start(const char *what, const struct jw_child_edit *edits, size_t n_edits)
{
    const struct jw_command c = {.exe = self,
                                 .argv = (const char *const[]){self, "child", what, NULL},
                                 .edits = edits,
                                 .n_edits = n_edits};
    struct jw_process *p = NULL;
    struct jw_err err = {0};

    CHECK_OK(jw_process_start(&p, &c, &err), err);
    return p;
}

/* All that it says until it closes its pipe. */
static const char *words(struct jw_process *c)
{
    static char text[100000];
    size_t at = 0;

    for (;;) {
        enum jw_process_read what;
        size_t got;

        if (!jw_process_read(c, text + at, sizeof text - 1 - at, 20000, &what, &got, JW_IGNORED)
            || what != JW_PROCESS_DATA)
            break;
        at += got;
    }
    text[at] = '\0';
    return text;
}

static struct jw_process_end finish(struct jw_process *c, unsigned grace, bool want_killed)
{
    struct jw_process_end end;

    jw_process_finish(c, grace, &end);
    CHECK(end.killed == want_killed);
    jw_process_free(c);
    return end;
}

TEST(it_answers_as_often_as_it_is_asked)
{
    struct jw_process *c = start("echo", NULL, 0);

    for (unsigned i = 0; i < 200; i++) {
        char back[4];
        enum jw_process_read what;
        size_t got = 0, at = 0;

        CHECK(jw_process_send(c, "ping", 4, 20000, &err));
        while (at < 4 && jw_process_read(c, back + at, 4 - at, 20000, &what, &got, &err) && got)
            at += got;
        CHECK(at == 4 && memcmp(back, "ping", 4) == 0);
    }
    struct jw_process_end end = finish(c, 20000, false);

    CHECK(!end.crashed && end.code == 0);
}

TEST(silence_is_an_answer)
{
    struct jw_process *c = start("echo", NULL, 0);
    enum jw_process_read what = JW_PROCESS_DATA;
    char byte;
    size_t got;
    uint64_t before = jw_time_monotonic_ns();

    CHECK(jw_process_read(c, &byte, 1, 100, &what, &got, &err));
    CHECK(what == JW_PROCESS_SILENT && got == 0);
    CHECK(jw_time_monotonic_ns() - before >= (uint64_t)90 * 1000000);
    (void)finish(c, 20000, false);
}

TEST(how_it_ended_is_told)
{
    struct jw_process *c = start("exit", NULL, 0);

    CHECK_TEXT(words(c), "");
    struct jw_process_end end = finish(c, 20000, false);

    CHECK(!end.crashed && end.code == 42);
    CHECK_TEXT(end.how, "exit 42");

    c = start("crash", NULL, 0);
    CHECK_TEXT(words(c), "");
    end = finish(c, 20000, false);
    CHECK(end.crashed || jw_os_is_windows()); /* there abort() is an exit with code 3 */
    if (!jw_os_is_windows()) {
        CHECK_NUM(end.signal, SIGABRT);
        CHECK_NUM(end.code, 128 + SIGABRT);
        CHECK_TEXT(end.how, "signal 6 (Aborted)");
    }
}

TEST(one_that_does_not_end_is_killed)
{
    uint64_t before = jw_time_monotonic_ns();

    (void)finish(start("sleep", NULL, 0), 200, true);
    (void)finish(start("sleep", NULL, 0), 0, true);
    jw_process_free(start("sleep", NULL, 0));
    jw_process_free(NULL);
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)20 * 1000000000);
}

TEST(what_it_prints_goes_nowhere)
{
    struct jw_process *c = start("print", NULL, 0);

    CHECK_TEXT(words(c), "stdin 0 bytes");
    (void)finish(c, 20000, false);
}

TEST(its_memory_and_its_processor_time_are_known)
{
    struct jw_process *c = start("echo", NULL, 0);
    enum jw_process_read what;
    struct jw_process_end end;
    char back[4];
    size_t got = 0;

    CHECK(jw_process_send(c, "ping", 4, 20000, &err)); /* it is not yet much when it is just born */
    CHECK(jw_process_read(c, back, 4, 20000, &what, &got, &err) && got);
    uint64_t held = jw_process_memory(c);

    CHECK(held > 64 << 10 && held < (uint64_t)4 << 30);
    jw_process_finish(c, 20000, &end);
    CHECK_NUM(jw_process_memory(c), 0);
    jw_process_free(c);
}

TEST(without_a_parent_there_is_no_talk)
{
    struct jw_parent p;

    CHECK(freopen(jw_os_is_windows() ? "NUL" : "/dev/null", "r", stdin) != NULL);
    CHECK_REFUSED(jw_parent_open(&p, &err), err, "is no pipe to a parent");
}

/* A send to one that is gone fails; it must not end us. */
TEST(a_send_to_the_dead_fails)
{
    struct jw_process *c = start("exit", NULL, 0);
    static const char much[300000];

    (void)words(c);
    jw_time_sleep_ms(100);
    bool sent = jw_process_send(c, much, sizeof much, 1000, &err);

    CHECK(!sent && err.msg[0]);
    (void)finish(c, 20000, false);
}

TEST(a_child_that_does_not_read_is_noticed)
{
    struct jw_process *c = start("sleep", NULL, 0);
    static const char much[4 << 20];

    if (!jw_os_is_windows()) {
        CHECK_SAYS(jw_process_send(c, much, sizeof much, 300, &err), err,
                   "the child does not read what it is sent");
    }
    jw_process_free(c);
}

TEST(every_failure_in_starting_it_is_a_sentence)
{
    const struct jw_child_edit edit = {"A", "B"};
    const struct jw_command how = {.exe = self,
                                   .argv = (const char *const[]){self, "child", "exit", NULL},
                                   .edits = &edit,
                                   .n_edits = 1};

    EACH_FAULT (f, 1) {
        struct jw_process *c = NULL;
        bool ok = FAULTED(f, jw_process_start(&c, &how, &err));

        CHECK(ok == (c != NULL) && ok == !err.msg[0] && ok == !f.fired);
        jw_process_free(c);
        CHECK(f.nth < 200);
    }
}

/* ---- the child ---- */

static void child_print(struct jw_parent *p)
{
    static char rubbish[1 << 20]; /* more than any pipe holds */
    char text[64];
    size_t n;

    (void)fwrite(memset(rubbish, 'x', sizeof rubbish), sizeof rubbish, 1, stdout);
    (void)fflush(stdout);
    (void)fprintf(stderr, "more of it\n");
    n = fread(text, 1, sizeof text, stdin);
    (void)snprintf(text, sizeof text, "stdin %zu bytes", n);
    (void)!jw_parent_write(p, text, strlen(text), JW_IGNORED);
}

static int child(const char *what)
{
    struct jw_parent p;
    char four[4];
    bool gone = false;

    if (!jw_parent_open(&p, JW_IGNORED))
        return 9;
    if (strcmp(what, "exit") == 0)
        return 42;
    if (strcmp(what, "crash") == 0)
        abort();
    if (strcmp(what, "sleep") == 0)
        for (;;)
            jw_time_sleep_ms(1000);
    if (strcmp(what, "print") == 0)
        child_print(&p);
    while (strcmp(what, "echo") == 0 && jw_parent_read(&p, four, 4, &gone, JW_IGNORED) && !gone)
        (void)!jw_parent_write(&p, four, 4, JW_IGNORED);
    return 0;
}

MAIN(argc, argv)
{
    if (argc == 3 && strcmp(argv[1], "child") == 0)
        return child(argv[2]);
    self = own_program();
    return RUN(argc, argv);
}
