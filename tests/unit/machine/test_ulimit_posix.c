#include "check.h"
#include "machine/ulimit.h"

#include <sys/resource.h>

TEST(a_limit_of_this_process)
{
    struct rlimit was;

    CHECK(getrlimit(RLIMIT_NOFILE, &was) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, was.rlim_max}) == 0);

    struct jw_ulimit found = jw_ulimit_too_low();

    CHECK(setrlimit(RLIMIT_NOFILE, &was) == 0);
    CHECK(found.which == JW_ULIMIT_FILES && found.is == 64 && !found.hard);
}
