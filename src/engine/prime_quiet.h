/* When work that nobody waits for may begin, and when it has to stop. Pure. */
#ifndef ENGINE_PRIME_QUIET_H
#define ENGINE_PRIME_QUIET_H

#include "os/power.h"

#include <stdint.h>

struct quiet_facts {
    enum jw_power power;
    struct jw_pressure pressure;
    bool short_of_memory; /* less is free than should stay free */
};

/* NULL, or why not: "the disk is busy"... Busy processors are waited for only for a minute (a login's storm): the workers
 * are idle at them anyway. */
const char *quiet_to_begin(const struct quiet_facts *f, uint64_t waited_ns);

/* The same of work that goes on. Our own load is among what it sees, so that the processors do not count (the workers are
 * idle at them), and what may pass by itself has to last. */
struct quiet_watch {
    uint64_t pressed_since; /* monotonic ns; 0: it is not */
};

bool quiet_is_pressed(const struct quiet_facts *f); /* nothing more is to be begun */
const char *quiet_to_go_on(struct quiet_watch *w, const struct quiet_facts *f, uint64_t now_ns);

#endif
