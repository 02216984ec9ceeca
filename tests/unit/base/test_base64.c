#include "check.h"

#include "base/base64.h"

static bool get(uint8_t *out, size_t n, const char *text)
{
    return jw_base64_get(out, n, (struct jw_bytes){(const uint8_t *)text, strlen(text)});
}

/* The examples of RFC 4648. */
TEST(equals_what_others_write)
{
    static const char *const want[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                       "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    char text[JW_BASE64(6) + 1];
    uint8_t back[6];

    for (size_t n = 0; n < sizeof want / sizeof *want; n++) {
        jw_base64_put(text, "foobar", n);
        CHECK_TEXT(text, want[n]);
        CHECK_NUM(strlen(text), JW_BASE64(n));
        CHECK(get(back, n, text) && memcmp(back, "foobar", n) == 0);
    }
}

TEST(another_form_is_refused)
{
    uint8_t out[8];

    CHECK(get(out, 4, "Zm9vYg=="));
    CHECK(!get(out, 4, "Zm9vYh==")); /* bits left over */
    CHECK(!get(out, 4, "Zm9vYg"));
    CHECK(!get(out, 4, "Zm9vYg= "));
    CHECK(!get(out, 4, "Zm9vYg=\n"));
    CHECK(!get(out, 4, "Zm9v Yg="));
    CHECK(!get(out, 4, "Zm9-Yg=="));
    CHECK(!get(out, 5, "Zm9vYg=="));
    CHECK(!get(out, 3, "Zm9vYg=="));
    CHECK(!get(out, 6, "Zm9vYg=="));
    CHECK(!jw_base64_get(out, 3, (struct jw_bytes){(const uint8_t *)"Zm\0v", 4}));
    CHECK(!jw_base64_get(out, 3, (struct jw_bytes){NULL, 0}));
}

TEST(only_the_alphabet_is_taken)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t text[4], out[3];

    for (unsigned at = 0; at < 4; at++)
        for (unsigned c = 0; c < 256; c++) {
            memcpy(text, "AAAA", 4);
            text[at] = (uint8_t)c;
            CHECK(jw_base64_get(out, 3, (struct jw_bytes){text, 4})
                  == (c && strchr(alphabet, (int)c) != NULL));
        }
}
