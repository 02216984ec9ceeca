#include "os/machine/memory.h"

/* A tenth of the time: systemd-oomd begins to kill at six tenths, and a machine that is fine shows none. */
enum { NOTICEABLE = 1000 };

bool jw_memory_pressed(const struct jw_memory *m, uint64_t keep_free)
{
    return m->available < keep_free || (m->pressure_known && m->pressure >= NOTICEABLE);
}
