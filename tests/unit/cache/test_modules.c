#include "cache/memory/modules.h"

#include "check.h"

static void number_id(uint8_t id[32], size_t n)
{
    memset(id, 0, 32);
    for (size_t i = 0; i < sizeof n; i++)
        id[31 - i] = (uint8_t)(n >> 8 * i);
}

static struct jw_warm_module module(size_t n, uint64_t name)
{
    struct jw_warm_module m = { .build = "gnu:aa", .sm = 86, .name = name, .bytes = n };

    number_id(m.id, n);
    return m;
}

TEST(an_empty_table_has_nothing)
{
    struct jw_modules t = { 0 };
    const struct jw_warm_module m = module(1, 1);
    size_t at = 0;

    CHECK(!jw_modules_find(&t, m.id, 86, "gnu:aa") && !jw_modules_named(&t, 1, &at));
}

TEST_ARENA(it_is_found_by_all_that_it_is)
{
    struct jw_modules t = { 0 };
    struct jw_warm_module m = module(1, 7);
    const struct jw_warm_module *found;

    jw_modules_put(&t, a, &m);
    CHECK(!jw_modules_find(&t, m.id, 90, "gnu:aa") && !jw_modules_find(&t, m.id, 86, "gnu:bb"));
    CHECK(!jw_modules_find(&t, module(2, 7).id, 86, "gnu:aa"));
    m.bytes = 99; /* the same again, with another name */
    m.name = 8;
    jw_modules_put(&t, a, &m);
    found = jw_modules_find(&t, m.id, 86, "gnu:aa");
    CHECK(t.n == 1 && found && found->bytes == 99);
    CHECK(jw_modules_named(&t, 8, &(size_t){ 0 }) == found && !jw_modules_named(&t, 7, &(size_t){ 0 }));
}

TEST(a_ban_counts_for_one_compiler)
{
    static const struct {
        const char *ban, *compiler, *now;
        bool holds;
    } rows[] = {
        { "", "gnu:cc", "gnu:cc", false },
        { "", "", "", false },
        { "signal 11", "gnu:cc", "gnu:cc", true },
        { "signal 11", "gnu:cc", "gnu:c", false },
        { "signal 11", "gnu:cc", "", false },
        { "signal 11", "", "gnu:cc", false },
        { "signal 11", "", "", true }, /* which one it is was never known */
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        const struct jw_warm_module m = { .ban = rows[i].ban, .compiler = rows[i].compiler };

        CHECK(jw_module_is_banned(&m, rows[i].now) == rows[i].holds);
    }
}

TEST_ARENA(all_of_one_name_are_given_and_each_once)
{
    struct jw_modules t = { 0 };
    size_t at = 0, n = 0, sum = 0;
    const struct jw_warm_module *m;

    for (size_t i = 1; i <= 200; i++) {
        const struct jw_warm_module one = module(i, i % 50 ? 5 : 0);

        jw_modules_put(&t, a, &one);
    }
    while ((m = jw_modules_named(&t, 5, &at))) {
        n++;
        sum += m->bytes;
    }
    CHECK_NUM(n, 196);
    CHECK_NUM(sum, 200 * 201 / 2 - (50 + 100 + 150 + 200));
    CHECK(!jw_modules_named(&t, 0, &(size_t){ 0 })); /* no name is no name to look for */
}

/* The most neighbours that a search may have to pass. */
static size_t longest_run(const uint32_t *table, size_t n)
{
    size_t run = 0, longest = 0;

    for (size_t i = 0; i < n; i++) {
        run = table[i] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* As many as a log keeps, and many that change their names. */
TEST_ARENA(one_of_many_is_found_by_few_looks)
{
    enum { RECORDS = 1 << 17 };
    struct jw_modules t = { 0 };
    size_t right = 0;

    for (size_t i = 0; i < RECORDS + RECORDS / 2; i++) {
        const struct jw_warm_module m = module(i % RECORDS, i + 1);

        jw_modules_put(&t, a, &m);
    }
    for (size_t i = 0; i < RECORDS; i++) {
        const struct jw_warm_module m = module(i, 0);
        size_t at = 0;
        uint64_t name = i < RECORDS / 2 ? i + RECORDS + 1 : i + 1;

        right += jw_modules_find(&t, m.id, 86, "gnu:aa") == &t.list[i];
        right += jw_modules_find(&t, m.id, 86, "gnu:cc") == NULL;
        right += jw_modules_named(&t, name, &at) == &t.list[i] && !jw_modules_named(&t, name, &at);
    }
    CHECK_NUM(t.n, RECORDS);
    CHECK_NUM(right, 3 * RECORDS);
    CHECK(longest_run(t.by_id, t.places) < 100 && longest_run(t.by_name, t.places) < 100);
}
