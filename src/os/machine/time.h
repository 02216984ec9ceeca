#pragma once

#include <stdint.h>

uint64_t jw_time_monotonic_ns(void);
/* The monotonic time in so many milliseconds. */
static inline uint64_t jw_time_after_ms(unsigned ms)
{
    return jw_time_monotonic_ns() + (uint64_t)ms * 1000000;
}
/* Seconds since this monotonic time. */
static inline double jw_time_since(uint64_t ns)
{
    return (double)(jw_time_monotonic_ns() - ns) / 1e9;
}
int64_t jw_time_unix(void);    /* seconds since 1970 */
int64_t jw_time_unix_ns(void); /* the same in nanoseconds, as files have it */
/* A file gets the time of the last tick, which is at most so much older. */
enum { JW_FILE_TICK_NS = 20000000 };
void jw_time_sleep_ms(unsigned ms);

/* Returns the time to wait: `ms`; a build with tests divides it by JW_TEST_HURRY, so that a test of
 * a timeout need not wait as long as a user. */
#ifdef JW_NO_TESTS
static inline unsigned jw_time_limit_ms(unsigned ms) { return ms; }
#else
unsigned jw_time_limit_ms(unsigned ms);
#endif
