#include "base/limits.h"
#include "base/mem.h"
#include "check.h"
#include "os/files/winpath.h"

#include <stdlib.h>

static void round_trip(const char *text, size_t units)
{
    FREED(jw_buf) back = JW_BUF(1000);
    uint16_t *wide = NULL;
    size_t n = 0;

    CHECK(jw_utf16_from(text, &wide, JW_IGNORED));
    while (wide && wide[n])
        n++;
    CHECK_NUM(n, units);
    if (wide)
        jw_utf16_to(&back, wide);
    CHECK_TEXT(jw_buf_cstr(&back), text);
    jw_free(wide);
}

TEST(names_survive_both_ways)
{
    round_trip("", 0);
    round_trip("plain", 5);
    round_trip("é한글", 3);
    round_trip("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 5);
    round_trip("\xf0\x90\x80\x80😀\xf4\x8f\xbf\xbf", 6);
    round_trip("\xed\xa0\x80x\xed\xbf\xbf", 3); /* lone surrogates of a Windows name */
}

TEST(every_code_point_survives)
{
    for (uint32_t v = 1; v <= 0x10ffff; v += v < 0x20000 ? 1 : 97) {
        uint16_t wide[3] = {0}, *again = NULL;
        FREED(jw_buf) text = JW_BUF(16);

        err = (struct jw_err){0};
        if (v > 0xffff) {
            wide[0] = (uint16_t)(0xd800 + ((v - 0x10000) >> 10));
            wide[1] = (uint16_t)(0xdc00 + (v & 0x3ff));
        } else
            wide[0] = (uint16_t)v;
        jw_utf16_to(&text, wide);

        bool ok = jw_utf16_from(jw_buf_cstr(&text), &again, &err) && again[0] == wide[0]
                  && again[1] == wide[1];

        jw_free(again);
        if (!ok) {
            CHECK_NUM(v, 0);
            return;
        }
    }
}

TEST(bytes_that_are_not_utf8_are_refused)
{
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xff",
                                      "a\xe2\x82",
                                      "\xe2\x28\xa1"};

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        uint16_t *wide = NULL;

        err = (struct jw_err){0};
        CHECK(!jw_utf16_from(bad[i], &wide, &err) && !wide);
        CHECK_TEXT(err.msg, "the name is not valid UTF-8");
    }
}

TEST(a_name_beyond_all_limits_is_refused)
{
    uint16_t *wide = NULL;
    char *text = malloc(JW_MAX_PATH + 1);

    memset(text, 'a', JW_MAX_PATH);
    text[JW_MAX_PATH] = '\0';
    CHECK_SAYS(jw_utf16_from(text, &wide, &err), err, "the name is too long");
    free(text);
}

static void becomes(const char *path, bool always, const char *want)
{
    FREED(jw_buf) text = JW_BUF(100000);
    uint16_t *wide = NULL, *prefixed = NULL;

    CHECK(jw_utf16_from(path, &wide, JW_IGNORED));
    if (wide) {
        prefixed = jw_winpath_long(wide, always);
        jw_utf16_to(&text, prefixed);
    }
    CHECK_TEXT(jw_buf_cstr(&text), want);
    jw_free(wide);
    jw_free(prefixed);
}

TEST(long_paths_get_the_prefix)
{
    char path[400], want[420];

    becomes("C:\\short", false, "C:\\short");
    becomes("C:\\short", true, "\\\\?\\C:\\short");
    becomes("\\\\server\\share\\x", true, "\\\\?\\UNC\\server\\share\\x");
    becomes("\\\\?\\C:\\x", true, "\\\\?\\C:\\x");
    becomes("\\\\.\\NUL", true, "\\\\.\\NUL");
    becomes("relative", true, "relative");

    memset(path, 'x', sizeof path);
    memcpy(path, "C:\\", 3);
    path[247] = '\0';
    becomes(path, false, path);
    path[247] = 'x';
    path[248] = '\0';
    (void)snprintf(want, sizeof want, "\\\\?\\%s", path);
    becomes(path, false, want);
    memcpy(path, "\\\\s\\", 4);
    (void)snprintf(want, sizeof want, "\\\\?\\UNC%s", path + 1);
    becomes(path, false, want);
}
