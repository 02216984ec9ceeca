#include "os/machine/memory.h"

/* A tenth of the time: systemd-oomd begins to kill at six tenths, and a machine that is fine shows none. */
enum { NOTICEABLE = 1000 };

bool jw_memory_pressed(const struct jw_memory *m)
{
    return m->available < jw_memory_spare(m) / 2 || (m->pressure_known && m->pressure >= NOTICEABLE);
}
