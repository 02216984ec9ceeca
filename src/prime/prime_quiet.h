/* Decides when a background run may start, and when it has to stop. Pure. */
#ifndef PRIME_PRIME_QUIET_H
#define PRIME_PRIME_QUIET_H

#include "os/machine/power.h"

#include <stdint.h>

struct quiet_facts {
    enum jw_power power;
    struct jw_pressure pressure;
    bool short_of_memory; /* too little memory is free */
};

/* Returns why a run must not start now ("on battery..."), or NULL. It waits for busy processors and disks only for some
 * minutes, because some machines are always busy. */
const char *quiet_to_begin(const struct quiet_facts *f, uint64_t waited_ns);

/* The same for a run at work: it stops on battery, and after ten seconds without enough memory. On a busy disk it runs
 * one module at a time (quiet_is_pressed). */
struct quiet_watch {
    uint64_t pressed_since; /* monotonic ns; 0: not pressed */
};

bool quiet_is_pressed(const struct quiet_facts *f); /* start no more modules */
const char *quiet_to_go_on(struct quiet_watch *w, const struct quiet_facts *f, uint64_t now_ns);

#endif
