/* Judges one pass of verify: compares the cache before and after it for each module. */
#ifndef PRIME_PRIME_PASS_H
#define PRIME_PRIME_PASS_H

#include "prime/prime_steps.h"

/* Loads these jobs again, in one process for each GPU architecture. */
struct pass {
    struct jw_run *run;
    const struct prime_proof *proof;
    const char *where;  /* "this environment" */
    size_t *of, n_jobs; /* their indexes in the proof's jobs: modules, */
    size_t n_modules;   /* then inputs of the device linker */
    size_t upto;        /* of the load that is going on */
    /* For each of those: */
    bool *failed; /* it could not be loaded at all */
    unsigned *load_ms;
    const char **causes;       /* why it was compiled again; NULL: it was in the cache */
    uint64_t n_failed, n_left; /* skipped: there was no time */
    bool compiled_nothing;     /* the driver's compiler was not opened while the modules were loaded */
    struct jw_cache_listing before, after;
    atomic_bool halt;
};

/* Fills `causes`. `new_entries` counts new entries that hold these modules: other programs may add entries, too. */
bool pass_check(struct pass *v, uint64_t *new_entries, struct jw_err *err) JW_MUST;

/* The links that programs of these files make at each start. */
struct pass_links {
    struct jw_link_time *v;
    size_t n;
};

/* Measures or recalls the time of links whose inputs are all in the cache. */
bool pass_time_links(const struct pass *v, const struct jw_child_edit *edits, size_t n_edits,
                     struct pass_links *out, struct jw_err *err) JW_MUST;

#endif
