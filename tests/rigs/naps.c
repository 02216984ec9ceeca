#include "naps.h"

void __wrap_jw_time_sleep_ms(unsigned ms);
void __real_jw_time_sleep_ms(unsigned ms);

void (*naps)(unsigned ms) = naps_real;

void __wrap_jw_time_sleep_ms(unsigned ms) { naps(ms); }

void naps_none(unsigned ms) { (void)ms; }

void naps_real(unsigned ms) { __real_jw_time_sleep_ms(ms); }
