/*
 * What people read of every made report, held against prime_text.golden. `test_cli_prime_text print` writes that file:
 * read the difference before you commit it.
 */
#include "base/arena.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/text.h"
#include "check.h"
#include "prime_answer.h"
#include "prime_reports.h"
#include "verbs/prime.h"

#include <stdlib.h>

static const struct {
    const char *name, *title;
    struct answer_how how;
} extra[] = {
    { "partly", "partly --verbose", { .verbose = true, .columns = 80 } },
    { "plan", "plan --verbose", { .verbose = true, .columns = 80 } },
    { "odd-names", "odd-names --verbose", { .verbose = true, .columns = 80 } },
    { "plan", "plan, into a file", { .columns = 0 } },
};

/* Without the rows of jobs that are all alike. */
static void print_answer(FILE *to, const char *text)
{
    const char *last = "";
    size_t n, length = 0;

    for (; *text; text += n) {
        n = strcspn(text, "\n") + 1;
        if (n != length || strncmp(text, last, n) != 0)
            (void)fwrite(text, 1, n, to);
        last = text;
        length = n;
    }
}

static void print_all(FILE *to)
{
    const struct made_report *m;

    for (size_t i = 0; (m = made_report_at(i)); i++) {
        (void)fprintf(to, "---- %s\n", m->name);
        print_answer(to, answer_of(m->verb, &m->report, (struct answer_how){ .columns = 80 }));
    }
    for (size_t i = 0; i < JW_COUNT(extra); i++) {
        m = made_report(extra[i].name);
        (void)fprintf(to, "---- %s\n", extra[i].title);
        print_answer(to, answer_of(m->verb, &m->report, extra[i].how));
    }
}

/* With JW_BLESS set it is written again: read the diff before you commit it. */
static FILE *golden(void)
{
    const char *source = getenv("JW_SOURCE_DIR");
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/tests/unit/cli/prime_text.golden", source ? source : ".");
    if (getenv("JW_BLESS")) {
        FILE *again = fopen(path, "wb");

        if (again) {
            print_all(again);
            (void)fclose(again);
        }
    }
    return fopen(path, "rb");
}

TEST(every_report_reads_as_it_should)
{
    char title[512] = "", want[512], got[512];
    FILE *is = tmpfile(), *should = golden();
    bool same = is && should;

    if (!is)
        SKIP("no temporary file");
    CHECK(should != NULL);
    print_all(is);
    rewind(is);
    while (same && fgets(got, sizeof got, is)) {
        if (strncmp(got, "----", 4) == 0)
            memcpy(title, got, sizeof title);
        if (!fgets(want, sizeof want, should))
            want[0] = '\0';
        same = strcmp(got, want) == 0;
        if (!same) {
            CHECK_TEXT(title, "(the section that differs)");
            CHECK_TEXT(got, want);
        }
    }
    CHECK(!same || !fgets(want, sizeof want, should));
    if (should)
        (void)fclose(should);
    (void)fclose(is);
}

static size_t lines_in(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Commands are not wrapped, and none of the made reports has one that is longer. */
TEST(every_report_fits_a_screen)
{
    const struct made_report *m;

    for (size_t i = 0; (m = made_report_at(i)); i++) {
        const char *text = answer_of(m->verb, &m->report, (struct answer_how){ .columns = 80 });

        if (lines_in(text) > 23)
            check_equal_text(__FILE__, __LINE__, "fits", m->name, "23 lines");
        for (size_t n; *text; text += n + 1) {
            char line[400];

            n = strcspn(text, "\n");
            (void)snprintf(line, sizeof line, "%.*s", (int)n, text);
            CHECK(jw_text_width(line) <= 82);
        }
    }
}

TEST(nothing_from_outside_moves_the_cursor)
{
    const struct made_report *m = made_report("odd-names");

    for (int verbose = 0; verbose < 2; verbose++) {
        const char *text =
            answer_of(m->verb, &m->report, (struct answer_how){ .verbose = verbose, .columns = 80 });

        CHECK(!strpbrk(text, "\033\a\r\t"));
        CHECK_HAS(text, "한국어/lib\\x0ax\\x1b[31m.so");
    }
}

TEST(exit_codes_follow_from_the_end)
{
    static const struct {
        enum jw_end end;
        int prime, plan;
    } rows[] = {
        { JW_END_DONE, 0, 0 },    { JW_END_NOTHING, 0, 0 },      { JW_END_PARTLY, 1, 0 },
        { JW_END_NO_GPU, 3, 0 },  { JW_END_CANNOT_WRITE, 4, 4 }, { JW_END_CONSENT, 7, 0 },
        { JW_END_BUSY, 7, 0 },    { JW_END_TIME, 7, 0 },         { JW_END_INTERRUPTED, 130, 130 },
        { JW_END_STOPPED, 1, 0 }, { JW_END_WAITING, 0, 0 },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        CHECK_NUM(prime_exit(PRIME_PRIME, rows[i].end), rows[i].prime);
        CHECK_NUM(prime_exit(PRIME_VERIFY, rows[i].end), rows[i].prime);
        CHECK_NUM(prime_exit(PRIME_PLAN, rows[i].end), rows[i].plan);
    }
}

TEST(without_memory_there_is_a_sentence)
{
    static const char *const names[] = { "partly", "plan", "verify-missing" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct prime_view v = { .report = NULL };
        const struct made_report *m = made_report(names[i]);

        v.verb = m->verb;
        v.report = &m->report;
        for (unsigned long nth = 1;; nth++) {
            struct jw_arena arena = { 0 };
            struct cli cli = { .arena = &arena };
            struct jw_err err = { 0 };
            FILE *to = tmpfile();

            if (!to)
                SKIP("no temporary file");
            jw_output_open(&cli.out, to, 80, 80);
            jw_fault_arm(nth);
            bool ok = prime_report(&cli, &v, &err);
            bool fired = jw_fault_fired();

            jw_fault_arm(0);
            CHECK(ok || err.msg[0]);
            CHECK(ok || fired);
            (void)fclose(to);
            jw_arena_free(&arena);
            if (!fired)
                break;
        }
    }
}

MAIN(argc, argv)
{
    int code = 0;

    if (argc == 2 && strcmp(argv[1], "print") == 0)
        print_all(stdout);
    else
        code = RUN(argc, argv);
    answer_free();
    made_reports_free();
    return code;
}
