#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "check.h"
#include "startup/startup_log.h"

#include <stdlib.h>

static const char *time_of(int64_t when, struct jw_arena *a)
{
    struct jw_buf b = JW_BUF(64);

    jw_text_time(&b, when);
    const char *text = jw_arena_str(a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return text;
}

TEST(times_are_those_of_the_calendar)
{
    struct jw_arena a = { 0 };

    CHECK_TEXT(time_of(0, &a), "1970-01-01T00:00:00Z");
    CHECK_TEXT(time_of(-1, &a), "1969-12-31T23:59:59Z");
    CHECK_TEXT(time_of(951782400, &a), "2000-02-29T00:00:00Z");
    CHECK_TEXT(time_of(1709251199, &a), "2024-02-29T23:59:59Z");
    CHECK_TEXT(time_of(1795189212, &a), "2026-11-20T15:40:12Z");
    CHECK_TEXT(time_of(4107542400, &a), "2100-03-01T00:00:00Z");
    jw_arena_free(&a);
}

static bool last_of(const char *log, struct jw_arena *a, struct jw_startup_run *run)
{
    bool found;

    jw_startup_last_run((struct jw_bytes){ (const uint8_t *)log, strlen(log) }, a, run, &found);
    return found;
}

TEST(a_line_is_read_as_it_was_written)
{
    static const int64_t times[] = { 0, 951782400, 951868799, 1709251199, 1795189212, 4107542399 };
    struct jw_arena a = { 0 };

    for (size_t i = 0; i < JW_COUNT(times); i++) {
        struct jw_buf b = JW_BUF(4096);
        struct jw_startup_run
            run = { times[i], 4711, "123-abc", "done", 1, 61234, "한글: 2 modules\tcompiled\n", false },
            got;

        jw_startup_write_line(&b, &run);
        CHECK(last_of(jw_buf_cstr(&b), &a, &got));
        CHECK(got.when == run.when && got.pid == run.pid && got.exit == 1 && got.milliseconds == 61234
              && !got.began);
        CHECK_TEXT(got.end, "done");
        CHECK_TEXT(got.start, "123-abc");
        CHECK_TEXT(got.what, "한글: 2 modules\\x09compiled\\x0a");
        jw_buf_free(&b);
    }
    jw_arena_free(&a);
}

TEST(the_last_whole_line_counts)
{
    static const char log[] = "2026-11-20T15:40:12Z\tbegan\t0\t0\tsomething has changed\t7@a\n"
                              "2026-11-20T15:41:12Z\tdone\t0\t60000\t3 modules\t7@a\n"
                              "nonsense\n"
                              "2026-11-20T19:41:12Z\tdone\t0\t60000\ttorn";
    struct jw_arena a = { 0 };
    struct jw_startup_run run;

    CHECK(last_of(log, &a, &run));
    CHECK_TEXT(run.what, "3 modules");
    CHECK(!run.began);
    CHECK(!last_of("", &a, &run));
    CHECK(!last_of("\n\n\n", &a, &run));
    CHECK(last_of("2026-11-20T15:40:12Z\tbegan\t0\t0\tsomething has changed\t7@a\n", &a, &run) && run.began);
    jw_arena_free(&a);
}

TEST(hostile_lines_are_passed_over)
{
    static const char *const lines[] = {
        "2026-13-20T15:40:12Z\tdone\t0\t0\tx\t7@a\n",
        "2026-11-20T25:40:12Z\tdone\t0\t0\tx\t7@a\n",
        "2026-11-20 15:40:12Z\tdone\t0\t0\tx\t7@a\n",
        "2026-11-20T15:40:12Z\tdone\t300\t0\tx\t7@a\n",
        "2026-11-20T15:40:12Z\tdone\t-1\t0\tx\t7@a\n",
        "2026-11-20T15:40:12Z\tdone\t0\t99999999999999999999\tx\t7@a\n",
        "2026-11-20T15:40:12Z\tdone\t0\t0\tx\t99999999999@a\n",
        "2026-11-20T15:40:12Z\tdone\t0\t0\tx\t7\n",
        "2026-11-20T15:40:12Z\tdone\t0\t0\tx\n",
        "\t\t\t\t\t\n",
    };
    struct jw_arena a = { 0 };
    struct jw_startup_run run;
    char long_line[9000];

    for (size_t i = 0; i < JW_COUNT(lines); i++)
        CHECK(!last_of(lines[i], &a, &run));
    memset(long_line, 'x', sizeof long_line);
    long_line[sizeof long_line - 2] = '\n';
    long_line[sizeof long_line - 1] = '\0';
    CHECK(!last_of(long_line, &a, &run));
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(times_are_those_of_the_calendar), T(a_line_is_read_as_it_was_written),
               T(the_last_whole_line_counts), T(hostile_lines_are_passed_over));
}
