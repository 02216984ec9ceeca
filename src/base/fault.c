#include "base/fault.h"

#include <stdatomic.h>

static atomic_ulong left;
static atomic_bool fired;

void jw_fault_arm(unsigned long nth)
{
    atomic_store(&fired, false);
    atomic_store(&left, nth);
}

bool jw_fault_fired(void) { return atomic_load(&fired); }

bool jw_fault_here(void)
{
    if (atomic_load_explicit(&left, memory_order_relaxed) == 0 || atomic_load(&fired))
        return false;
    if (atomic_fetch_sub(&left, 1) != 1)
        return false;
    atomic_store(&fired, true);
    return true;
}
