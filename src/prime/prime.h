/* prime: lets the driver compile in advance what it would compile at the first start of CUDA
 * programs, and proves that a fresh process then compiles none of it. What "warm" means:
 * jitwarm/answer.h. */
#pragma once

#include "prime/plan.h"
#include "prime/prove.h"

/* What a run does. */
enum jw_prime_form {
    JW_PRIME_FILES,   /* compiles the cold modules of files, or of want.command, without a start */
    JW_PRIME_COMMAND, /* starts want.command, records what it loads, and compiles that */
    JW_PRIME_ANSWER,  /* only answers, and plans */
    JW_PRIME_LOAD,    /* doctor: answers after a fresh process has loaded the modules */
    JW_PRIME_FORMS
};

struct jw_prime_options {
    enum jw_prime_form form;
    struct jw_want want;
    bool output_to_errors; /* standard output of the command goes to standard error */
    bool background;       /* runs at idle priority; nobody waits for it */
    unsigned jobs;         /* workers; 0: as many as processors, in the background half of them */
    unsigned time_limit_s; /* for the whole run; 0: none */
};

/* A prime, and what became of it. It lives in run->a until jw_prime_free. */
struct jw_prime {
    struct jw_prime_options o;
    struct jw_run *run;
    struct jw_hold hold;                 /* the right to change the cache */
    uint64_t added;                      /* entries that packs brought */
    double agreed;                       /* seconds of compiling that a person agreed to */
    const struct jw_probe_report *probe; /* NULL: the driver was not started */
    /* has the answer, the cause, and the jobs in the order of compilation; its scope is known after
     * the first step */
    struct jw_look *look;
    struct plan plan;                 /* all zero: nothing was planned */
    const struct jw_start_seen *seen; /* what the command's start did (prime/watch.h); NULL: none */
    struct jw_summary summary;        /* what is said of the look, and how all of it ended */
};

/* Finds out what is asked about and where it stands, with the right to change the cache where the
 * form needs it; and does the rest. Between them others may add to the look, or to the cache.
 * False only for an internal error; all other results are in `p` (see run->end). */
bool jw_prime_begin(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime *p,
                    struct jw_err *err) JW_MUST;
bool jw_prime_finish(struct jw_prime *p, struct jw_err *err) JW_MUST;
/* Does both. */
bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime *p,
              struct jw_err *err) JW_MUST;
void jw_prime_free(struct jw_prime *p);

/* May packs be added to the cache now, and is something cold? */
bool jw_prime_takes_packs(const struct jw_prime *p);
/* Packs added so many entries: looks again, unless there are none. */
bool jw_prime_added(struct jw_prime *p, size_t entries, struct jw_err *err) JW_MUST;
