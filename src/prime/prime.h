/* prime: lets the driver compile in advance what it would compile at the first start of CUDA
 * programs, and proves that a fresh process then compiles none of it. What "warm" means:
 * jitwarm/answer.h. */
#pragma once

#include "prime/plan.h"
#include "prime/prove.h"
#include "prime/want.h"

/* What a run does. */
enum jw_prime_form {
    JW_PRIME_FILES, /* compiles the cold modules of files, or of the recorded want.command, which is
                       not started */
    /* starts a command, records what it loads as want.command, and compiles that */
    JW_PRIME_COMMAND,
    JW_PRIME_ANSWER, /* only answers, and plans */
    JW_PRIME_LOAD,   /* doctor: answers after a fresh process has loaded the modules */
    JW_PRIME_FORMS
};

struct jw_prime_options {
    enum jw_prime_form form;
    struct jw_want want;
    bool output_to_errors; /* standard output of the command goes to standard error */
    bool background;       /* runs at idle priority; nobody waits for it */
    unsigned jobs;         /* workers; 0: half the processors */
    unsigned time_limit_s; /* for the whole run; 0: none */
    /* Adds packs for this machine to the cache that have cold modules of the look, from folders or,
     * if `registries`, from these. NULL: there are no packs. */
    bool (*packs)(struct jw_run *run, const struct jw_look *look, struct jw_hold *hold,
                  bool registries, uint64_t *added, struct jw_err *err);
};

struct jw_prime_report {
    struct plan plan;                 /* all zero: nothing was planned */
    const struct jw_start_seen *seen; /* what the command's start did (prime/watch.h); NULL: none */
    struct jw_look *look; /* has the answer, the cause, and the jobs in the order of compilation */
    struct jw_summary summary; /* what is said of it, and how all of it ended */
};

/* False only for an internal error; all other results are in the report (see run->end). The report
 * lives in run->a until jw_prime_free. */
bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_err *err);
void jw_prime_free(struct jw_prime_report *r);
