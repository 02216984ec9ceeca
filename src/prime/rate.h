/*
 * Learns how long the driver compiles a module: processor seconds = a + b x bytes of plain PTX, one such line for each
 * (build of libcuda, sm). Each module counts by its relative error. The first guess counts as little as one bad
 * measurement. It keeps `a` plausible while only large modules were seen. Pure.
 */
#ifndef PRIME_RATE_H
#define PRIME_RATE_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed: nothing is known yet. */
struct jw_rate {
    double w, x, xx, y, xy; /* weighted sums over the measurements */
    uint64_t seen;
};

void jw_rate_learn(struct jw_rate *r, uint64_t ptx_bytes, double seconds);
double jw_rate_seconds(const struct jw_rate *r, uint64_t ptx_bytes);

/* How busy the machine is, by the processor time that compiling processes got lately. Rates are in processor seconds,
 * so that a busy day does not spoil the estimates of a quiet one. Zeroed: the factor is 1. */
struct jw_rate_load {
    double wall, cpu; /* seconds; older ones count less */
};

void jw_rate_load_add(struct jw_rate_load *l, double wall, double cpu);

/* Clock seconds for one processor second, at least 1. It is also 1 if the processes hardly use the processor: they wait
 * for something else. */
double jw_rate_load_factor(const struct jw_rate_load *l);

/* A module that is being compiled now. */
struct jw_rate_running {
    double predicted, elapsed; /* processor seconds */
};

/* The work left, in predicted processor seconds, so that architectures can be summed. */
struct jw_rate_left {
    double seconds, longest; /* of modules not started: their sum, the longest */
    const struct jw_rate_running *running;
    size_t n_running;
    unsigned workers;
};

/* Processor seconds until all is done, if the longest start first. A module that takes longer than predicted counts as
 * if it ended now. */
double jw_rate_eta(const struct jw_rate_left *left);

#endif
