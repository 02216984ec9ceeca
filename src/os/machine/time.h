#ifndef OS_MACHINE_TIME_H
#define OS_MACHINE_TIME_H

#include <stdint.h>

uint64_t jw_time_monotonic_ns(void);
int64_t jw_time_unix(void); /* seconds since 1970 */
void jw_time_sleep_ms(unsigned ms);

#endif
