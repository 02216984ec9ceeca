#include "check.h"
#include "cli/bar.h"

static const char *line(uint64_t done, uint64_t total, double seconds, unsigned columns)
{
    static struct jw_buf out;

    jw_buf_free(&out);
    out = JW_BUF(1024);
    jw_bar_line(&out, done, total, seconds, columns);
    return jw_buf_cstr(&out);
}

TEST(as_wide_as_the_terminal_allows)
{
    CHECK_TEXT(line(108000000, 266000000, 10, 80),
               "[############...................] 40 %, 103 of 254 MiB, about 14 s left");
    CHECK_TEXT(line(108000000, 266000000, 10, 60), "[####.......] 40 %, 103 of 254 MiB, about 14 s left");
    CHECK_TEXT(line(108000000, 266000000, 10, 40), "40 %, 103 of 254 MiB");
    CHECK_TEXT(line(108000000, 266000000, 10, 0), "40 %, 103 of 254 MiB");
    CHECK_NUM(jw_bar_width(50, 40), 0);
    CHECK_NUM(jw_bar_width(51, 40), 10);
    CHECK_NUM(jw_bar_width(1000, 40), 60);
}

TEST(nothing_is_predicted_too_early_or_too_late)
{
    CHECK_TEXT(line(1, 100, 0.5, 80), "[...............................] 1 %, 1 of 100 B");
    CHECK_TEXT(line(0, 100, 9, 80), "[...............................] 0 %, 0 of 100 B");
    CHECK_TEXT(line(100, 100, 9, 80), "[###############################] 100 %, 100 of 100 B");
    CHECK_TEXT(line(200, 100, 9, 40), "100 %, 200 of 100 B");
    CHECK_TEXT(line(0, 0, 9, 40), "0 %, 0 of 0 B");
}
