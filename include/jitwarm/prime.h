/*
 * prime: let the driver compile, ahead of time, what it would compile when CUDA programs first start, and prove that a fresh process
 * compiles nothing of it. What "warm" means: jitwarm/answer.h.
 */
#ifndef JITWARM_PRIME_H
#define JITWARM_PRIME_H

#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/module.h"
#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "jitwarm/witness.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a module of a file is not a job. */
enum jw_left_out {
    JW_OUT_IS_NATIVE,
    JW_OUT_IS_LAZY,
    JW_OUT_IS_RDC,
    JW_OUT_IS_BLOCKED,  /* the driver is too old */
    JW_OUT_IS_NOTHING,  /* has no code for this GPU */
    JW_OUT_IS_VENDOR,   /* in a library of NVIDIA */
    JW_OUT_IS_TEST,     /* in a package's own tests */
    JW_OUT_IS_DOUBTFUL, /* damaged, or not safe to hand to a driver */
    JW_OUT_IS_MADE,     /* PTX in pieces, which its program puts together */
    JW_OUT_IS_LTO,      /* link-time code: of an input, whether the driver compiles it is not known */
    JW_LEFT_OUT
};

/* "native" "lazy" "rdc" "blocked" "nothing" "vendor" "test" "doubtful" "made" "lto" */
extern const char *const jw_left_out_names[JW_LEFT_OUT];

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

/* A worker's current module. */
struct jw_prime_slot {
    const char *what; /* base name of the file, and the first kernel if known */
    double seconds;   /* so far */
};

/* A run reports about ten times a second and once for each finished job, from one thread. */
enum jw_prime_phase {
    JW_PHASE_LOOK,
    JW_PHASE_ASK_DRIVER,
    JW_PHASE_COMPILE,
    JW_PHASE_VERIFY,
    JW_PHASE_PACK, /* this one and the next: of push */
    JW_PHASE_SEND
};

struct jw_prime_progress {
    enum jw_prime_phase phase;
    const char *at;                   /* LOOK: the path; ASK_DRIVER: the step */
    uint64_t done, total, failed;     /* jobs */
    uint64_t done_bytes, total_bytes; /* PTX */
    double seconds, eta;              /* eta < 0: not known yet */
    double late;                      /* seconds without progress: a module takes longer than predicted */
    const struct jw_prime_slot *slots;
    size_t n_slots;
};

struct jw_prime_options {
    struct jw_texts paths; /* software to prime; none: the roots of this cache, and software that is found */
    struct jw_texts gpus;  /* as for --gpu; none: all GPUs here */
    struct jw_texts run;   /* a command to record: its words, and a NULL; none: files */
    bool recorded;         /* with run: it is not started, but what was recorded of it is primed */
    bool output_to_errors; /* standard output of the command goes to standard error */
    bool absent_gpus;      /* `gpus` need not be here; needs a cache of their own */
    bool all;              /* also NVIDIA's own libraries and lazily loaded modules */
    bool retry;            /* also modules that this driver could not compile before */
    bool check, dry_run;   /* only the answer; with the plan */
    bool verify;           /* only the answer, after a fresh process has loaded what is there */
    bool yes;              /* do not ask */
    bool background;       /* idle priority, mains power, nobody waits */
    bool trusted_only;     /* skip files that other users can change, except below roots of jitwarm.conf */
    bool as_root;
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
    const struct jw_run *run;       /* how it ended, notes and advice */
    unsigned who;                   /* JW_ASKS_* (cause/cause.h): as whom the causes were asked */
    const struct jw_cause *stopped; /* what ended it before it began; NULL: nothing did */
    struct jw_answer answer;        /* at the end */
    struct jw_job *jobs;            /* in the order of compilation; with their results */
    size_t n_jobs;
    uint64_t counts[JW_OUTCOMES];
    uint64_t need;  /* predicted bytes of the jobs to do */
    double seconds; /* predicted, by the clock */
    unsigned workers;
    bool lazy; /* programs compile only the modules that they use: a command can be recorded (--run) */
    uint64_t warmed_bytes;              /* added to the cache */
    const struct jw_command_seen *seen; /* --run: what this start did (prime/watch.h); NULL: there was none */
    struct jw_verify_report verify;
    struct jw_look *look; /* what was found: targets, unread files, facts */
};

/* False only for an internal error. All other results are in the report: see run->end. Everything lives until jw_prime_free. */
bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_err *err);
void jw_prime_free(struct jw_prime_report *r);

#endif
