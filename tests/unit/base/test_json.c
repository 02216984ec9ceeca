#include "base/buf.h"
#include "base/compiler.h"
#include "base/json_read.h"
#include "base/json_write.h"
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
    jw_json_number(j, NULL, UINT64_MAX);
    jw_json_real(j, NULL, -1.5);
    jw_json_bool(j, NULL, true);
    jw_json_null(j, NULL);
    jw_json_object(j, NULL);
    jw_json_close(j);
    jw_json_close(j);
    jw_json_text(j, "c", NULL);
    jw_json_close(j);
}

#define A_VALUE "\"x\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\\u009b\xed\x95\x9c\""

TEST(write_compact_and_pretty)
{
    struct jw_buf b = JW_BUF(10000);
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_json_begin(&j, &b, false);
    write_sample(&j);
    CHECK(jw_json_end(&j, &err));
    CHECK_TEXT(jw_buf_cstr(&b),
               "{\"a\":" A_VALUE ",\"b\":[18446744073709551615,-1.500,true,null,{}],\"c\":null}\n");
    jw_buf_clear(&b);
    jw_json_begin(&j, &b, true);
    write_sample(&j);
    CHECK(jw_json_end(&j, &err));
    CHECK_TEXT(jw_buf_cstr(&b),
               "{\n  \"a\": " A_VALUE ",\n  \"b\": [\n    18446744073709551615,\n    -1.500,\n"
               "    true,\n    null,\n    {}\n  ],\n  \"c\": null\n}\n");
    jw_buf_free(&b);
}

static const char *one_text(struct jw_buf *b, const char *value)
{
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_buf_clear(b);
    jw_json_begin(&j, b, false);
    jw_json_text(&j, NULL, value);
    CHECK(jw_json_end(&j, &err));
    return jw_buf_cstr(b);
}

static const char *one_real(struct jw_buf *b, double value)
{
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_buf_clear(b);
    jw_json_begin(&j, b, false);
    jw_json_real(&j, NULL, value);
    CHECK(jw_json_end(&j, &err));
    return jw_buf_cstr(b);
}

TEST(write_repairs_what_is_not_utf8)
{
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(one_text(&b, "a\xff"
                            "b"),
               "\"a\xef\xbf\xbd"
               "b\"\n");
    CHECK_TEXT(one_text(&b, "\xed\x95"), "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    CHECK_TEXT(one_text(&b, "\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
    CHECK_TEXT(one_text(&b, "\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"\n");
    CHECK_TEXT(one_text(&b, ""), "\"\"\n");
    jw_buf_free(&b);
}

TEST(write_reals)
{
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(one_real(&b, 0), "0.000\n");
    CHECK_TEXT(one_real(&b, 2.0005), "2.001\n");
    CHECK_TEXT(one_real(&b, -0.0001), "0.000\n");
    CHECK_TEXT(one_real(&b, 123456789.25), "123456789.250\n");
    CHECK_TEXT(one_real(&b, 1e18), "1000000000000000000\n");
    CHECK_TEXT(one_real(&b, 1e300 * 1e10), "null\n");
    jw_buf_free(&b);
}

TEST(write_says_what_has_no_room)
{
    struct jw_buf b = JW_BUF(5000);
    struct jw_err err = { 0 };
    struct jw_json j;

    for (int deep = 0; deep <= 1; deep++) {
        jw_buf_clear(&b);
        jw_json_begin(&j, &b, false);
        for (int i = 0; i < 3000; i++)
            if (deep || !i)
                jw_json_array(&j, NULL);
            else
                jw_json_number(&j, NULL, 12345);
        for (int i = 0; i < (deep ? 3000 : 1); i++)
            jw_json_close(&j);
        CHECK(!jw_json_end(&j, &err) && err.code == JW_E_LIMIT);
    }
    jw_buf_free(&b);
}

TEST(read_a_document)
{
    struct jw_jdoc *doc = NULL;
    struct jw_err err = { 0 };
    double number = 0;

    CHECK(jw_jdoc_parse(
        &doc, JW_BYTES(" {\"a\":[1,-2.5e2,\"x\\u0041\\ud83d\\ude00\"],\"b\":true,\"A\":null} \n"), &err));
    const struct jw_jval *root = jw_jdoc_root(doc), *a = jw_jget(root, "a"), *item = jw_jfirst(a);

    CHECK_TEXT(jw_jkey(a), "a");
    CHECK(jw_jnumber(item, &number) && number == 1);
    CHECK(!jw_jtext(item) && !jw_jfirst(item) && !jw_jget(item, "a"));
    item = jw_jnext(item);
    CHECK(jw_jnumber(item, &number) && number == -250);
    item = jw_jnext(item);
    CHECK_TEXT(jw_jtext(item), "xA\xf0\x9f\x98\x80");
    CHECK(!jw_jnumber(item, &number) && !jw_jnext(item));
    CHECK(jw_jnull(jw_jget(root, "A")) && !jw_jnull(a) && !jw_jnull(jw_jget(root, "none")));
    CHECK(jw_jarray(a) && !jw_jarray(root) && !jw_jarray(NULL));
    CHECK(jw_jget(root, "A") && jw_jget(root, "A") != a && !jw_jget(root, "none"));
    CHECK_TEXT(jw_jkey(jw_jnext(jw_jfirst(root))), "b");
    jw_jdoc_free(doc);
}

TEST(read_accepts_nothing)
{
    double number;

    CHECK(!jw_jdoc_root(NULL) && !jw_jget(NULL, "x") && !jw_jtext(NULL) && !jw_jnumber(NULL, &number));
    CHECK(!jw_jfirst(NULL) && !jw_jnext(NULL) && !jw_jkey(NULL));
    jw_jdoc_free(NULL);
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
        struct jw_bytes text = { (const uint8_t *)refused[i], strlen(refused[i]) };
        struct jw_jdoc *doc = NULL;
        struct jw_err err = { 0 };

        CHECK(!jw_jdoc_parse(&doc, text, &err));
        CHECK(!doc && err.code == JW_E_FORMAT);
        CHECK_HAS(err.msg, "json: ");
    }
    struct jw_jdoc *doc = NULL;
    struct jw_err err = { 0 };

    CHECK(!jw_jdoc_parse(&doc, JW_BYTES("1\0"), &err));
    CHECK(!jw_jdoc_parse(&doc, (struct jw_bytes){ NULL, 0 }, &err));
    CHECK(!jw_jdoc_parse(&doc, JW_BYTES("{} x"), &err));
    CHECK_TEXT(err.msg, "json: damaged at byte 2");
}

static bool nested(size_t depth, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(1 << 22);
    struct jw_jdoc *doc = NULL;

    jw_buf_fill(&b, '[', depth);
    jw_buf_fill(&b, ']', depth);
    bool ok = jw_jdoc_parse(&doc, jw_buf_bytes(&b), err);
    jw_jdoc_free(doc);
    jw_buf_free(&b);
    return ok;
}

TEST(read_is_bounded)
{
    struct jw_buf b = JW_BUF(JW_MAX_JSON + 10);
    struct jw_jdoc *doc = NULL;
    struct jw_err err = { 0 };

    CHECK(nested(64, &err));
    CHECK(!nested(1001, &err) && err.code == JW_E_FORMAT);
    CHECK(!nested(1000000, &err));

    jw_buf_text(&b, "[0");
    for (size_t i = 0; i < JW_MAX_JSON_VALUES; i++)
        jw_buf_text(&b, ",0");
    jw_buf_text(&b, "]");
    CHECK(!jw_jdoc_parse(&doc, jw_buf_bytes(&b), &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "values");
    jw_buf_clear(&b);
    jw_buf_fill(&b, ' ', JW_MAX_JSON);
    jw_buf_text(&b, "1");
    CHECK(!jw_jdoc_parse(&doc, jw_buf_bytes(&b), &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "longer than");
    jw_buf_free(&b);
}

TEST(what_is_written_can_be_read)
{
    struct jw_buf b = JW_BUF(10000);
    struct jw_jdoc *doc = NULL;
    struct jw_err err = { 0 };
    struct jw_json j;

    jw_json_begin(&j, &b, true);
    write_sample(&j);
    CHECK(jw_json_end(&j, &err) && jw_jdoc_parse(&doc, jw_buf_bytes(&b), &err));
    CHECK_TEXT(jw_jtext(jw_jget(jw_jdoc_root(doc), "a")), "x\"\\/\b\f\n\r\t\x01\x7f"
                                                          "\xc2\x9b"
                                                          "\xed\x95\x9c");
    jw_jdoc_free(doc);
    jw_buf_free(&b);
}
