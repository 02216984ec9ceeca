#include "base/buf.h"
#include "base/source.h"
#include "check.h"

TEST(memory_reads_inside_only)
{
    struct jw_bytes bytes = JW_BYTES("0123456789");
    struct jw_source s = jw_source_memory(&bytes);
    char got[11] = "";

    CHECK_NUM(s.size, 10);
    CHECK(jw_source_read(&s, 0, got, 10, &err));
    CHECK_TEXT(got, "0123456789");
    CHECK(jw_source_read(&s, 10, got, 0, &err));
    CHECK(jw_source_read(&s, 9, got, 1, &err) && got[0] == '9');
    CHECK(!jw_source_read(&s, 9, got, 2, &err) && err.code == JW_E_FORMAT);
    CHECK_HAS(err.msg, "2 bytes at 0x9 run past the end (0xa)");
    CHECK(!jw_source_read(&s, 11, got, 0, &err));
    CHECK(!jw_source_read(&s, UINT64_MAX, got, 2, &err));
    CHECK(!jw_source_read(&s, 2, got, SIZE_MAX, &err));
}

TEST(windows_nest_and_cannot_leave)
{
    struct jw_bytes bytes = JW_BYTES("0123456789");
    struct jw_source s = jw_source_memory(&bytes), w, ww;
    char got[4] = "";

    CHECK(jw_source_window(&s, 2, 6, &w, &err) && w.size == 6);
    CHECK(jw_source_window(&w, 1, 3, &ww, &err) && ww.size == 3);
    CHECK(jw_source_read(&ww, 0, got, 3, &err));
    CHECK_TEXT(got, "345");
    CHECK(!jw_source_read(&ww, 1, got, 3, &err));
    CHECK(!jw_source_window(&w, 1, 6, &ww, &err) && err.code == JW_E_FORMAT);
    CHECK(!jw_source_window(&w, UINT64_MAX, 2, &ww, &err));
    CHECK(!jw_source_window(&w, 2, UINT64_MAX, &ww, &err));
    CHECK(jw_source_window(&w, 6, 0, &ww, &err) && jw_source_read(&ww, 0, got, 0, &err));
}

TEST(a_sink_fills_a_buffer_and_says_when_it_is_full)
{
    FREED(jw_buf) b = JW_BUF(4);
    struct jw_sink sink = jw_sink_buf(&b);

    CHECK(sink.put(sink.ctx, "1234", 4, &err));
    CHECK(!sink.put(sink.ctx, "5", 1, &err) && err.code == JW_E_LIMIT);
}
