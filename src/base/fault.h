/* Fault injection for tests: the n-th fault point after arming fails. Every function of os/ that
 * can fail is one. Unarmed, it costs one relaxed load. */
#pragma once

#include <stdbool.h>

void jw_fault_arm(unsigned long nth); /* 0 disarms */
bool jw_fault_fired(void);
bool jw_fault_here(void);
