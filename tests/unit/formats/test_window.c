#include "check.h"
#include "formats/fatbin.h"
#include "gen/sources.h"

/* Close to each other: up to 8 KiB at once, which end where a page ends. */
TEST(near_reads_cost_one)
{
    struct gen_sparse file = { .size = 100000 };
    struct jw_source src = gen_source(&file);
    struct jw_window w = { .src = &src };
    struct jw_bytes b;

    CHECK(jw_window_get(&w, 3000, 64, &b, &err));
    for (uint64_t at = 4000; at < 8128; at += 1000)
        CHECK(jw_window_get(&w, at, 64, &b, &err));
    CHECK(file.reads == 2 && file.bytes == 256 + 8192 - 4000);
    CHECK(jw_window_get(&w, 2, 1, &b, &err) && jw_window_get(&w, 99999, 1, &b, &err));
}

TEST(what_cannot_be_had)
{
    struct gen_sparse file = { .size = 300 };
    struct jw_source src = gen_source(&file);
    struct jw_window w = { .src = &src };
    struct jw_bytes b;

    CHECK(!jw_window_get(&w, 0, JW_WINDOW + 1, &b, &err) && err.code == JW_E_LIMIT);
    CHECK(!jw_window_get(&w, 298, 3, &b, &err) && err.code == JW_E_FORMAT);
    CHECK_TEXT(err.msg, "3 bytes at 0x12a run past the end (0x12c)");
    CHECK(!jw_window_get(&w, UINT64_MAX, 3, &b, &err) && err.code == JW_E_FORMAT);
    CHECK(jw_window_get(&w, 297, 3, &b, &err));
    file.reads = 0;
    file.fail_at = 1;
    CHECK(!jw_window_get(&w, 0, 3, &b, &err) && err.code == JW_E_IO);
    file.fail_at = 0;
    CHECK(jw_window_get(&w, 0, 3, &b, &err)); /* nothing stale is left */
}
