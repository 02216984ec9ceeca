#include "check.h"
#include "os/machine/time.h"

TEST(a_nap_takes_its_time)
{
    uint64_t before = jw_time_monotonic_ns();

    jw_time_sleep_ms(60);

    uint64_t took = jw_time_monotonic_ns() - before;

    CHECK(took >= 50000000 && took < (uint64_t)20 * 1000000000);
    jw_time_sleep_ms(0);
}

TEST(it_is_later_than_2024) { CHECK(jw_time_unix() > 1704067200); }
