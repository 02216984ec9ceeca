/* How much memory there is, how much of it can be had without harm, and whether programs are waiting for it. */
#ifndef OS_MACHINE_MEMORY_H
#define OS_MACHINE_MEMORY_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_memory {
    uint64_t total;      /* of the machine, or what a container, a cgroup or a job may use, if that is less */
    uint64_t available;  /* of it, without swapping */
    bool limited;        /* `total` is not the machine's */
    bool pressure_known; /* Linux with PSI */
    unsigned pressure; /* hundredths of a percent of the last ten seconds in which something waited for it */
};

/* `sysroot`: where the system's files are looked for, "" but in tests (Linux). Cheap: about a dozen small files. */
bool jw_memory_look(const char *sysroot, struct jw_memory *out, struct jw_err *err) JW_MUST;

/* What stays free for others: an eighth. */
static inline uint64_t jw_memory_spare(const struct jw_memory *m)
{
    return m->total / 8;
}

/* Should nothing more be begun? Half of what stays free is gone, or programs wait for memory noticeably. */
static inline bool jw_memory_pressed(const struct jw_memory *m)
{
    /* A tenth of the time: systemd-oomd begins to kill at six tenths, and a machine that is fine shows none. */
    enum { NOTICEABLE = 1000 };

    return m->available < jw_memory_spare(m) / 2 || (m->pressure_known && m->pressure >= NOTICEABLE);
}

#endif
