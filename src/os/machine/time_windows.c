#include "os/machine/time.h"

#include <time.h>
#include <windows.h>

uint64_t jw_time_monotonic_ns(void)
{
    LARGE_INTEGER rate, now;

    (void)QueryPerformanceFrequency(&rate);
    (void)QueryPerformanceCounter(&now);

    uint64_t per_second = (uint64_t)rate.QuadPart, ticks = (uint64_t)now.QuadPart;

    return ticks / per_second * 1000000000u + ticks % per_second * 1000000000u / per_second;
}

int64_t jw_time_unix(void)
{
    return (int64_t)_time64(NULL);
}

int64_t jw_time_unix_ns(void)
{
    const int64_t from_1601 = 116444736000000000; /* in 100 ns, to 1970 */
    FILETIME now;

    GetSystemTimePreciseAsFileTime(&now);
    return ((int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - from_1601) * 100;
}

void jw_time_sleep_ms(unsigned ms)
{
    Sleep(ms);
}
