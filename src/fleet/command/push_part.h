/*
 * What a push of several driver builds and its run for one of them tell each other, in a file of a folder of the push. The run
 * is made twice: first it plans, then it compiles and pushes, as a part of the whole.
 *
 *   48 PART   seconds and sums, then the inputs (base/fields.h)
 */
#ifndef FLEET_COMMAND_PUSH_PART_H
#define FLEET_COMMAND_PUSH_PART_H

#include "fleet/matrix.h"
#include "prime/command/prime_progress.h"

struct push_part {
    uint64_t began;            /* of the push; monotonic ns */
    struct prime_whole whole;  /* planned: only what is `here`; pushed: `part`, as it was shown last */
    const char *driver;        /* its version */
    struct jw_matrix_input *v; /* `there` as it was planned, and after it was pushed */
    size_t n;
};

bool push_part_load(const char *path, struct jw_arena *a, struct push_part *out, bool *found,
                    struct jw_err *err) JW_MUST;
bool push_part_keep(const char *path, const struct push_part *part, struct jw_err *err) JW_MUST;

#endif
