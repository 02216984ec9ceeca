/* A walk over all that can fail in a call: the first of it fails, then the second, until nothing
 * does. Each round begins with an empty `err`.
 *
 *     EACH_FAULT (f, 1) {
 *         bool ok = FAULTED(f, jw_driver_save(&state, &err));
 *
 *         CHECK(ok || (f.fired && err.msg[0]));
 *     }
 */
#pragma once

#include "base/fault.h"
#include "jitwarm/err.h"

struct faults {
    unsigned long nth;
    bool fired; /* in this round; false in the last one */
};

static inline bool faults_end(struct faults *f, bool ok)
{
    f->fired = jw_fault_fired();
    jw_fault_arm(0);
    return ok;
}

#define EACH_FAULT(f, step)                                                                        \
    for (struct faults f = {1, true}; f.fired && (err = (struct jw_err){0}, true); f.nth += (step))
#define FAULTED(f, call) (jw_fault_arm((f).nth), faults_end(&(f), (call)))
