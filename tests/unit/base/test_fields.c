#include "base/fields.h"

#include "base/compiler.h"
#include "base/limits.h"
#include "check.h"

TEST(what_is_put_comes_back)
{
    struct jw_buf out = JW_BUF(1000);

    jw_field8(&out, 1);
    jw_field16(&out, 0xfedc);
    jw_field32(&out, 0xfedcba98);
    jw_field64(&out, 0xfedcba9876543210);
    jw_field_text(&out, "text \xc3\xa4");
    jw_field_text(&out, NULL);
    CHECK(!out.bad);
    CHECK_NUM(out.n, 1 + 2 + 4 + 8 + 4 + 7 + 1 + 4 + 1);

    struct jw_reader r = jw_reader(jw_buf_bytes(&out));

    CHECK(jw_take_bool(&r));
    CHECK_NUM(jw_u16(&r), 0xfedc);
    CHECK_NUM(jw_u32(&r), 0xfedcba98);
    CHECK_NUM(jw_u64(&r), 0xfedcba9876543210);
    CHECK_TEXT(jw_take_text(&r), "text \xc3\xa4");
    CHECK_TEXT(jw_take_text(&r), "");
    CHECK(!r.bad && r.at == out.n);
    CHECK_TEXT(jw_take_text(&r), "");
    CHECK(r.bad);
    jw_buf_free(&out);
}

TEST(texts_that_are_none)
{
    static const uint8_t too_long[] = { 5, 0, 0, 0, 'a', 'b', 0 }, no_end[] = { 2, 0, 0, 0, 'a', 'b', 'c' },
                         two_ends[] = { 2, 0, 0, 0, 'a', 0, 0 }, huge[] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0 };
    const uint8_t *const cases[] = { too_long, no_end, two_ends, huge };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_reader r = jw_reader((struct jw_bytes){ cases[i], 7 });

        CHECK_TEXT(jw_take_text(&r), "");
        CHECK(r.bad);
    }
}

TEST(a_truth_is_0_or_1)
{
    struct jw_reader r = jw_reader((struct jw_bytes){ (const uint8_t[]){ 0, 2 }, 2 });

    CHECK(!jw_take_bool(&r) && !r.bad);
    CHECK(!jw_take_bool(&r) && r.bad);
}

TEST(a_text_past_the_ceiling_is_not_put)
{
    struct jw_buf text = JW_BUF(JW_MAX_PATH + 2), out = JW_BUF(JW_MAX_PATH * 2);

    jw_buf_fill(&text, 'x', JW_MAX_PATH);
    jw_field_text(&out, jw_buf_cstr(&text));
    CHECK(!out.bad);
    jw_buf_fill(&text, 'x', 1);
    jw_field_text(&out, jw_buf_cstr(&text));
    CHECK(out.bad);
    jw_buf_free(&text);
    jw_buf_free(&out);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_put_comes_back), T(texts_that_are_none), T(a_truth_is_0_or_1),
               T(a_text_past_the_ceiling_is_not_put));
}
