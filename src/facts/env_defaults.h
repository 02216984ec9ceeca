/*
 * What is documented about the limit of the driver's cache. The default belongs to the driver, not to the toolkit that a
 * program was built with, and the release that raised it is not known: that of one machine can only be measured.
 * driver-fact: F51-default-limit, F52-most
 */
#ifndef FACTS_ENV_DEFAULTS_H
#define FACTS_ENV_DEFAULTS_H

#include <stdint.h>

struct jw_cache_limits {
    uint64_t before; /* drivers of CUDA 6.5 to 11, and all on Jetson */
    uint64_t since;  /* those of CUDA 12 and newer */
    uint64_t most;   /* that CUDA_CACHE_MAXSIZE may say */
};

struct jw_cache_limits jw_cache_limits(void);

/* The limit to propose for a cache of so many bytes: a power of two with a quarter to spare, where there is one. 0: no cache
 * may hold that much. */
uint64_t jw_cache_limit_for(uint64_t bytes);

#endif
