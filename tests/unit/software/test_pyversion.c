#include "base/compiler.h"
#include "check.h"
#include "software/fetch/pyversion.h"

static struct jw_pyversion of(const char *text)
{
    struct jw_pyversion v;

    CHECK(jw_pyversion_parse(text, &v));
    return v;
}

TEST(reads_every_spelling_of_one_version)
{
    static const char *const same[][2] = {
        { "1.0", "1" },
        { "v1.0", "1.0" },
        { "1.0-alpha_1", "1.0a1" },
        { "1.0C2", "1.0rc2" },
        { "1.0pre3", "1.0rc3" },
        { "1.0-1", "1.0.post1" },
        { "1.0rev4", "1.0.post4" },
        { "1.0.DEV", "1.0dev0" },
        { "0!1", "1" },
        { "1.0+CU_118", "1.0+cu.118" },
        { "1.0a", "1.0a0" },
        { "01.02", "1.2" },
    };

    for (size_t i = 0; i < JW_COUNT(same); i++) {
        struct jw_pyversion a = of(same[i][0]), b = of(same[i][1]);

        CHECK(jw_pyversion_compare(&a, &b) == 0);
    }
}

TEST(orders_them_as_pip_does)
{
    static const char *const rising[] = {
        "1.dev0",  "1.0a1.dev1", "1.0a1", "1.0a2.post1", "1.0b1",          "1.0rc1",    "1.0",
        "1.0+abc", "1.0+abc.2",  "1.0+9", "1.0+10",      "1.0.post1.dev3", "1.0.post1", "1.0.1",
        "1.2",     "1.10",       "2.3.1", "2.10",        "2026.1.1",       "1!0.1",
    };

    for (size_t i = 0; i < JW_COUNT(rising); i++)
        for (size_t k = 0; k < JW_COUNT(rising); k++) {
            struct jw_pyversion a = of(rising[i]), b = of(rising[k]);
            int by = jw_pyversion_compare(&a, &b);

            CHECK((by < 0) == (i < k) && (by > 0) == (i > k));
        }
}

TEST(refuses_what_is_no_version)
{
    static const char *const bad[] = { "",
                                       "x",
                                       "1.",
                                       ".1",
                                       "1..2",
                                       "1 0",
                                       "1.0+",
                                       "1.0+a..b",
                                       "1.0+-",
                                       "1.0/2",
                                       "1;rm",
                                       "-1",
                                       "1.*",
                                       "1!",
                                       "1.0a-",
                                       "1.0 ",
                                       "$(x)",
                                       "99999999999",
                                       "1.2.3.4.5.6.7.8.9" };
    struct jw_pyversion v;

    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_pyversion_parse(bad[i], &v));
}

TEST(a_requirement_allows_what_pip_takes)
{
    static const struct {
        enum jw_pyspec_op op;
        const char *version, *yes, *no;
    } rows[] = {
        { JW_PY_EQUAL, "2.9", "2.9.0", "2.9.1" },
        { JW_PY_EQUAL, "2.9", "2.9.0+cu130", "2.9.0rc1" },
        { JW_PY_EQUAL, "2.9+cu130", "2.9.0+cu130", "2.9.0" },
        { JW_PY_PREFIX, "2.9", "2.9.7", "2.10" },
        { JW_PY_NOT, "2.9", "2.9.1", "2.9.0" },
        { JW_PY_NOT_PREFIX, "2.9", "2.10", "2.9.7" },
        { JW_PY_COMPATIBLE, "2.9.1", "2.9.7", "2.10" },
        { JW_PY_COMPATIBLE, "2.9", "2.10", "3.0" },
        { JW_PY_AT_LEAST, "2.9", "2.9.0+cu1", "2.9rc1" },
        { JW_PY_AT_MOST, "2.9", "2.9.0+cu1", "2.9.0.post1" },
        { JW_PY_ABOVE, "2.9", "2.9.1", "2.9.0.post1" },
        { JW_PY_ABOVE, "2.9", "3", "2.9.0+cu1" },
        { JW_PY_ABOVE, "2.9.post1", "2.9.post2", "2.9.post1" },
        { JW_PY_BELOW, "2.9", "2.8.9", "2.9rc1" },
        { JW_PY_BELOW, "2.9rc2", "2.9rc1", "2.9" },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct jw_pyspec s = { rows[i].op, of(rows[i].version) };
        struct jw_pyversion yes = of(rows[i].yes), no = of(rows[i].no);

        CHECK(jw_pyspec_allows(&s, &yes));
        CHECK(!jw_pyspec_allows(&s, &no));
    }
}
