/* One pass of verify, and what the cache before and after it says of each module. */
#ifndef PRIME_PRIME_JUDGE_H
#define PRIME_PRIME_JUDGE_H

#include "prime/prime_work.h"

/* Every job of these again, in one process for each GPU architecture. */
struct pass {
    struct prime *p;
    const struct jw_job *all;
    size_t n_all;
    const char *where; /* "this environment" */
    struct jw_pool_job *jobs;
    size_t *of, n_jobs; /* which of `all` each is */
    /* For each of `all`: */
    bool *failed; /* it could not be loaded at all */
    unsigned *load_ms;
    const char **causes;       /* why it was compiled again; NULL: it was found */
    uint64_t n_failed, n_left; /* left: there was no time */
    struct jw_cache_listing before, after;
    atomic_bool halt;
};

/* Fills `causes`. `new_entries`: those that hold our modules, as far as that can be read; another program may compile
 * something meanwhile. */
bool pass_judge(struct pass *v, uint64_t *new_entries, struct jw_err *err) JW_MUST;

#endif
