/*
 * The test hook: arm it, and the n-th fault point from here on fails. Fault points are every allocation
 * (base/mem)
 * and every verb of os/. Unarmed it costs one relaxed load.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>

void jw_fault_arm(unsigned long nth); /* 0 disarms */
bool jw_fault_fired(void);
bool jw_fault_here(void);

#endif
