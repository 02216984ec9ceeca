#include "os/machine/time.h"

#include <stdlib.h>

#ifndef JW_NO_TESTS
unsigned jw_time_limit_ms(unsigned ms)
{
    const char *hurry = getenv("JW_TEST_HURRY");
    unsigned long times = hurry ? strtoul(hurry, NULL, 10) : 0;

    return times ? (unsigned)(ms / times) : ms;
}
#endif
