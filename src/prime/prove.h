/* The proof: fresh processes load what is called warm. */
#ifndef PRIME_PROVE_H
#define PRIME_PROVE_H

#include "driver/witness/witness.h"
#include "prime/hold.h"

/* What fresh processes, one for each architecture, found when they loaded the modules, and how the cache changed meanwhile. */
struct jw_verify_report {
    bool done;
    uint64_t loaded, misses, failed; /* modules; misses: loaded, but not found; their jobs say why */
    uint64_t new_entries;            /* entries of these modules that appeared meanwhile */
    enum jw_witness_answer compiled; /* did the driver's compiler run, whatever the files show? */
    const char *why; /* why nothing is proven, or `compiled` is not known, without a full stop; else NULL */
};

/* All modules were found, none was stored, and no compiling was seen. */
static inline bool jw_is_verified(const struct jw_verify_report *v)
{
    return v->done && !v->misses && !v->failed && !v->new_entries && v->compiled != JW_WITNESS_COMPILED;
}

/* For each architecture a fresh process loads the warm jobs with the settings of this environment. Counts what is found and added, and sets
 * l->proven. Modules that no worker can read are written into the folder of `hold`, which is made if needed. */
bool jw_prove(struct jw_run *run, struct jw_look *l, struct jw_hold *hold, struct jw_verify_report *out,
              struct jw_err *err) JW_MUST;

#endif
