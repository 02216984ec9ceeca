/*
 * Fault injection for tests: the n-th fault point after arming fails. Every allocation (base/mem) and every function of
 * os/ is a fault point. Unarmed, it costs one relaxed load.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>

void jw_fault_arm(unsigned long nth); /* 0 disarms */
bool jw_fault_fired(void);
bool jw_fault_here(void);

#endif
