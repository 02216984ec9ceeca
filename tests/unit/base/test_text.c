#include "base/compiler.h"
#include "base/text.h"
#include "check.h"

#define HANGUL "\xed\x95\x9c\xea\xb8\x80" /* two syllables, four columns */

static const char *cleaned(struct jw_buf *b, const char *text)
{
    jw_buf_clear(b);
    jw_text_clean(b, text);
    return jw_buf_cstr(b);
}

TEST(utf8)
{
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {
        {"", true},
        {"abc", true},
        {HANGUL, true},
        {"\xf0\x9f\x98\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xc3\xa9", true},
        {"\x80", false},
        {"\xc3", false},
        {"\xc0\xaf", false},
        {"\xc1\xbf", false},
        {"\xe0\x80\xaf", false},
        {"\xe0\xa0\x80", true},
        {"\xed\xa0\x80", false},
        {"\xed\x9f\xbf", true},
        {"\xf0\x80\x80\x80", false},
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\xff", false},
        {"a\xe2\x82", false},
        {"\xe2\x28\xa1", false},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_bytes b = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};

        if (jw_utf8_valid(b) != cases[i].ok) {
            printf("case %zu\n", i);
            check_failed(__FILE__, __LINE__, "utf8");
        }
    }
    CHECK(jw_utf8_valid(JW_BYTES("a\0b")));
    CHECK(jw_utf8_valid((struct jw_bytes){NULL, 0}));
}

static bool trims_to(struct jw_bytes text, struct jw_bytes want)
{
    struct jw_bytes got = jw_text_trim(text);

    return got.n == want.n && (!want.n || memcmp(got.p, want.p, want.n) == 0);
}

TEST(trim)
{
    CHECK(trims_to(JW_BYTES(" \t a b\r\n"), JW_BYTES("a b")));
    CHECK(trims_to(JW_BYTES("a"), JW_BYTES("a")));
    CHECK(trims_to(JW_BYTES(" \n "), JW_BYTES("")));
    CHECK(trims_to((struct jw_bytes){NULL, 0}, JW_BYTES("")));
}

TEST(clean_shows_what_a_terminal_would_obey)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(cleaned(&b, "plain " HANGUL), "plain " HANGUL);
    CHECK_TEXT(cleaned(&b, "a\x1b[2Jb"), "a\\x1b[2Jb");
    CHECK_TEXT(cleaned(&b, "a\nb\tc\r\x7f"), "a\\x0ab\\x09c\\x0d\\x7f");
    CHECK_TEXT(cleaned(&b, "\xc2\x9b"
                           "2J"),
               "\\xc2\\x9b2J");
    CHECK_TEXT(cleaned(&b, "x\xff\xed\xa0\x80y"), "x\\xff\\xed\\xa0\\x80y");
    CHECK_TEXT(cleaned(&b, "a\xe2\x80\xae"
                           "fdp"),
               "a\\xe2\\x80\\xaefdp"); /* right-to-left override */
}

TEST(width)
{
    CHECK_NUM(jw_text_width(""), 0);
    CHECK_NUM(jw_text_width("abc"), 3);
    CHECK_NUM(jw_text_width(HANGUL), 4);
    CHECK_NUM(jw_text_width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2); /* the same from jamo */
    CHECK_NUM(jw_text_width("\xe4\xb8\xad\xe6\x96\x87"), 4);             /* Chinese */
    CHECK_NUM(jw_text_width("\xe3\x81\x82\xef\xbc\xa1"), 4);             /* hiragana, fullwidth A */
    CHECK_NUM(jw_text_width("\xef\xbd\xb1"), 1);                         /* halfwidth katakana */
    CHECK_NUM(jw_text_width("\xf0\x9f\x98\x80"), 2);                     /* emoji */
    CHECK_NUM(jw_text_width("\xf0\x9f\x87\xb0\xf0\x9f\x87\xb7"), 2);     /* a flag of two letters */
    CHECK_NUM(jw_text_width("e\xcc\x81"), 1);                            /* combining acute */
    CHECK_NUM(jw_text_width("\xc3\xa9"), 1);
    CHECK_NUM(jw_text_width("a\xe2\x80\x8b"
                            "b"),
              2);                                    /* zero width space */
    CHECK_NUM(jw_text_width("\x1b\x01\xc2\x85"), 0); /* controls */
    CHECK_NUM(jw_text_width("\xf0\xa0\x80\x80"), 2); /* plane 2 */
    CHECK_NUM(jw_text_width("\xff\xfe"), 2);         /* bad bytes stand for one each */
    CHECK_NUM(jw_text_width("\xe2\x80\xa6"), 1);     /* our ellipsis */
}

static const char *fitted(struct jw_buf *b, const char *text, size_t columns)
{
    jw_buf_clear(b);
    jw_text_fit(b, text, columns);
    return jw_buf_cstr(b);
}

TEST(fit)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(fitted(&b, "abc", 5), "abc  ");
    CHECK_TEXT(fitted(&b, "abc", 3), "abc");
    CHECK_TEXT(fitted(&b, "abcd", 3), "ab\xe2\x80\xa6");
    CHECK_TEXT(fitted(&b, "abcd", 1), "\xe2\x80\xa6");
    CHECK_TEXT(fitted(&b, "abcd", 0), "");
    CHECK_TEXT(fitted(&b, HANGUL, 5), HANGUL " ");
    CHECK_TEXT(fitted(&b, HANGUL HANGUL, 4),
               "\xed\x95\x9c\xe2\x80\xa6 "); /* half a syllable is a blank */
    CHECK_TEXT(fitted(&b, "e\xcc\x81xyz", 2), "e\xcc\x81\xe2\x80\xa6");
    CHECK_TEXT(fitted(&b, "", 2), "  ");
    for (size_t columns = 0; columns < 12; columns++) {
        CHECK_NUM(jw_text_width(fitted(&b, "a" HANGUL "e\xcc\x81" HANGUL "z", columns)), columns);
        CHECK_NUM(jw_text_width(fitted(&b, HANGUL "b\xff" HANGUL, columns)), columns);
    }
}

TEST(bytes)
{
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {133, "133 B"},
        {999, "999 B"},
        {1000, "1 KiB"},
        {1344, "1.3 KiB"},
        {10137, "9.9 KiB"},
        {10240, "10 KiB"},
        {1022976, "999 KiB"},
        {1023488, "1 MiB"},
        {158993272, "152 MiB"},
        {(uint64_t)5 << 28, "1.3 GiB"},
        {(uint64_t)2 << 30, "2 GiB"},
        {UINT64_MAX, "16 EiB"},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        CHECK_TEXT(JW_SIZE(cases[i].n), cases[i].text);
}

TEST(clock_is_short_and_exact)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {-1, "0 s"},        {0.99, "0 s"},         {59.9, "59 s"}, {60, "1 min"},
        {72, "1 min 12 s"}, {3599, "59 min 59 s"}, {3600, "1 h"},  {7505, "2 h 5 min"},
        {86400, "1 d"},     {273601, "3 d 4 h"},   {1e300, "0 s"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_TEXT(JW_CLOCK(cases[i].seconds), cases[i].text);
}

TEST(tenths_are_never_nothing)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "under 0.1 s"}, {0.04, "under 0.1 s"}, {0.06, "0.1 s"}, {2.34, "2.3 s"},
                 {9.94, "9.9 s"},    {9.96, "10 s"},        {59.6, "1 min"}, {72.2, "1 min 12 s"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_TEXT(JW_TENTHS(cases[i].seconds), cases[i].text);
}

TEST(seconds_are_read_with_their_unit)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } good[] = {{"0", 0}, {"90", 90}, {"30s", 30}, {"5m", 300}, {"2h", 7200}, {"1d", 86400}};
    static const char *const bad[] = {"",      "s",
                                      "5 m",   "m5",
                                      "1.5h",  "-1s",
                                      "5min",  "5mm",
                                      "5M",    "18446744073709551616",
                                      "1h30m", "18446744073709551615d"};
    uint64_t seconds = 7;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(jw_text_seconds(good[i].text, &seconds));
        CHECK_NUM(seconds, good[i].seconds);
    }
    seconds = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!jw_text_seconds(bad[i], &seconds));
    CHECK_NUM(seconds, 7);
}

TEST(count)
{
    CHECK_TEXT(JW_NUM(0), "0");
    CHECK_TEXT(JW_NUM(999), "999");
    CHECK_TEXT(JW_NUM(1000), "1,000");
    CHECK_TEXT(JW_NUM(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(u64_is_the_whole_string)
{
    uint64_t v = 7;

    CHECK(jw_text_u64("0", &v) && v == 0);
    CHECK(jw_text_u64("007", &v) && v == 7);
    CHECK(jw_text_u64("18446744073709551615", &v) && v == UINT64_MAX);
    CHECK(!jw_text_u64("18446744073709551616", &v));
    CHECK(!jw_text_u64("99999999999999999999", &v));
    CHECK(!jw_text_u64("", &v) && !jw_text_u64("-1", &v) && !jw_text_u64("+1", &v)
          && !jw_text_u64(" 1", &v));
    CHECK(!jw_text_u64("1 ", &v) && !jw_text_u64("0x1", &v) && !jw_text_u64("1.5", &v));
    CHECK(v == UINT64_MAX);
}

TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t n;
    } good[] = {
        {"100", 100},
        {"100B", 100},
        {"512M", 512000000},
        {"512MB", 512000000},
        {"2G", 2000000000},
        {"4GiB", 4294967296},
        {"4gib", 4294967296},
        {"1k", 1000},
        {"1KiB", 1024},
        {"1Mi", 1048576},
        {"1T", 1000000000000},
        {"16777215TiB", 16777215ull << 40},
        {"0G", 0},
    };
    static const char *const bad[] = {"",    "M",   "1X",          "1MM",   "1.5G",         "-1",
                                      "1 G", "1iB", "16777216TiB", "1GiBx", "99999999999T", "1BB"};
    uint64_t n = 0;

    for (size_t i = 0; i < JW_COUNT(good); i++) {
        CHECK(jw_text_size(good[i].text, &n));
        CHECK_NUM(n, good[i].n);
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++)
        if (jw_text_size(bad[i], &n))
            check_failed(__FILE__, __LINE__, bad[i]);
}

TEST(compare)
{
    CHECK(jw_text_equal_nocase("Rtx", "rTX") && jw_text_equal_nocase("", ""));
    CHECK(!jw_text_equal_nocase("a", "ab") && !jw_text_equal_nocase("ab", "a")
          && !jw_text_equal_nocase("[", "{"));
    CHECK(jw_text_starts("abc", "ab") && jw_text_starts("a", "") && !jw_text_starts("a", "ab"));
    CHECK(jw_text_ends("a.so", ".so") && jw_text_ends("a", "") && !jw_text_ends("o", ".so"));
    CHECK_TEXT(jw_text_find_nocase("GeForce RTX 3070", "rtx"), "RTX 3070");
    CHECK_TEXT(jw_text_find_nocase("aab", "AB"), "ab");
    CHECK_TEXT(jw_text_find_nocase("x", ""), "x");
    CHECK(!jw_text_find_nocase("rt", "rtx") && !jw_text_find_nocase("", "x"));
}

TEST(what_is_said_is_clean)
{
    FREED(jw_buf) b = JW_BUF(200), small = JW_BUF(4);

    jw_say(&b, "%s in %s, %s", JW_SIZE(3 << 20), JW_N(1, "entry", "entries"),
           JW_N(1234, "file", "files"));
    CHECK_TEXT(jw_buf_cstr(&b), "3 MiB in 1 entry, 1,234 files");
    jw_buf_clear(&b);
    jw_say(&b, "%s %d %u %lu %zu", "a\nb", -1, 2u, 3ul, (size_t)4);
    CHECK_TEXT(jw_buf_cstr(&b), "a\\x0ab -1 2 3 4");
    jw_buf_clear(&b);
    jw_say(&b, "%llu %lld 100 %%, %s", 5ull, -6ll, JW_CLOCK(72));
    CHECK_TEXT(jw_buf_cstr(&b), "5 -6 100 %, 1 min 12 s");
    jw_say(&small, "%s", "abcde");
    CHECK(small.bad);
}
