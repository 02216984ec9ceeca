/*
 * jw_time_sleep_ms as a test wants it (linked with --wrap=jw_time_sleep_ms). The pauses let other
 * programs have a lock; a walk over failing calls, where there is no other, needs none of its
 * thousand.
 */
#pragma once

extern void (*naps)(unsigned ms); /* naps_real at first */
void naps_none(unsigned ms);
void naps_real(unsigned ms);
