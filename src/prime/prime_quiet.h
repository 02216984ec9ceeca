/* When work that nobody waits for may begin, and when it has to stop. Pure. */
#ifndef PRIME_PRIME_QUIET_H
#define PRIME_PRIME_QUIET_H

#include "os/machine/power.h"

#include <stdint.h>

struct quiet_facts {
    enum jw_power power;
    struct jw_pressure pressure;
    bool short_of_memory; /* less is free than should stay free */
};

/* NULL, or why not: "on battery..." Busy processors and disks are waited for only so long (a login's storm, a backup): on a
 * machine that is always busy the work must get done all the same, and it is idle work at both. */
const char *quiet_to_begin(const struct quiet_facts *f, uint64_t waited_ns);

/* The same of work that goes on: on battery it ends, and when memory is short for as long as ten seconds. A busy disk
 * (quiet_is_pressed) only keeps it to one module at a time. */
struct quiet_watch {
    uint64_t pressed_since; /* monotonic ns; 0: it is not */
};

bool quiet_is_pressed(const struct quiet_facts *f); /* nothing more is to be begun */
const char *quiet_to_go_on(struct quiet_watch *w, const struct quiet_facts *f, uint64_t now_ns);

#endif
