#include "base/buf.h"
#include "base/compiler.h"
#include "base/json.h"
#include "base/limits.h"
#include "check.h"

static void write_sample(struct jw_json *j)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "a",
                 "x\"\\/\b\f\n\r\t\x01\x7f"
                 "\xc2\x9b"
                 "\xed\x95\x9c");
    jw_json_array(j, "b");
    jw_json_number(j, NULL, (uint64_t)1 << 32);
    jw_json_real(j, NULL, -1.5);
    jw_json_bool(j, NULL, true);
    jw_json_text(j, NULL, NULL);
    jw_json_object(j, NULL);
    jw_json_close(j);
    jw_json_close(j);
    jw_json_text(j, "c", NULL);
    jw_json_close(j);
}

#define A_VALUE "\"x\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\xef\xbf\xbd\xef\xbf\xbd\xed\x95\x9c\""

TEST(write_compact_and_pretty)
{
    FREED(jw_buf) b = JW_BUF(10000);

    write_sample(&(struct jw_json){.out = &b});
    CHECK_TEXT(jw_buf_cstr(&b),
               "{\"a\":" A_VALUE ",\"b\":[4294967296,-1.5,true,null,{}],\"c\":null}\n");
    jw_buf_clear(&b);
    write_sample(&(struct jw_json){.out = &b, .pretty = true});
    CHECK_TEXT(jw_buf_cstr(&b),
               "{\n  \"a\": " A_VALUE
               ",\n  \"b\": [4294967296, -1.5, true, null, {\n    }],\n  \"c\": null\n}\n");
}

static const char *one_text(struct jw_buf *b, const char *value)
{
    jw_buf_clear(b);
    jw_json_text(&(struct jw_json){.out = b}, NULL, value);
    return jw_buf_cstr(b);
}

static const char *one_real(struct jw_buf *b, double value)
{
    jw_buf_clear(b);
    jw_json_real(&(struct jw_json){.out = b}, NULL, value);
    return jw_buf_cstr(b);
}

/* A reader's terminal would turn the line around, or break it. */
TEST(write_escapes_controls_that_are_not_ascii)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(one_text(&b, "a\xe2\x80\xae"
                            "b"),
               "\"a\\u202eb\"\n");
    CHECK_TEXT(one_text(&b, "\xe2\x80\xa8"), "\"\\u2028\"\n");
}

TEST(write_repairs_what_is_not_utf8)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(one_text(&b, "a\xff"
                            "b"),
               "\"a\xef\xbf\xbd"
               "b\"\n");
    CHECK_TEXT(one_text(&b, "\xed\x95"), "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    CHECK_TEXT(one_text(&b, "\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    CHECK_TEXT(one_text(&b, "\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"\n");
    CHECK_TEXT(one_text(&b, ""), "\"\"\n");
}

TEST(write_reals)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(one_real(&b, 0), "0\n");
    CHECK_TEXT(one_real(&b, 2.0006), "2.001\n");
    CHECK_TEXT(one_real(&b, 123456789.25), "123456789.25\n");
    CHECK_TEXT(one_real(&b, 1e300 * 1e10), "null\n");
}

TEST(what_has_no_room_is_not_written)
{
    FREED(jw_buf) b = JW_BUF(5000);

    for (int deep = 0; deep <= 1; deep++) {
        struct jw_json j = {.out = &b};

        jw_buf_clear(&b);
        for (int i = 0; i < 3000; i++)
            if (deep || !i)
                jw_json_array(&j, NULL);
            else
                jw_json_number(&j, NULL, 12345);
        while (j.depth)
            jw_json_close(&j);
        CHECK(b.bad);
    }
}

TEST(read_a_document)
{
    cJSON *root = NULL;

    CHECK(jw_json_parse(
        &root, JW_BYTES(" {\"a\":[1,\"x\\u0041\\ud83d\\ude00\"],\"b\":\"B\",\"A\":null} \n"),
        &err));
    const cJSON *a = jw_json_get(root, "a");

    CHECK(cJSON_GetArraySize(a) == 2);
    CHECK_TEXT(cJSON_GetStringValue(cJSON_GetArrayItem(a, 1)), "xA\xf0\x9f\x98\x80");
    CHECK_TEXT(jw_json_get_text(root, "b"), "B");
    CHECK(cJSON_IsNull(jw_json_get(root, "A")) && !jw_json_get_text(root, "A"));
    CHECK(!jw_json_get(root, "none") && !jw_json_get(a, "a") && !jw_json_get_text(NULL, "x"));
    cJSON_Delete(root);
}

static const char *const refused[] = {
    "",
    " ",
    "{} x",
    "1 2",
    "{\"a\":1,}",
    "[1,]",
    "[1",
    "{\"a\" 1}",
    "{a:1}",
    "NaN",
    "[Infinity]",
    "nul",
    "True",
    "-",
    "+1",
    ".5",
    "0x10",
    "\"a",
    "\"\\",
    "\"\\x\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\u0041\"",
    "\"\xff\"",
    "\"\xed\xa0\x80\"",
    "/* */ 1",
    "'a'",
};

TEST(what_is_no_json_is_refused)
{
    for (size_t i = 0; i < JW_COUNT(refused); i++) {
        struct jw_bytes text = {(const uint8_t *)refused[i], strlen(refused[i])};
        cJSON *doc = NULL;

        err = (struct jw_err){0};
        CHECK(!jw_json_parse(&doc, text, &err));
        CHECK(!doc && err.code == JW_E_FORMAT);
        CHECK_HAS(err.msg, "json: ");
    }
    cJSON *doc = NULL;

    CHECK(!jw_json_parse(&doc, JW_BYTES("1\0"), &err));
    CHECK(!jw_json_parse(&doc, (struct jw_bytes){NULL, 0}, &err));
    CHECK_SAYS(jw_json_parse(&doc, JW_BYTES("{} x"), &err), err, "json: damaged at byte 2");
}

static bool nested(size_t depth, struct jw_err *err)
{
    FREED(jw_buf) b = JW_BUF(1 << 22);
    cJSON *doc = NULL;

    jw_buf_fill(&b, '[', depth);
    jw_buf_fill(&b, ']', depth);
    bool ok = jw_json_parse(&doc, jw_buf_bytes(&b), err);
    cJSON_Delete(doc);
    return ok;
}

TEST(read_is_bounded)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_JSON + 10);
    cJSON *doc = NULL;

    CHECK(nested(64, &err));
    CHECK(!nested(1001, &err) && err.code == JW_E_FORMAT);
    CHECK(!nested(1000000, &err));

    jw_buf_text(&b, "[0");
    for (size_t i = 0; i < JW_MAX_JSON_VALUES; i++)
        jw_buf_text(&b, ",0");
    jw_buf_text(&b, "]");
    CHECK(!jw_json_parse(&doc, jw_buf_bytes(&b), &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "values");
    jw_buf_clear(&b);
    jw_buf_fill(&b, ' ', JW_MAX_JSON);
    jw_buf_text(&b, "1");
    CHECK(!jw_json_parse(&doc, jw_buf_bytes(&b), &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "longer than");
}

TEST(what_is_written_can_be_read)
{
    FREED(jw_buf) b = JW_BUF(10000);
    cJSON *doc = NULL;

    write_sample(&(struct jw_json){.out = &b, .pretty = true});
    CHECK(jw_json_parse(&doc, jw_buf_bytes(&b), &err));
    CHECK_TEXT(jw_json_get_text(doc, "a"),
               "x\"\\/\b\f\n\r\t\x01\xef\xbf\xbd\xef\xbf\xbd\xed\x95\x9c");
    cJSON_Delete(doc);
}
