/*
 * How long the driver's compiler takes, learned while it works: processor seconds = a + b x bytes of plain PTX, one such
 * line for each (build of libcuda, sm). Pure.
 *
 * Modules differ from the line by a share of their cost, so each counts by its relative error. What was thought
 * beforehand counts as little as one bad measurement; it keeps `a` in bounds as long as only large modules were
 * seen, which come first and say nothing of it.
 */
#ifndef PRIME_RATE_H
#define PRIME_RATE_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed: nothing is known yet. */
struct jw_rate {
    double w, x, xx, y, xy; /* weighted sums over what was seen */
    uint64_t seen;
};

void jw_rate_learn(struct jw_rate *r, uint64_t ptx_bytes, double seconds);
double jw_rate_seconds(const struct jw_rate *r, uint64_t ptx_bytes);

/*
 * How busy the machine is: what the compiling processes got of the processor lately. Rates are in processor seconds, so that
 * a busy day does not spoil the estimates of a quiet one. Zeroed: nothing is known, the factor is 1.
 */
struct jw_rate_load {
    double wall, cpu; /* seconds; older ones count less */
};

void jw_rate_load_add(struct jw_rate_load *l, double wall, double cpu);

/* Seconds on the clock for a processor second, at least 1. It is 1 also where the processes hardly use the processor: they
 * wait for something else. */
double jw_rate_load_factor(const struct jw_rate_load *l);

/* A module that is being compiled now. */
struct jw_rate_running {
    double predicted, elapsed; /* processor seconds */
};

/* What is still to do, in predicted seconds, so that modules for several architectures can be summed. */
struct jw_rate_left {
    double seconds, longest; /* of those not begun: all of them, the longest */
    const struct jw_rate_running *running;
    size_t n_running;
    unsigned workers;
};

/* Processor seconds until all of it is done, when the longest are begun first. It rises only by what jw_rate_learn learned: a module that
 * takes longer than predicted is taken to end now. */
double jw_rate_eta(const struct jw_rate_left *left);

#endif
