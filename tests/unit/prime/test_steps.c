/* The lists of steps: whom each form asks as, and what it may do in which order. */
#include "check.h"
#include "prime/steps.h"

static prime_step *const changing[] = { prime_packs, prime_begin,   prime_record,
                                        prime_roots, prime_compile, prime_remember };

/* Of the form's list, from 1 on; 0: it is not in it. */
static size_t at(unsigned form, prime_step *step)
{
    prime_step *const *steps = prime_forms[form].steps;
    size_t n = 0;

    for (; steps[n]; n++)
        if (steps[n] == step)
            return n + 1;
    return step == prime_forms[form].without_driver ? n + 1 : 0;
}

TEST(who_asks_as_prime_changes_something_and_nobody_else)
{
    for (unsigned form = 0; form < JW_PRIME_FORMS; form++) {
        size_t changes = 0;

        for (size_t i = 0; i < JW_COUNT(changing); i++)
            changes += at(form, changing[i]) > 0;
        CHECK((changes > 0) == (prime_forms[form].asker == JW_ASKS_PRIME));
        CHECK(at(form, prime_scope) == 1 && at(form, prime_look));
    }
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
