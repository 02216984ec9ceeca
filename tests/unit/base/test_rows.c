/* What a row writes of its member, at the edges. */
#include "base/rows.h"

#include "base/buf.h"
#include "check.h"

#include <stdio.h>

struct inner {
    const char *name;
};

struct outer {
    const char *text;
    char chars[4];
    int64_t when;
    int code;
    uint16_t small;
    double real;
    bool yes, flag;
    enum jw_end end;
    uint64_t counts[2];
    const struct inner *list;
    size_t n;
    const struct inner *one;
};

#define OUTER struct outer

static const char *const count_names[] = { "a", "b" };

static const struct jw_row inner[] = { { JW_ROW("name", struct inner, name), JW_NULLABLE }, { 0 } };

static const struct jw_row rows[] = {
    { JW_ROW("text", OUTER, text) },
    { JW_ROW("maybe", OUTER, text), JW_NULLABLE },
    { JW_ROW("chars", OUTER, chars), JW_NULLABLE },
    { JW_ROW("when", OUTER, when) },
    { JW_ROW("code", OUTER, code), JW_NULLABLE },
    { JW_ROW("small", OUTER, small), JW_NULLABLE },
    { JW_ROW("real", OUTER, real), JW_NULLABLE },
    { JW_ROW("yes", OUTER, yes) },
    { JW_ROW_AT("flag", OUTER, flag), .kind = JW_ROW_FLAG },
    { JW_ROW("with_flag", OUTER, small), JW_IF(OUTER, flag) },
    { JW_ENDING(OUTER, end, JW_CAN(DONE)) },
    { JW_ENUM_MAP("counts", OUTER, counts, count_names, NULL) },
    { JW_LIST("list", OUTER, list, n, inner) },
    { JW_SUB_AT("one", OUTER, one, inner) },
    { JW_PART_AT(OUTER, one, inner) },
    { 0 },
};

static const char *text_of(const OUTER *of)
{
    static char text[4096];
    struct jw_buf b = JW_BUF(sizeof text);
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_sink_buf(&b), false, &err);
    jw_rows_object(&j, NULL, rows, of);
    CHECK(jw_json_end(&j));
    (void)snprintf(text, sizeof text, "%s", jw_buf_cstr(&b));
    jw_buf_free(&b);
    return text;
}

TEST(nothing_is_known)
{
    const OUTER of = { .when = -1, .code = -1, .real = -1 };

    CHECK_TEXT(text_of(&of),
               "{\"text\":\"\",\"maybe\":null,\"chars\":null,\"when\":0,\"code\":null,\"small\":null,"
               "\"real\":null,\"yes\":false,\"end\":\"done\",\"counts\":{\"a\":0,\"b\":0},\"list\":[],"
               "\"one\":null,\"name\":null}\n");
}

TEST(all_is_known)
{
    const struct inner two[] = { { "x" }, { "" } };
    const OUTER of = {
        "t", "abc", 1LL << 40, 0, 65535, 0.5, true, true, JW_END_WAITING, { 1, 2 }, two, 2, two
    };

    CHECK_TEXT(text_of(&of),
               "{\"text\":\"t\",\"maybe\":\"t\",\"chars\":\"abc\",\"when\":1099511627776,\"code\":0,"
               "\"small\":65535,\"real\":0.500,\"yes\":true,\"flag\":true,\"with_flag\":65535,"
               "\"end\":\"waiting\",\"counts\":{\"a\":1,\"b\":2},\"list\":[{\"name\":\"x\"},{\"name\":null}],"
               "\"one\":{\"name\":\"x\"},\"name\":\"x\"}\n");
}

TEST(a_command_is_written_without_its_remark)
{
    struct commands {
        const char **list;
        size_t n;
    };
    static const struct jw_row command_rows[] = { { JW_COMMANDS("todo", struct commands, list, n) }, { 0 } };
    const char *list[] = { "jitwarm prune   # shows what is old", "jitwarm prime" };
    struct jw_buf b = JW_BUF(200);
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_sink_buf(&b), false, &err);
    jw_rows_object(&j, NULL, command_rows, &(struct commands){ list, JW_COUNT(list) });
    CHECK(jw_json_end(&j));
    CHECK_TEXT(jw_buf_cstr(&b), "{\"todo\":[\"jitwarm prune\",\"jitwarm prime\"]}\n");
    jw_buf_free(&b);
}
