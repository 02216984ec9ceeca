/* The judgement of one pass of a proof (prove_pass.c). */
#ifndef PRIME_PROVE_H
#define PRIME_PROVE_H

#include "cache/place/listing.h"
#include "driver/worker/worker.h"
#include "prime/look.h"

#include <stdatomic.h>

/* Loads the warm jobs of one architecture again, in one process. */
struct prove_pass {
    struct jw_run *run;
    struct jw_look *look;
    uint16_t sm;
    size_t *of, n_jobs; /* their indexes in the look's jobs: modules, */
    size_t n_modules;   /* then inputs of the device linker */
    size_t upto;        /* of the load that is going on */
    /* For each job of the look: */
    bool *failed; /* it could not be loaded at all */
    unsigned *load_ms;
    const char **causes;       /* why it was compiled again; NULL: it was in the cache */
    uint64_t n_failed, n_left; /* skipped: there was no time */
    bool compiled_nothing;     /* the driver's compiler was not opened while the modules were loaded */
    struct jw_cache_listing before, after;
    const struct jw_device *device;
    const struct jw_child_edit *edits; /* of the environment */
    size_t n_edits;
    atomic_bool halt;
};

/* Fills `causes`. `new_entries` counts new entries that hold these modules: other programs may add entries, too. */
bool prove_judge(struct prove_pass *v, uint64_t *new_entries, struct jw_err *err) JW_MUST;

#endif
