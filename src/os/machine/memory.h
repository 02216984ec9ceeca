/* Memory of this machine. */
#pragma once

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_memory {
    uint64_t total;     /* of the machine, or the limit of a container, cgroup or job */
    uint64_t available; /* without swapping */
};

/* False: the system does not say. `sysroot`: prefix of its files for tests, else "" (Linux). */
bool jw_memory_look(const char *sysroot, struct jw_memory *out) JW_MUST;

/* The most memory that this process had at once; 0: not known. */
uint64_t jw_memory_peak(void);

/* The memory that jitwarm leaves to other programs: an eighth. */
static inline uint64_t jw_memory_spare(const struct jw_memory *m) { return m->total / 8; }

/* Tells whether to start no more work: half of the spare memory is used. */
static inline bool jw_memory_pressed(const struct jw_memory *m)
{
    return m->available < jw_memory_spare(m) / 2;
}
