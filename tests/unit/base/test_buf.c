#include "base/buf.h"
#include "check.h"

TEST(grows_to_its_maximum_and_not_past_it)
{
    struct jw_buf b = JW_BUF(1000);

    for (int i = 0; i < 1000; i++)
        jw_buf_add(&b, "x", 1);
    CHECK(!b.bad && b.n == 1000);
    CHECK_NUM(strlen(jw_buf_cstr(&b)), 1000);
    CHECK(jw_buf_ok(&b, &err));
    jw_buf_add(&b, NULL, 0);
    CHECK(!b.bad);
    jw_buf_add(&b, "y", 1);
    CHECK(b.bad && b.n == 1000);
    CHECK(!jw_buf_ok(&b, &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "1000 bytes");
    jw_buf_free(&b);
    CHECK(!b.bad && b.max == 1000 && !b.p);
}

TEST(bad_is_sticky)
{
    FREED(jw_buf) b = JW_BUF(4);

    jw_buf_text(&b, "12345");
    CHECK(b.bad && b.n == 0);
    jw_buf_text(&b, "1");
    jw_buf_printf(&b, "%d", 1);
    jw_buf_fill(&b, '1', 1);
    CHECK(b.n == 0);
    CHECK_TEXT(jw_buf_cstr(&b), "");
    jw_buf_clear(&b);
    jw_buf_text(&b, "1234");
    CHECK_TEXT(jw_buf_cstr(&b), "1234");
}

TEST(huge_requests_do_not_wrap)
{
    FREED(jw_buf) b = JW_BUF(100);

    jw_buf_text(&b, "ab");
    jw_buf_fill(&b, 0, SIZE_MAX);
    CHECK(b.bad && b.n == 2);
    jw_buf_clear(&b);
    jw_buf_text(&b, "ab");
    jw_buf_fill(&b, 0, SIZE_MAX - 1);
    CHECK(b.bad && b.n == 2);
}

TEST(printf_and_fill)
{
    struct jw_buf b = JW_BUF(64);

    CHECK_TEXT(jw_buf_cstr(&b), "");
    jw_buf_printf(&b, "%s-%u", "sm", 86u);
    jw_buf_fill(&b, '.', 3);
    CHECK_TEXT(jw_buf_cstr(&b), "sm-86...");
    CHECK_NUM(jw_buf_bytes(&b).n, 8);
    jw_buf_printf(&b, "%100d", 1);
    CHECK(b.bad);
    jw_buf_free(&b);
    jw_buf_printf(&b, "%64d", 1); /* exactly the maximum */
    CHECK(!b.bad && b.n == 64);
    jw_buf_free(&b);
}
