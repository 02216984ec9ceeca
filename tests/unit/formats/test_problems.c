#include "check.h"
#include "formats/sections.h"

TEST(a_few_are_kept)
{
    struct jw_arena arena = { 0 };
    struct jw_problems p = { .arena = &arena };

    for (unsigned i = 0; i < JW_MAX_PROBLEMS + 5; i++)
        jw_problem(&p, "number %u", i);
    CHECK_NUM(p.n, JW_MAX_PROBLEMS);
    CHECK_TEXT(p.text[0], "number 0");
    CHECK_TEXT(p.text[JW_MAX_PROBLEMS - 1], "number 7");
    jw_arena_free(&arena);
}
