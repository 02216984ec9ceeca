/*
 * Damaged files, one for each way in which a file can lie. Each has a name, what scan must say of it, word
 * for word, and how many containers must be found all the same. The list is traps.def.
 */
#ifndef TESTS_GEN_TRAPS_H
#define TESTS_GEN_TRAPS_H

#include "gen/samples.h"

enum gen_outcome {
    GEN_ERROR,   /* the file is skipped with this reason */
    GEN_PROBLEM, /* the file is reported, with this one problem */
    GEN_DOUBT,   /* the same, and the container is kept but marked as not to be given to a driver */
    GEN_QUIET    /* nothing is said */
};

struct gen_trap {
    const char *name, *file;
    void (*make)(struct jw_buf *out);
    enum gen_outcome outcome;
    size_t containers;
    const char *says;
};

extern const struct gen_trap gen_traps[];
extern const size_t gen_traps_n;

/* By name; ends the program when there is none. */
const struct gen_trap *gen_trap(const char *name);

#endif
