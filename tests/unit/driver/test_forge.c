#include "driver/probe/forge.h"

#include "base/mem.h"
#include "cache/format/jitcache.h"
#include "check.h"
#include "pack/compile/compile_for.h"

#include <string.h>

enum { MOST = 8 };

static bool words(const char *text, const char **argv, size_t *n, const char **unknown)
{
    static char copy[256];

    (void)snprintf(copy, sizeof copy, "%s", text);
    return forge_options(copy, argv, MOST, n, unknown);
}

TEST(options_that_are_harmless)
{
    const char *argv[MOST], *unknown;
    size_t n;

    CHECK(words("", argv, &n, &unknown) && n == 0);
    CHECK(words("  ", argv, &n, &unknown) && n == 0);
    CHECK(words("-v -O2  -maxrregcount=40 --generate-line-info ", argv, &n, &unknown) && n == 4);
    CHECK_TEXT(argv[2], "-maxrregcount=40");
    CHECK(words(" -g --dont-merge-basicblocks --return-at-end --generate-line-info ", argv, &n, &unknown)
          && n == 4);
}

TEST(the_same_words_for_nvjitlink)
{
    const char *argv[MOST], *unknown;
    struct jw_arena a = { 0 };
    size_t n;

    CHECK(words("-v -g --verbose --generate-line-info --maxrregcount=32", argv, &n, &unknown) && n == 5);
    forge_nvjitlink_options(argv, &n, &a);
    CHECK_NUM(n, 3);
    CHECK_TEXT(argv[0], "-g");
    CHECK_TEXT(argv[1], "-lineinfo");
    CHECK_TEXT(argv[2], "-maxrregcount=32");
    CHECK(words("-O3 -O1 --opt-level=2 --return-at-end", argv, &n, &unknown) && n == 4);
    forge_nvjitlink_options(argv, &n, &a);
    CHECK_NUM(n, 4);
    CHECK_TEXT(argv[0], "-O3");
    CHECK_TEXT(argv[1], "-Xptxas=-O1");
    CHECK_TEXT(argv[2], "-Xptxas=--opt-level=2");
    CHECK_TEXT(argv[3], "-Xptxas=--return-at-end");
    jw_arena_free(&a);
}

/* A file that says how it wants to be compiled must not say where anything is written or read. */
TEST(options_that_name_files_and_worse)
{
    static const char *const bad[] = { "-o",
                                       "--output-file=/etc/passwd",
                                       "--options-file",
                                       "-optf",
                                       "/etc/passwd",
                                       "-maxrregcount=",
                                       "-maxrregcount=4x",
                                       "-maxrregcount=4;id",
                                       "-arch=sm_50",
                                       "-c",
                                       "--generate-line-info=/x",
                                       "$(id)",
                                       "-Ofast" };
    const char *argv[MOST], *unknown;
    char text[80];
    size_t n;

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        (void)snprintf(text, sizeof text, "-v %s -g", bad[i]);
        CHECK(!words(text, argv, &n, &unknown));
        CHECK_TEXT(unknown, bad[i]);
    }
    CHECK(!words("-v -v -v -v -v -v -v -v -v", argv, &n, &unknown));
}

/* Same for both ends, another for each build and architecture; and its PTX is not the one whose code is put there. */
TEST(the_canary)
{
    struct jw_buf key = JW_BUF(0), other = JW_BUF(0), own = JW_BUF(0);
    struct jw_err err = { 0 };
    uint64_t a, b, c;

    CHECK(forge_canary_key("Jan  7 202622:51:46", 86, &key, &a, &err));
    jw_buf_free(&key);
    CHECK(forge_canary_key("Jan  7 202622:51:46", 86, &key, &b, &err) && a == b);
    CHECK(jw_fnv1a(JW_FNV_START, key.p, key.n) == a);
    CHECK(forge_canary(&own, FORGE_OWN, &err) && jw_find(jw_buf_bytes(&key), jw_buf_bytes(&own)) < key.n);
    CHECK(forge_canary(&other, FORGE_OTHER, &err)
          && jw_find(jw_buf_bytes(&key), jw_buf_bytes(&other)) == key.n);
    jw_buf_free(&key);
    CHECK(forge_canary_key("Jan  7 202622:51:46", 90, &key, &b, &err) && a != b);
    jw_buf_free(&key);
    CHECK(forge_canary_key("Jan  8 202622:51:46", 86, &key, &c, &err) && a != c);
    jw_buf_free(&key);
    jw_buf_free(&own);
    jw_buf_free(&other);
}

TEST(what_the_pack_is_for)
{
    static const char *const bad[] = { "",
                                       "sm=86",
                                       "driver=Jan  7 202622:51:46",
                                       "driver=,sm=86",
                                       "driver=Jan  7 202622:51:46,sm=",
                                       "driver=Jan  7 202622:51:46,sm=9",
                                       "driver=Jan  7 202622:51:46,sm=1000",
                                       "driver=Jan  7 202622:51:46,sm=99999999999",
                                       "driver=Jan  7 202622:51:46x,sm=86",
                                       "driver=Jan  7 2026  22:51:46,sm=86",
                                       "driver=Jan  7 202622:51:46,sm=86,simulated" };
    struct jw_arena a = { 0 };

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        const char *stamp;
        uint16_t sm;
        struct jw_err err = { 0 };

        CHECK(!jw_compile_build(bad[i], &a, &stamp, &sm, &err) && err.code == JW_E_USAGE);
    }
    static const char *const good[] = { "driver=Jan  7 202622:51:46,sm=86",
                                        "sm=sm_86,driver=Jan  7 2026 22:51:46" };

    for (size_t i = 0; i < JW_COUNT(good); i++) {
        const char *stamp;
        uint16_t sm;
        struct jw_err err = { 0 };

        CHECK(jw_compile_build(good[i], &a, &stamp, &sm, &err));
        CHECK_TEXT(stamp, "Jan  7 202622:51:46");
        CHECK(sm == 86);
    }
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(options_that_are_harmless), T(the_same_words_for_nvjitlink),
               T(options_that_name_files_and_worse), T(the_canary), T(what_the_pack_is_for));
}
