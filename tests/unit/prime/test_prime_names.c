#include "cache/memory/progress_json.h"
#include "check.h"

/* `n` names, all there and no two alike. */
static void distinct(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(names[i] && names[i][0]);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(names[i], names[k]) != 0);
    }
}

TEST(every_word_is_there_once)
{
    const char *names[JW_ENDS];

    for (unsigned i = 0; i < JW_JOB_STATES; i++)
        names[i] = jw_job_state_name((enum jw_job_state)i);
    distinct(names, JW_JOB_STATES);
    for (unsigned i = 0; i < JW_LEFT_OUT; i++)
        names[i] = jw_left_out_name((enum jw_left_out)i);
    distinct(names, JW_LEFT_OUT);
    for (unsigned i = 0; i < JW_ENDS; i++)
        names[i] = jw_end_name((enum jw_end)i);
    distinct(names, JW_ENDS);
    for (unsigned i = 0; i <= JW_PHASE_VERIFY; i++)
        names[i] = jw_prime_phase_name((enum jw_prime_phase)i);
    distinct(names, JW_PHASE_VERIFY + 1);
}

TEST(words_of_several_parts_have_a_hyphen)
{
    CHECK_TEXT(jw_job_state_name(JW_JOB_NO_ROOM), "no-room");
    CHECK_TEXT(jw_end_name(JW_END_CANNOT_WRITE), "cannot-write");
    CHECK_TEXT(jw_prime_phase_name(JW_PHASE_ASK_DRIVER), "ask-driver");
    CHECK_TEXT(jw_left_out_name(JW_OUT_IS_LAZY), "lazy");
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(every_word_is_there_once), T(words_of_several_parts_have_a_hyphen));
}
