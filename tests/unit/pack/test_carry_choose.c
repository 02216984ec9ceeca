/* Which entries are carried, without a file. */
#include "base/arena.h"
#include "base/limits.h"
#include "check.h"
#include "pack/carry/carry.h"

#include <stdlib.h>

#define OLDER "Jun 14 202515:40:11"
#define OLD "Jul  1 202509:00:00"
#define NOW "Jan  7 202622:51:46"
#define LATER "Jan  7 202622:51:47"

static struct jw_arena arena;
static const uint16_t ampere[] = { 86 }, both[] = { 86, 90 };

static struct jw_cache_file file(uint64_t name, const char *stamp, const char *arch, uint64_t key,
                                 uint64_t payload)
{
    struct jw_cache_file f = { .name = name, .kind = JW_CACHE_CUDA, .entry = { key, payload, name * 7 } };

    (void)snprintf(f.stamp, sizeof f.stamp, "%s", stamp);
    (void)snprintf(f.arch, sizeof f.arch, "%s", arch);
    return f;
}

struct chosen {
    struct jw_carry_entry *list;
    size_t n;
    uint64_t newer;
};

static struct chosen choose_made(struct jw_cache_file *files, const struct carry_compiler *compilers,
                                 size_t n, const uint16_t *sms, size_t n_sms)
{
    struct jw_cache_listing cache = { .files = files, .n = n };
    struct carry_choose_input in = {
        .cache = &cache, .compilers = compilers, .cuda = 124, .stamp = NOW, .sms = sms, .n_sms = n_sms
    };
    struct chosen c = { .n = 0 };

    carry_choose(&in, &arena, &c.list, &c.n, &c.newer);
    return c;
}

static struct chosen choose(struct jw_cache_file *files, size_t n, const uint16_t *sms, size_t n_sms)
{
    static const struct carry_compiler unknown[16];

    CHECK(n <= JW_COUNT(unknown));
    return choose_made(files, unknown, n, sms, n_sms);
}

TEST(older_builds_for_these_gpus)
{
    struct jw_cache_file files[] = {
        file(1, OLD, "sm_86", 100, 50),   file(2, OLDER, "sm_86", 900, 50), file(3, NOW, "sm_86", 110, 50),
        file(4, LATER, "sm_86", 120, 50), file(5, OLD, "sm_90", 130, 50),   file(6, OLD, "sm_86", 140, 50),
        file(7, OLD, "sm_86", 150, 50),   file(8, "", "sm_86", 160, 50),    file(9, OLD, "sm_86", 170, 50),
        file(10, OLD, "sm_860", 180, 50),
    };

    files[6].damage = "torn";
    files[8].kind = JW_CACHE_NVVM;
    struct chosen c = choose(files, JW_COUNT(files), ampere, 1);

    CHECK_NUM(c.n, 3);
    CHECK_NUM(c.newer, 1);
    CHECK(c.list[0].from == 6 && c.list[1].from == 1); /* the newest build, and of it the larger one */
    CHECK(c.list[2].from == 2);
    CHECK(c.list[0].bytes == 190 && c.list[0].key_bytes == 140 && c.list[0].payload == 42);
    CHECK_TEXT(c.list[2].stamp, OLDER);
    c = choose(files, JW_COUNT(files), both, 2);
    CHECK_NUM(c.n, 4);
}

/* 470 is built later than 550's first builds: the compiler's version goes before the date. */
TEST(an_older_branch_may_be_built_later)
{
    struct jw_cache_file files[] = {
        file(1, LATER, "sm_86", 100, 50), file(2, OLD, "sm_86", 110, 50), file(3, OLD, "sm_86", 120, 50),
        file(4, LATER, "sm_86", 130, 50), file(5, OLD, "sm_86", 140, 50), file(6, LATER, "sm_86", 150, 50),
        file(7, OLD, "sm_86", 160, 50),
    };
    static const struct carry_compiler made[] = {
        { .cuda = 114 },                                 /* of 470, whatever its date */
        { .cuda = 125 },                                 /* of 555 */
        { .cuda = 124 },                                 /* of this branch: the dates tell */
        { .cuda = 124 }, { .cuda = 130, .least = true }, /* of 580 or a later one */
        { .cuda = 0 },   { .cuda = 120, .least = true }, /* whether it is newer cannot be said: the date */
    };
    struct chosen c = choose_made(files, made, JW_COUNT(files), ampere, 1);

    CHECK_NUM(c.newer, 4);
    CHECK_NUM(c.n, 3);
    CHECK(c.list[0].from == 3 && c.list[1].from == 7 && c.list[2].from == 1);
}

TEST(nothing_there)
{
    struct chosen c = choose(NULL, 0, ampere, 1);

    CHECK(c.n == 0 && c.newer == 0);
    carry_fit(c.list, c.n, 0);
}

TEST(what_may_be_one_module_twice_is_doubtful)
{
    struct jw_cache_file files[] = {
        file(1, OLD, "sm_86", 100, 50), file(2, OLDER, "sm_86", 100, 60), /* perhaps the same */
        file(3, OLD, "sm_86", 200, 50), file(4, NOW, "sm_86", 200, 60),   /* perhaps there already */
        file(5, OLD, "sm_86", 300, 50), file(6, OLD, "sm_86", 300, 60),   /* of one build: two modules */
        file(7, OLD, "sm_86", 400, 50), file(8, OLDER, "sm_90", 400, 60), /* of two architectures */
        file(9, OLD, "sm_86", 500, 50), file(10, NOW, "sm_86", 500, 60),  /* a torn one is no reason */
    };
    static const bool want[] = { 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0 };

    files[9].damage = "torn";
    struct chosen c = choose(files, JW_COUNT(files), both, 2);

    CHECK_NUM(c.n, 8);
    for (size_t i = 0; i < c.n; i++)
        CHECK(c.list[i].doubtful == want[c.list[i].from]);
}

TEST(doubles_are_dropped)
{
    struct jw_cache_file there[] = { file(70, NOW, "sm_86", 1, 1), file(80, NOW, "sm_86", 1, 1),
                                     file(90, NOW, "sm_86", 1, 1), file(95, NOW, "sm_86", 1, 1) };
    struct jw_cache_listing cache = { .files = there, .n = JW_COUNT(there) };
    struct jw_carry_entry list[] = {
        { .from = 1, .name = 50 },
        { .from = 2, .name = 50 },
        { .from = 3, .name = 70 },
        { .from = 4, .name = 80 },
        { .from = 5 },
        { .from = 6 },
        { .from = 7, .name = 90 },
        { .from = 8, .name = 95 },
    };
    static const bool dropped[] = { false, true, true, false, false, false, false, false };

    for (size_t i = 0; i < JW_COUNT(there); i++) {
        there[i].indexed = i != 2;          /* one that the index does not name, */
        there[i].recorded = i == 3 ? 7 : 2; /* or with another size, is given its record */
    }
    there[1].damage = "torn"; /* is replaced */
    carry_drop_doubles(list, JW_COUNT(list), &cache);
    for (size_t i = 0; i < JW_COUNT(list); i++)
        CHECK(list[i].state == (dropped[i] ? JW_CARRY_THERE : JW_CARRY_CARRIED));
}

TEST(what_is_worth_most_fits_first_and_is_copied_last)
{
    struct jw_carry_entry list[] = {
        { .from = 1, .bytes = 60 },
        { .from = 2, .bytes = 50 },
        { .from = 3, .bytes = 500, .state = JW_CARRY_THERE },
        { .from = 4, .bytes = 30 },
        { .from = 5, .bytes = 10 },
    };
    static const uint64_t order[] = { 5, 4, 3, 2, 1 };
    static const enum jw_carry_state want[] = { JW_CARRY_CARRIED, JW_CARRY_CARRIED, JW_CARRY_THERE,
                                                JW_CARRY_NO_ROOM, JW_CARRY_CARRIED };

    carry_fit(list, JW_COUNT(list), 100);
    for (size_t i = 0; i < JW_COUNT(list); i++)
        CHECK(list[i].from == order[i] && list[i].state == want[i]);
}

int main(int argc, char **argv)
{
    int code = RUN(argc, argv, T(older_builds_for_these_gpus), T(an_older_branch_may_be_built_later),
                   T(nothing_there), T(what_may_be_one_module_twice_is_doubtful), T(doubles_are_dropped),
                   T(what_is_worth_most_fits_first_and_is_copied_last));

    jw_arena_free(&arena);
    return code;
}
