/*
 * prime: let the driver compile, ahead of time, what it would compile when CUDA programs first start, and prove that a fresh process
 * compiles nothing of it. What "warm" means: jitwarm/answer.h.
 */
#ifndef PRIME_PRIME_H
#define PRIME_PRIME_H

#include "driver/witness/witness.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "prime/plan.h"
#include "prime/want.h"

/* Fresh processes that loaded the modules, one for each architecture, and how the cache had changed by them. */
struct jw_verify_report {
    bool done;
    uint64_t loaded, misses, failed; /* modules; misses: loaded, but not found. Their jobs say why */
    uint64_t new_entries;            /* of these modules, that appeared meanwhile */
    enum jw_witness_answer compiled; /* by the driver's compiler, whatever the files say */
    const char *why;                 /* NULL, or why nothing is proven: a sentence without a full stop */
};

/* Everything was found, and nothing was stored or seen to be compiled. */
static inline bool jw_is_verified(const struct jw_verify_report *v)
{
    return v->done && !v->misses && !v->failed && !v->new_entries && v->compiled != JW_WITNESS_COMPILED;
}

/* What a run does. */
enum jw_prime_form {
    JW_PRIME_FILES,    /* compiles what is cold of files */
    JW_PRIME_RECORDED, /* of what was recorded of want.command, which is not started */
    JW_PRIME_COMMAND,  /* starts want.command and records what it loads, first */
    JW_PRIME_CHECK,    /* the answer alone */
    JW_PRIME_DRY_RUN,  /* with the plan */
    JW_PRIME_VERIFY,   /* after a fresh process has loaded what is there */
    JW_PRIME_FORMS
};

struct jw_prime_options {
    enum jw_prime_form form;
    struct jw_want want;
    bool output_to_errors; /* standard output of the command goes to standard error */
    bool yes;              /* do not ask */
    bool background;       /* idle priority, mains power, nobody waits */
    unsigned jobs;         /* workers; 0: half the processors */
    unsigned time_limit_s; /* for the whole run; 0: none */
    unsigned wait_s;       /* for another prime to end; 0: do not wait; UINT_MAX: without limit */
    /* Packs for this machine, which spare compiling: adds their entries to the cache, and takes the lock for itself. It is asked before the
     * look, and once more, `cold`, where something has to be compiled. NULL: none */
    bool (*packs)(struct jw_run *run, const struct jw_scope *scope, bool cold, uint64_t *added,
                  struct jw_err *err);
};

struct jw_look;
struct jw_command_seen;

struct jw_prime_report {
    const struct jw_run *run;           /* how it ended, and notes */
    struct plan plan;                   /* all zero: nothing was planned */
    const struct jw_command_seen *seen; /* --run: what this start did (prime/watch.h); NULL: there was none */
    struct jw_verify_report verify;
    struct jw_look *look; /* the answer, the cause, the jobs in the order of compilation */
};

/* False only for an internal error. All other results are in the report: see run->end. Everything lives until jw_prime_free. */
bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_err *err);
void jw_prime_free(struct jw_prime_report *r);

#endif
