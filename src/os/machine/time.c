/* The clocks of POSIX, which mingw-w64 has for Windows, too. */
#include "os/machine/time.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

uint64_t jw_time_monotonic_ns(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t jw_time_unix(void) { return (int64_t)time(NULL); }

int64_t jw_time_unix_ns(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_nsec;
}

void jw_time_sleep_ms(unsigned ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

#ifndef JW_NO_TESTS
unsigned jw_time_limit_ms(unsigned ms)
{
    const char *hurry = getenv("JW_TEST_HURRY");
    unsigned long times = hurry ? strtoul(hurry, NULL, 10) : 0;

    return times ? (unsigned)(ms / times) : ms;
}
#endif
