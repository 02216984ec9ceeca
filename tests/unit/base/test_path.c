#include "base/path.h"
#include "check.h"

TEST_ARENA(join)
{
    CHECK_TEXT(jw_path_join(a, "/opt", "x"), "/opt/x");
    CHECK_TEXT(jw_path_join(a, "/opt/", "x"), "/opt/x");
    CHECK_TEXT(jw_path_join(a, "C:\\", "x"), "C:\\x");
    CHECK_TEXT(jw_path_join(a, "C:\\y", "x/z.txt"), "C:\\y\\x\\z.txt");
    CHECK_TEXT(jw_path_join(a, "\\\\server\\share", "x"), "\\\\server\\share\\x");
    CHECK_TEXT(jw_path_join(a, "/mnt/C:\\", "x"), "/mnt/C:\\/x");
    CHECK_TEXT(jw_path_join(a, "/", "x"), "/x");
    CHECK_TEXT(jw_path_join(a, "", "x"), "x");
    CHECK_TEXT(jw_path_join(a, "d", ""), "d/");
}

TEST(base)
{
    CHECK_TEXT(jw_path_base("/opt/x.so"), "x.so");
    CHECK_TEXT(jw_path_base("C:\\a\\b.dll"), "b.dll");
    CHECK_TEXT(jw_path_base("C:\\a/b.dll"), "b.dll");
    CHECK_TEXT(jw_path_base("/opt/b\\c.so"), "b\\c.so");
    CHECK_TEXT(jw_path_base("x"), "x");
    CHECK_TEXT(jw_path_base("/opt/"), "");
    CHECK_TEXT(jw_path_base(""), "");
}

TEST_ARENA(dir)
{
    static const char *const cases[][2] = {
        {"/opt/x.so", "/opt"},
        {"/x", "/"},
        {"/", "/"},
        {"x", "."},
        {"", "."},
        {"a/b", "a"},
        {"a//b", "a"},
        {"a/b/", "a/b"},
        {"C:\\x", "C:\\"},
        {"C:\\a\\x", "C:\\a"},
        {"C:x", "C:"},
        {"\\\\srv\\share", "\\\\srv"},
        {"C:/a/x", "C:/a"},
        {"//x", "//"},
        {"/a\\b", "/"},
        {"/a\\b/c", "/a\\b"},
        {"/a/b\\", "/a"},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        CHECK_TEXT(jw_path_dir(a, cases[i][0]), cases[i][1]);
}

TEST(below)
{
    static const char *const cases[][3] = {
        {"/a/b", "/a", "b"},        {"/a/b/c", "/a", "b/c"}, {"/a", "/a", NULL},
        {"/ab", "/a", NULL},        {"/b/a", "/a", NULL},    {"/a/", "/a", ""},
        {"/a", "/", "a"},           {"/", "/", NULL},        {"/a\\b", "/a", NULL},
        {"C:\\x\\y", "C:\\x", "y"}, {"C:/x/y", "C:/x", "y"}, {"C:\\x", "C:\\", "x"},
        {"C:\\xy", "C:\\x", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rest = jw_path_below(cases[i][0], cases[i][1]);

        CHECK_TEXT(rest ? rest : "no", cases[i][2] ? cases[i][2] : "no");
    }
}

TEST(absolute)
{
    CHECK(jw_path_separator("C:\\x") == '\\' && jw_path_separator("\\\\server\\x") == '\\');
    CHECK(jw_path_separator("C:/x") == '/' && jw_path_separator("C:x\\y") == '/');
    CHECK(jw_path_separator("/a\\b") == '/' && jw_path_separator("\\x") == '/'
          && jw_path_separator("") == '/');
    CHECK(jw_path_is_disk("/") && jw_path_is_disk("C:\\") && !jw_path_is_disk("/x"));
    CHECK(!jw_path_is_disk("") && !jw_path_is_disk("C:\\x"));
    CHECK(jw_path_absolute("/x"));
    CHECK(jw_path_absolute("C:\\x"));
    CHECK(jw_path_absolute("c:/x"));
    CHECK(jw_path_absolute("\\\\server\\x"));
    CHECK(!jw_path_absolute("x/y"));
    CHECK(!jw_path_absolute(""));
    CHECK(!jw_path_absolute("C:"));
    CHECK(!jw_path_absolute("C:x"));
    CHECK(!jw_path_absolute("\\x"));
    CHECK(!jw_path_absolute("1:\\x"));
}

static const struct {
    const char *pattern, *path;
    bool hit;
} matches[] = {
    {"*.so", "/opt/lib/x.so", true},
    {"*.so", "/opt/lib/x.so.1", false},
    {"lib", "/opt/lib/x.so", true}, /* each component */
    {"li", "/opt/lib/x.so", false},
    {"LIB", "/opt/lib/x.so", false}, /* case matters */
    {"l?b", "/opt/lib/x.so", true},
    {"l??b", "/opt/lib/x.so", false},
    {"test_*", "C:\\a\\test_x\\b.dll", true},
    {"[id]", "/app/[id]/x.so", true}, /* no set: a folder may be called so */
    {"[a-z]", "/b", false},
    {"lib/*.so", "/opt/lib/x.so", true},      /* a tail */
    {"lib/*.so", "/opt/lib/deep/x.so", true}, /* * matches a / too */
    {"ib/*.so", "/opt/lib/x.so", false},      /* tails start at components */
    {"/opt/*", "/opt/lib/x.so", true},
    {"/lib/*", "/opt/lib/x.so", false}, /* whole path */
    {"**/x.so", "/opt/lib/x.so", true},
    {"lib/**/x.so", "/opt/lib/a/b/x.so", true},
    {"lib?x.so", "/opt/lib/x.so", false}, /* no / in the pattern: components only */
    {"opt/lib?x.so", "/opt/lib/x.so", true},
    {"lib/x.dll", "C:\\opt\\lib\\x.dll", true},
    {"lib/", "/opt/lib", true},
    {"a/lib/", "/a/lib", true},
    {"x?z", "/x\xed\x95\x9cz", true}, /* one Hangul syllable is one character */
    {"*", "x", true},
    {"", "x", false},
    {"x", "", false},
    {"a*b*c", "axxbyyc", true},
    {"a*b*c", "axxbyy", false},
};

TEST(match)
{
    for (size_t i = 0; i < JW_COUNT(matches); i++) {
        if (jw_path_match(matches[i].pattern, matches[i].path) != matches[i].hit) {
            printf("pattern %s, path %s\n", matches[i].pattern, matches[i].path);
            check_failed(__FILE__, __LINE__, "match");
        }
    }
}

/* A million steps at worst, not 2^30. */
TEST(many_stars_end_soon)
{
    char pattern[129], path[2001];

    for (size_t i = 0; i < 128; i += 2) {
        pattern[i] = 'a';
        pattern[i + 1] = '*';
    }
    pattern[127] = 'b';
    pattern[128] = '\0';
    memset(path, 'a', 2000);
    path[2000] = '\0';
    CHECK(!jw_path_match(pattern, path));
}
