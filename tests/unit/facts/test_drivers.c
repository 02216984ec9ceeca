#include "base/compiler.h"
#include "check.h"
#include "facts/drivers.h"

TEST(parse_versions)
{
    static const struct {
        const char *text;
        unsigned branch;
    } cases[] = {
        {"580.126.09", 580}, {"580", 580},       {"r580", 580},         {"R580.65.06", 580},
        {"591.44", 591},     {"452.39", 452},    {"32.0.15.9144", 591}, {"27.21.14.5239", 452},
        {"13.0", 580},       {"CUDA 12.8", 570}, {"cuda-13.1", 590},    {"CUDA12.6", 560},
        {"11.0.3", 445},     {"10.1", 418},      {"9.1", 387},          {"8.0", 361},
        {"13.4", 615},       {"999.99", 999},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        unsigned v = 0;

        err = (struct jw_err){0};
        CHECK(jw_driver_parse(cases[i].text, &v, &err));
        CHECK_NUM(v, cases[i].branch);
        CHECK_TEXT(err.msg, "");
    }
}

TEST(refusals_help)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "looks like 580.126.09"},
        {"abc", "\"abc\" is not a driver version"},
        {"99", "looks like"},
        {"580.", "looks like"},
        {"580.1.2.3.4", "looks like"},
        {"-580", "looks like"},
        {"99999999999999999999", "looks like"},
        {"r13.0", "looks like"},
        {"CUDA 580.10", "looks like"},
        {"14.0", "no driver that is known here reports CUDA 14.0"},
        {"9.7", "no driver that is known here reports CUDA 9.7"},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        unsigned v = 0;

        err = (struct jw_err){0};
        CHECK(!jw_driver_parse(cases[i].text, &v, &err) && err.code == JW_E_USAGE);
        CHECK_HAS(err.msg, cases[i].why);
    }
}

TEST(between_and_beyond)
{
    static const struct {
        unsigned branch, isa;
    } cases[] = {
        {591, 91}, {592, 91}, {452, 70}, {527, 80}, {561, 85},
        {390, 61}, {430, 64}, {600, 92}, {614, 93}, {100, 20},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        CHECK_NUM(jw_driver_isa(cases[i].branch), cases[i].isa);
    CHECK_NUM(jw_isa_needs_driver(1, 0), 195);
    CHECK_NUM(jw_isa_needs_driver(8, 9), 580);
    CHECK_NUM(jw_isa_needs_driver(10, 0), JW_BRANCH_TO_COME);
    CHECK_TEXT(jw_driver_needed(JW_BRANCH_TO_COME).text, "a newer driver than this jitwarm knows");
    CHECK_NUM(jw_driver_isa(616), 0);
}

TEST(drivers_and_gpus)
{
    static const struct {
        unsigned branch, sm;
        enum jw_driver_fit want;
    } cases[] = {
        {580, 61, JW_DRIVER_FITS}, {590, 61, JW_DRIVER_TOO_NEW},  {361, 61, JW_DRIVER_TOO_OLD},
        {367, 61, JW_DRIVER_FITS}, {470, 35, JW_DRIVER_FITS},     {495, 35, JW_DRIVER_TOO_NEW},
        {390, 20, JW_DRIVER_FITS}, {396, 20, JW_DRIVER_TOO_NEW},  {450, 86, JW_DRIVER_TOO_OLD},
        {455, 86, JW_DRIVER_FITS}, {565, 120, JW_DRIVER_TOO_OLD}, {570, 120, JW_DRIVER_FITS},
        {999, 75, JW_DRIVER_FITS}, {580, 87, JW_DRIVER_FITS},     {400, 130, JW_DRIVER_FITS},
        {580, 70, JW_DRIVER_FITS}, {581, 70, JW_DRIVER_FITS},     {589, 70, JW_DRIVER_FITS},
        {391, 20, JW_DRIVER_FITS}, {591, 70, JW_DRIVER_TOO_NEW},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        CHECK_NUM(jw_driver_support(cases[i].branch, cases[i].sm), cases[i].want);
    }
}

TEST(which_drivers_are_older)
{
    CHECK(jw_driver_is_before("390.157", 460) && jw_driver_is_before("11.1", 460));
    CHECK(!jw_driver_is_before("460.106.00", 460) && !jw_driver_is_before("11.2", 460));
    CHECK(!jw_driver_is_before(NULL, 460) && !jw_driver_is_before("", 460)
          && !jw_driver_is_before("new", 460));
}
