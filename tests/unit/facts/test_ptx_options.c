#include "base/compiler.h"
#include "check.h"
#include "facts/ptx_options.h"

TEST(options_that_each_driver_takes)
{
    const char *const cases[] = {
        "",
        " ",
        "--compile-only  ",
        "-lineinfo -maxrregcount=64 -dlcm=ca",
        "--maxrregcount 32 --opt-level 3",
        "-g -O0",
        "   -O3   ",
        "--fmad=false\t-v",
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        CHECK(!jw_ptx_option_unknown(cases[i]));
}

TEST(options_that_some_driver_refuses_or_that_are_not_known)
{
    const struct {
        const char *options, *first;
    } cases[] = {
        {"-dlcm=ca -knob InsertYields=0", "-knob InsertYields=0"},
        {"-ftz=true -O3", "-ftz=true -O3"},
        {"-dlcm", "-dlcm"},
        {"-dlcm=", "-dlcm="},
        {"-dlcm=zz", "-dlcm=zz"},
        {"--dlcm ca", "--dlcm ca"},
        {"-opt-level 3", "-opt-level 3"},
        {"-maxrregcount=x", "-maxrregcount=x"},
        {"-g=true", "-g=true"},
        {"-O3 -g", "-g"},
        {"-g --opt-level=2", "-g --opt-level=2"},
        {"g", "g"},
        {"-", "-"},
        {"=", "="},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        CHECK_TEXT(jw_ptx_option_unknown(cases[i].options), cases[i].first);
}
