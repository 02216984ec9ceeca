#include "base/fields.h"

#include "base/compiler.h"
#include "base/limits.h"
#include "check.h"

static const struct jw_field a_text[] = {JW_FIELD_TEXT_ALONE, {0}};

TEST(texts_that_are_none)
{
    static const uint8_t too_long[] = {5, 0, 0, 0, 'a', 'b', 0},
                         no_end[] = {2, 0, 0, 0, 'a', 'b', 'c'},
                         two_ends[] = {2, 0, 0, 0, 'a', 0, 0},
                         huge[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0};
    const uint8_t *const cases[] = {too_long, no_end, two_ends, huge};
    const char *text;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_reader r = jw_reader((struct jw_bytes){cases[i], 7});

        jw_fields_get(&r, a_text, NULL, &text);
        CHECK_TEXT(text, "");
        CHECK(r.bad);
    }
}

TEST(a_text_past_the_ceiling_is_not_put)
{
    FREED(jw_buf) text = JW_BUF(JW_MAX_PATH + 2), out = JW_BUF(JW_MAX_PATH * 2);

    jw_buf_fill(&text, 'x', JW_MAX_PATH);
    jw_fields_put(&out, a_text, &(const char *){jw_buf_cstr(&text)});
    CHECK(!out.bad);
    jw_buf_fill(&text, 'x', 1);
    jw_fields_put(&out, a_text, &(const char *){jw_buf_cstr(&text)});
    CHECK(out.bad);
}

struct whole {
    uint8_t small, id[4];
    enum { FIRST, LAST = 2 } named;
    bool yes;
    int64_t when;
    const char *text;
    const char *const *names;
    size_t n_names;
    struct jw_bytes rest;
};

static const struct jw_field all[] = {
    JW_FIELD(struct whole, small),
    JW_FIELD(struct whole, id),
    JW_FIELD_UP_TO(struct whole, named, LAST),
    JW_FIELD(struct whole, yes),
    JW_FIELD(struct whole, when),
    JW_FIELD(struct whole, text),
    JW_FIELD_LIST_OF(struct whole, names, n_names, a_text),
    JW_FIELD(struct whole, rest),
    {0},
};

static struct jw_buf put_whole(void)
{
    static const char *const names[] = {"a", "bc"};
    static const struct whole in = {
        200, "abcd", LAST, true, -1, "text", names, 2, {(const uint8_t *)"xyz", 3}};
    struct jw_buf out = JW_BUF(1000);

    jw_fields_put(&out, all, &in);
    CHECK(!out.bad);
    return out;
}

static bool get_whole(struct jw_bytes record, struct jw_arena *a, struct whole *w)
{
    struct jw_reader r = jw_reader(record);

    *w = (struct whole){0};
    jw_fields_get(&r, all, a, w);
    return !r.bad && r.at == record.n;
}

enum { AT_NAMED = 5, AT_YES = AT_NAMED + 4, AT_NAMES = AT_YES + 1 + 8 + 9 };

TEST_ARENA(a_whole_record_comes_back)
{
    FREED(jw_buf) out = put_whole();
    struct whole w;

    CHECK(get_whole(jw_buf_bytes(&out), a, &w));
    CHECK(w.small == 200 && memcmp(w.id, "abcd", 4) == 0 && w.named == LAST && w.yes
          && w.when == -1);
    CHECK_TEXT(w.text, "text");
    CHECK(w.n_names == 2 && strcmp(w.names[0], "a") == 0 && strcmp(w.names[1], "bc") == 0);
    CHECK(w.rest.n == 3 && memcmp(w.rest.p, "xyz", 3) == 0);
    for (size_t n = 0; n <= out.n - 3; n++) /* the last may be empty */
        CHECK(get_whole((struct jw_bytes){out.p, n}, a, &w) == (n == out.n - 3));
}

/* A value that a field does not have, more elements than are there. */
TEST_ARENA(a_record_that_says_too_much_is_bad)
{
    static const struct {
        size_t at;
        uint8_t value;
    } cases[] = {{AT_NAMED, LAST + 1}, {AT_YES, 2}, {AT_NAMES, 200}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        FREED(jw_buf) out = put_whole();
        struct whole w;

        out.p[cases[i].at] = cases[i].value;
        CHECK(!get_whole(jw_buf_bytes(&out), a, &w));
    }
}
