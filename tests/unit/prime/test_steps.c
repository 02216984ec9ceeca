/* The lists of steps: what each form does in which order. */
#include "check.h"
#include "prime/steps.h"

/* Its number in the form's lists, from 1 on; 0: it is in none. */
static size_t at(unsigned form, prime_step *step)
{
    const struct prime_form *f = &prime_forms[form];
    size_t n = 0;

    for (prime_step *const *s = f->begin; *s; s++) {
        n++;
        if (*s == step)
            return n;
    }
    for (prime_step *const *s = f->finish; *s; s++) {
        n++;
        if (*s == step)
            return n;
    }
    return 0;
}

TEST(what_compiles_holds_the_cache_first_and_is_looked_at_again_and_proven)
{
    static prime_step *const order[] = {prime_begin,      prime_look,    prime_plan,
                                        prime_todo,       prime_consent, prime_compile,
                                        prime_look_again, prime_prove,   prime_retry};

    for (unsigned form = JW_PRIME_FILES; form <= JW_PRIME_COMMAND; form++)
        for (size_t i = 1; i < JW_COUNT(order); i++)
            CHECK(at(form, order[i]) > at(form, order[i - 1]));
    CHECK(at(JW_PRIME_FILES, prime_roots) < at(JW_PRIME_FILES, prime_carry));
    for (unsigned form = JW_PRIME_FILES; form <= JW_PRIME_COMMAND; form++)
        CHECK(at(form, prime_carry) < at(form, prime_plan));
    CHECK(at(JW_PRIME_COMMAND, prime_record) < at(JW_PRIME_COMMAND, prime_look));
}

TEST_ARENA(a_whole_disk_is_searched_after_a_yes)
{
    const char *paths[] = {"/opt", "/"};
    struct jw_run run = {.a = a};
    struct jw_prime p = {.run = &run, .o.want.paths = {paths, 1}};

    CHECK(prime_consent_to_search(&p, &err) && !run.ended);
    p.o.want.paths.n = 2;
    CHECK(prime_consent_to_search(&p, &err) && run.end == JW_END_CONSENT);
    CHECK_HAS(run.why, "this searches the whole disk");
    CHECK(at(JW_PRIME_FILES, prime_consent_to_search) < at(JW_PRIME_FILES, prime_begin));
}

TEST_ARENA(who_is_asked_about_room_hears_how_long_the_rest_takes)
{
    struct jw_place place = {.path = "lib.so"};
    struct jw_job job = {.is = JW_MODULE_NO_ROOM, .place = &place};
    struct jw_look look = {.jobs = &job, .n_jobs = 1};
    struct jw_run run = {.a = a};
    struct jw_prime p = {.run = &run, .look = &look, .plan = {.n_todo = 2, .seconds = 7200}};

    CHECK(prime_consent(&p, &err) && p.agreed == 14400);
    CHECK_HAS(run.why, "has room for 2 of 3 modules, which need 0 B; compiling takes about 2 h");
    p.plan.seconds = 60;
    CHECK(prime_consent(&p, &err) && p.agreed == 0);
}
