/* A module is found by its PTX, options and architecture, and in a few steps among very many. */
#include "check.h"
#include "prime/module_index.h"

#include "base/bytes.h"
#include "base/digest.h"

enum { MANY = 100000 };

static struct jw_arena arena;
static struct jw_job list[MANY];

static struct jw_job module(uint32_t n, const char *options, uint16_t sm)
{
    struct jw_job j = { .module = { .options = options }, .sm = sm };

    jw_digest(j.module.text, &n, sizeof n);
    return j;
}

TEST(the_same_is_of_the_same_text_options_and_architecture)
{
    struct module_index x;
    struct jw_job other;

    list[0] = module(1, "", 86);
    list[1] = module(2, "-maxrregcount=32", 86);
    module_index_make(&x, list, 2, 1, &arena);
    other = module(1, "", 86);
    CHECK_NUM(*module_index_find(&x, list, &other), 1);
    other = module(2, "-maxrregcount=32", 86);
    CHECK_NUM(*module_index_find(&x, list, &other), 2);
    other = module(2, "", 86);
    CHECK_NUM(*module_index_find(&x, list, &other), 0);
    other = module(1, "", 89);
    CHECK_NUM(*module_index_find(&x, list, &other), 0);
    other = module(3, "", 86);
    CHECK_NUM(*module_index_find(&x, list, &other), 0);
}

TEST(nothing_is_found_among_none)
{
    struct module_index x;

    list[0] = module(1, "", 86);
    module_index_make(&x, list, 0, 0, &arena);
    CHECK_NUM(*module_index_find(&x, list, &list[0]), 0);
}

TEST(very_many_are_found_in_a_few_steps_each)
{
    struct module_index x;
    size_t steps = 0;

    for (uint32_t i = 0; i < MANY; i++)
        list[i] = module(i, "", 86);
    module_index_make(&x, list, MANY / 2, MANY / 2, &arena);
    for (uint32_t i = MANY / 2; i < MANY; i++) {
        uint32_t *slot = module_index_find(&x, list, &list[i]);

        CHECK_NUM(*slot, 0);
        *slot = i + 1;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t *slot = module_index_find(&x, list, &list[i]);

        CHECK_NUM(*slot, i + 1);
        steps += ((size_t)(slot - x.slots) - (size_t)jw_le64(list[i].module.text)) & (x.n - 1);
    }
    CHECK(steps < MANY); /* beyond the first slot, of all */
}
