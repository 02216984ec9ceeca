/* The lists of steps: what each form does in which order. */
#include "check.h"
#include "prime/steps.h"

/* Of the form's list, from 1 on; 0: it is not in it. */
static size_t at(unsigned form, prime_step *step)
{
    for (size_t n = 0; prime_forms[form].steps[n]; n++)
        if (prime_forms[form].steps[n] == step)
            return n + 1;
    return 0;
}

TEST(what_compiles_holds_the_cache_first_and_is_looked_at_again_and_proven)
{
    static prime_step *const order[] = { prime_begin,      prime_look,    prime_plan,
                                         prime_todo,       prime_consent, prime_compile,
                                         prime_look_again, prime_prove,   prime_retry };

    for (unsigned form = JW_PRIME_FILES; form <= JW_PRIME_COMMAND; form++)
        for (size_t i = 1; i < JW_COUNT(order); i++)
            CHECK(at(form, order[i]) > at(form, order[i - 1]));
    CHECK(at(JW_PRIME_FILES, prime_roots) < at(JW_PRIME_FILES, prime_packs));
    CHECK(at(JW_PRIME_COMMAND, prime_record) < at(JW_PRIME_COMMAND, prime_look));
}
