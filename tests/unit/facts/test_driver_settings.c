#include "check.h"
#include "facts/driver_settings.h"

TEST(the_default_of_a_branch)
{
    CHECK_NUM(jw_cache_default("515.105.01"), 268435456);
    CHECK_NUM(jw_cache_default("525.147.05"), 1073741824);
    CHECK_NUM(jw_cache_default("620.10"), 1073741824);
    CHECK_NUM(jw_cache_default(NULL), JW_CACHE_UNKNOWN);
    CHECK_NUM(jw_cache_default("what"), JW_CACHE_UNKNOWN);
}

/* driver-fact: F24-lazy-default */
TEST(when_a_runtime_may_load_lazily)
{
    CHECK(jw_loads_lazily("535.261.03", NULL) && jw_loads_lazily("550.163.01", "LAZY"));
    CHECK(!jw_loads_lazily("535.261.03", "EAGER") && !jw_loads_lazily("550.163.01", "eager"));
    CHECK(!jw_loads_lazily("525.147.05", NULL) && !jw_loads_lazily("470.256.02", "LAZY"));
    CHECK(!jw_loads_lazily(NULL, NULL));
}

/* driver-fact: F110-path-most */
TEST(a_path_that_a_driver_heeds)
{
    char path[1024 + 1] = "";

    memset(path, 'a', 1023);
    CHECK(jw_cache_path_read(path) == path && jw_cache_path_check("--cache", path, &err));
    path[1023] = 'a';
    CHECK(!jw_cache_path_read(path) && !jw_cache_path_check("--cache", path, &err));
}

/* driver-fact: F52-most, F53-plain-bytes */
TEST(a_limit_as_a_driver_reads_it)
{
    static const struct {
        const char *value, *driver;
        uint64_t bytes;
    } cases[] = {
        {"2147483648", NULL, 2147483648},
        {"2147483648B", NULL, 2147483648},
        {" +2147483648", "580.126.09", 2147483648},
        {"4G", "550.163.01", 4},
        {"", "550.163.01", 0},
        {"0x100000", NULL, 0},
        {"big", NULL, 0},
        {"-0", NULL, 0},
        {"1e9", NULL, 1},
        {"512 MiB", NULL, 512},
        {"-1", "550.163.01", 4294967296},
        {"-18446744073709551615", "550.163.01", 4294967296},
        {"99999999999999999999", "550.163.01", 4294967296},
        {NULL, "550.163.01", 1073741824},
        {NULL, NULL, JW_CACHE_UNKNOWN},
        {"4294967296", "450.248.02", 4294967296},
        {"4294967296", "390.157", 268435456},
        {"-1", "390.157", 4294967295},
        {"", "390.157", 268435456},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NUM(jw_cache_limit_read(cases[i].value, cases[i].driver), cases[i].bytes);
}
