/* Memory of this machine: total, available, and whether programs wait for it. */
#ifndef OS_MACHINE_MEMORY_H
#define OS_MACHINE_MEMORY_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_memory {
    uint64_t total;      /* of the machine, or the limit of a container, cgroup or job */
    uint64_t available;  /* without swapping */
    bool pressure_known; /* Linux with PSI */
    unsigned pressure;   /* share of the last 10 s in which a program waited for memory, in 0.01 % */
};

/* `sysroot`: prefix of the system's files for tests, else "" (Linux). Reads about a dozen small files. */
bool jw_memory_look(const char *sysroot, struct jw_memory *out, struct jw_err *err) JW_MUST;

/* The most memory that this process had at once; 0: not known. */
uint64_t jw_memory_peak(void);

/* The memory that jitwarm leaves to other programs: an eighth. */
static inline uint64_t jw_memory_spare(const struct jw_memory *m)
{
    return m->total / 8;
}

/* Tells whether to start no more work: half of the spare memory is used, or programs wait for memory. */
static inline bool jw_memory_pressed(const struct jw_memory *m)
{
    /* 10 % of the time. A healthy machine shows 0 %; systemd-oomd kills at 60 %. */
    enum { NOTICEABLE = 1000 };

    return m->available < jw_memory_spare(m) / 2 || (m->pressure_known && m->pressure >= NOTICEABLE);
}

#endif
