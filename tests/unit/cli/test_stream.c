#include "check.h"
#include "cli/stream.h"

#define MS ((uint64_t)1000000)

static struct jw_stream messages;

/* What was told since the stream was opened. */
static const char *told(void)
{
    static char text[4096];
    size_t n;

    (void)fflush(messages.to);
    rewind(messages.to);
    n = fread(text, 1, sizeof text - 1, messages.to);
    text[n] = '\0';
    (void)fclose(messages.to);
    return text;
}

static bool opened(bool terminal, bool quiet)
{
    FILE *to = tmpfile();

    if (!to)
        return false;
    messages = (struct jw_stream){.to = to, .terminal = terminal, .columns = 20, .quiet = quiet};
    return true;
}

TEST(quiet_says_errors_alone)
{
    for (int quiet = 0; quiet <= 1; quiet++) {
        if (!opened(false, quiet))
            SKIP("no temporary file");
        jw_messages_error(&messages, "e");
        jw_messages_warn(&messages, "w");
        jw_messages_say(&messages, "s %d", 1);
        CHECK_TEXT(told(), quiet ? "jitwarm: e\n" : "jitwarm: e\njitwarm: w\njitwarm: s 1\n");
    }
}

TEST(colour_marks_the_purpose_only)
{
    if (!opened(true, false))
        SKIP("no temporary file");
    messages.colours = true;
    jw_messages_error(&messages, "no");
    jw_messages_warn(&messages, "hm");
    CHECK_TEXT(told(), "\033[31mjitwarm:\033[0m no\n\033[33mjitwarm:\033[0m hm\n");
}

TEST(foreign_text_cannot_move_the_cursor)
{
    if (!opened(false, false))
        SKIP("no temporary file");
    jw_messages_say(&messages, "%s is odd", "a\n\033[2Jb");
    CHECK_TEXT(told(), "jitwarm: a\\x0a\\x1b[2Jb is odd\n");
}

/* Set as if the work had begun long ago, so that no test waits. */
static void begun_long_ago(void) { messages.due = 1; }

TEST(progress_is_cut_drawn_and_erased)
{
    if (!opened(true, false))
        SKIP("no temporary file");
    begun_long_ago();
    jw_messages_progress(&messages, "12 files, now /opt/cuda/lib64");
    jw_messages_progress(&messages, "too soon for another");
    jw_messages_say(&messages, "found");
    jw_messages_progress_end(&messages);

    const char *text = told();

    CHECK(strncmp(text, "\r12 files, now /opt", 19) == 0);
    CHECK(!strstr(text, "lib64") && !strstr(text, "too soon"));
    CHECK_HAS(text, "\r                   \rjitwarm: found\n");
    CHECK(strlen(strstr(text, "found")) == strlen("found\n"));
}

TEST(progress_needs_a_terminal_and_a_listener)
{
    for (int both = 0; both <= 1; both++) {
        if (!opened(both, both))
            SKIP("no temporary file");
        begun_long_ago();
        jw_messages_progress(&messages, "x");
        CHECK_TEXT(told(), "");
    }
}

TEST(the_pace_is_one_second_then_ten_a_second)
{
    struct jw_stream p = {0};
    uint64_t start = 5000 * MS;

    CHECK(!jw_stream_is_due(&p, start));
    CHECK(!jw_stream_is_due(&p, start + 999 * MS));
    CHECK(jw_stream_is_due(&p, start + 1000 * MS));
    CHECK(!jw_stream_is_due(&p, start + 1099 * MS));
    CHECK(jw_stream_is_due(&p, start + 1100 * MS));
}

TEST(what_is_written_arrives)
{
    if (!opened(false, false))
        SKIP("no temporary file");
    CHECK(!messages.wrote);
    jw_stream_text(&messages, "one ");
    jw_stream_text(&messages, "two");
    CHECK(messages.wrote && !messages.failed);
    CHECK_TEXT(told(), "one two");
}
