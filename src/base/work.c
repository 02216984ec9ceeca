#include "base/work.h"

#include <stdatomic.h>

static atomic_ullong done[JW_N_WORK];

void jw_work_add(enum jw_work_counter what, uint64_t n)
{
    (void)atomic_fetch_add_explicit(&done[what], n, memory_order_relaxed);
}

uint64_t jw_work_done(enum jw_work_counter what)
{
    return atomic_load_explicit(&done[what], memory_order_relaxed);
}
