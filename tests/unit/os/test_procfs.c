#include "base/compiler.h"
#include "check.h"
#include "os/machine/procfs.h"

static void number_is(const char *text, const char *name, bool found, uint64_t want)
{
    uint64_t n = 0;
    bool ok = jw_procfs_number(text, name, &n);

    CHECK(ok == found);
    if (ok)
        CHECK_NUM(n, want);
}

TEST(numbers_are_found_by_their_whole_name)
{
    static const char meminfo[] = "MemTotal:       16307212 kB\nMemFree:         1024 kB\n"
                                  "HugePages_Total:       7\nMemAvailable:    2048 kB\n";
    static const char stat[] = "anon 1\nactive_file 20\ninactive_file 300\n";

    number_is(meminfo, "MemTotal", true, (uint64_t)16307212 * 1024);
    number_is(meminfo, "MemAvailable", true, 2048 * 1024);
    number_is(meminfo, "HugePages_Total", true, 7);
    number_is(meminfo, "Mem", false, 0);
    number_is(meminfo, "Total", false, 0);
    number_is(stat, "inactive_file", true, 300);
    number_is(stat, "file", false, 0);
    number_is("", "a", false, 0);
    number_is("a", "a", false, 0);
    number_is("a:", "a", false, 0);
    number_is("a: x", "a", false, 0);
    number_is("a: 18446744073709551615", "a", true, UINT64_MAX);
    number_is("a: 18446744073709551616", "a", false, 0);
    number_is("a: 18446744073709551615 kB", "a", false, 0);
}

TEST(a_process_may_be_called_anything)
{
    static const char rest[] =
        " S 1 2 3 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 123456 1000 200 18446744073709551615";
    static const char *const bad[] = {"", "77 (cut", "77 (cut)", "77 (cut) S 1 2 3",
                                      "77 (x) S 1 2 3 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 x"};
    static const char *const names[] = {"(plain)", "(a) Z 9 (b) c)"};
    struct jw_procfs_stat is;
    char text[512];

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        (void)snprintf(text, sizeof text, "77 %s%s", names[i], rest);
        CHECK(jw_procfs_stat(text, &is));
        CHECK(is.state == 'S' && is.parent == 1);
        CHECK_NUM(is.began, 123456);
        CHECK_NUM(is.cpu, 3);
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_procfs_stat(bad[i], &is));
}
