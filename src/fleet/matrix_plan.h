/* The plan of a push for GPUs that are not here: the modules to compile with one driver, and those that the
 * remote has. */
#ifndef FLEET_MATRIX_PLAN_H
#define FLEET_MATRIX_PLAN_H

#include "fleet/matrix.h"
#include "jitwarm/prime.h"

struct jw_matrix_ask {
    struct jw_texts paths, gpus, exclude; /* gpus: architectures */
    const char *cache;                    /* for modules that are compiled here */
    const char *key;                      /* id of the key that will sign, or "" */
    unsigned jobs;                        /* workers */
    bool all;                             /* as of a prime */
    const struct jw_remote_options *net;  /* as for jw_push */
    const struct jw_ref *ref;
};

struct jw_matrix_plan {
    const char *driver;        /* its version; "": unknown */
    struct jw_matrix_input *v; /* one for each architecture that the driver supports */
    size_t n;
    uint64_t modules, ptx_bytes; /* modules that are not there, and can be compiled */
    double seconds;              /* predicted for them */
    struct jw_notes notes;       /* sentences; also of a plan that failed */
};

/* `run`: a session, an arena for the plan, and the callback for the progress of a prime. */
bool jw_matrix_plan(const struct jw_run *run, const struct jw_matrix_ask *o, struct jw_matrix_plan *out,
                    struct jw_err *err) JW_MUST;

#endif
