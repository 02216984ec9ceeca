/* Measures why CUDA programs start slowly here; the table of causes (cause/cause.h) judges. */
#pragma once

#include "prime/prime.h"
#include "prime/watch.h"

/* Starts the driver, looks for the modules of `want`, lets a fresh process load what is there, and
 * asks a login shell once. The cause of the look is the first that makes a start compile, or fail.
 * Without an answer the run ended. The caller frees `out` (jw_prime_free), also after a failure. */
bool jw_doctor(struct jw_run *run, const struct jw_want *want, struct jw_prime *out,
               struct jw_err *err) JW_MUST;

/* The settings of this environment and of a fresh login, by enum jw_driver_variable. */
struct jw_compared {
    const char *const *here;
    const char *const *there;
    bool no_place;      /* the cache's path there cannot be used */
    const char *driver; /* its version */
    uint64_t needed;    /* a limit that is enough for what was asked about */
};

/* One start of a command, and the facts that the table judges it by (jw_summary_of_start). */
struct jw_doctor_start {
    struct jw_start_seen seen;
    struct jw_facts facts;
    const char *cache; /* that the command used */
};

/* Starts the command once, in the foreground, and watches it. Nothing is primed or remembered.
 * `output_to_errors`: its standard output goes to standard error. */
bool jw_doctor_start(struct jw_run *run, const struct jw_texts *command, bool output_to_errors,
                     struct jw_doctor_start *out, struct jw_err *err) JW_MUST;

/* The first setting that a fresh login has otherwise, so that its programs use another cache, or
 * compile; but one that harms programs whatever is in the cache goes before. Both of its values are
 * NULL where there is none. Pure. */
struct jw_facts_login jw_doctor_compare(const struct jw_compared *c);
