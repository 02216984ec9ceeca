#include "base/buf.h"
#include "check.h"
#include "machine/config.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

static void parse(struct jw_arena *a, struct jw_config *c, const char *text)
{
    jw_config_parse((struct jw_bytes){(const uint8_t *)text, strlen(text)}, "x.conf", "/home/me",
                    NULL, a, c);
}

TEST_ARENA(keys_and_comments)
{
    struct jw_config c = {0};

    parse(a, &c,
          "# comment\n\n  search = /opt/modules \t# behind\r\nsearch=/a#b\nsearch = ~/sw\nexclude "
          "= *.a\n"
          "jobs = 4\nexclude=~/build/**");
    CHECK_NUM(c.warnings.n, 0);
    CHECK_NUM(c.search.n, 3);
    CHECK_TEXT(c.search.v[0].value, "/opt/modules");
    CHECK_TEXT(c.search.v[0].origin, "x.conf:3");
    CHECK_TEXT(c.search.v[1].value, "/a#b");
    CHECK_TEXT(c.search.v[2].value, "/home/me/sw");
    CHECK_NUM(c.exclude.n, 2);
    CHECK_TEXT(c.exclude.v[1].value, "/home/me/build/**");
    CHECK_TEXT(c.exclude.v[1].origin, "x.conf:8");
    CHECK_NUM(c.jobs, 4);
}

TEST(each_bad_line_is_a_warning)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"root = /x\n", "x.conf:1: unknown key \"root\"; known are search, exclude, jobs, "},
        {"\n\nexcludes = y", "x.conf:3: unknown key \"excludes\"; known are "},
        {"search /x", "not a \"key = value\" line"},
        {"= /x", "not a \"key = value\" line"},
        {"search =", "x.conf:1: search has no value"},
        {"search = relative/path", "\"relative/path\" is not an absolute path"},
        {"jobs = many", "jobs is a number from 1 to 1024, not \"many\""},
        {"jobs = 0", "jobs is a number"},
        {"jobs = 1025", "jobs is a number"},
        {"jobs = 99999999999999999999999", "jobs is a number"},
        {"search = /\xff", "not UTF-8"},
    };

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        FREED(jw_arena) a = {0};
        struct jw_config c = {0};

        parse(&a, &c, bad[i].text);
        CHECK_NUM(c.warnings.n, 1);
        if (c.warnings.n == 1)
            CHECK_HAS(c.warnings.v[0], bad[i].says);
        CHECK_NUM(c.search.n + c.exclude.n + c.jobs, 0);
    }
}

TEST_ARENA(strange_bytes)
{
    struct jw_config c = {0};
    static const char nul[] = "jobs = 2\nsearch = /a\0b\njobs = 3\n";

    jw_config_parse((struct jw_bytes){(const uint8_t *)nul, sizeof nul - 1}, "n", NULL, NULL, a,
                    &c);
    CHECK_NUM(c.warnings.n, 1);
    CHECK_HAS(c.warnings.v[0], "n:2: ");
    CHECK_NUM(c.jobs, 3);

    c = (struct jw_config){0};
    parse(a, &c, "\xef\xbb\xbfjobs = 2");
    CHECK_NUM(c.jobs, 2);
}

TEST_ARENA(too_many_lines)
{
    struct jw_config c = {0};
    FREED(jw_buf) text = JW_BUF(JW_MAX_CONF);

    for (size_t i = 0; i < JW_MAX_CONF_ITEMS + 200; i++)
        jw_buf_text(&text, "exclude = x\n");
    parse(a, &c, jw_buf_cstr(&text));
    CHECK_NUM(c.exclude.n, JW_MAX_CONF_ITEMS);
    CHECK_NUM(c.warnings.n, JW_MAX_NOTES);
    CHECK_HAS(c.warnings.v[0], "ignored");
}

TEST_ARENA(files_in_order)
{
    struct jw_config c = {0};
    const char *first = tree_file(a, "system/jitwarm.conf", "search = /s\njobs = 2\nexclude = s\n");
    const char *second = tree_file(a, "user/jitwarm.conf", "search = /u\njobs = 8\n");

    jw_config_load_file(first, NULL, a, &c);
    jw_config_load_file(tree_path(a, "no/such.conf"), NULL, a, &c);
    jw_config_load_file(second, NULL, a, &c);
    CHECK_NUM(c.warnings.n, 0);
    CHECK_NUM(c.search.n, 2);
    CHECK_TEXT(c.search.v[0].value, "/s");
    CHECK_TEXT(c.search.v[1].value, "/u");
    CHECK_NUM(c.jobs, 8);
    CHECK_NUM(c.exclude.n, 1);

    jw_config_load_file(tree_dir(a, "folder.conf"), NULL, a, &c);
    CHECK_NUM(c.warnings.n, 1);
    CHECK_HAS(c.warnings.v[0], "folder.conf: ");
}

/* As that of root after su without a dash: here by a name that no system has. */
TEST_ARENA(a_home_that_nobody_enters)
{
    struct jw_config c;

    set_variable("HOME", jw_arena_printf(a, "/%0300d", 0));
    set_variable("XDG_CONFIG_HOME", NULL);
    jw_config_load(a, &c);
    CHECK_NUM(c.warnings.n, 0);
}
