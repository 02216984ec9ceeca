#include "check.h"
#include "formats/fatbin.h"
#include "gen/sources.h"

/* Far apart: 256 bytes each, and no page is begun for more than what is asked for. */
TEST(far_reads_are_short)
{
    struct gen_sparse file = { .size = 100000, .n = 2 };
    struct jw_source src = gen_source(&file);
    struct jw_window w = { .src = &src };
    struct jw_bytes b;
    struct jw_err err = { 0 };

    struct jw_bytes text = JW_BYTES("0123456789abcdefghijklmnopqrstuvwxyz");

    file.piece[0].data = text;
    file.piece[1].at = 100000 - text.n;
    file.piece[1].data = text;
    CHECK(jw_window_get(&w, 3, 4, &b, &err) && memcmp(b.p, "3456", 4) == 0);
    CHECK(jw_window_get(&w, 10, 3, &b, &err) && memcmp(b.p, "abc", 3) == 0);
    CHECK(jw_window_get(&w, 3 + 256 - 8, 8, &b, &err) && b.n == 8);
    CHECK(file.reads == 1 && file.bytes == 256);
    CHECK(jw_window_get(&w, 100000 - 1, 1, &b, &err) && b.p[0] == 'z');
    CHECK(file.reads == 2 && file.bytes == 257);
    CHECK(jw_window_get(&w, 4096 - 64, 64, &b, &err));
    CHECK(file.reads == 3 && file.bytes == 257 + 64);
    CHECK(jw_window_get(&w, 65536 - 60, 64, &b, &err)); /* across two pages */
    CHECK(file.reads == 4 && file.bytes == 257 + 64 + 256);
    CHECK(jw_window_get(&w, 0, JW_WINDOW, &b, &err) && b.p[35] == 'z');
}

/* Close to each other: up to 8 KiB at once, which end where a page ends. */
TEST(near_reads_cost_one)
{
    struct gen_sparse file = { .size = 100000 };
    struct jw_source src = gen_source(&file);
    struct jw_window w = { .src = &src };
    struct jw_bytes b;
    struct jw_err err = { 0 };

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
    struct jw_err err = { 0 };

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
