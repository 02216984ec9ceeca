/*
 * The one answer to "what now?", for every verb that ends with "To do" after it has looked at what is warm:
 * status, the first page, prime, its dry run and --check, verify. Input: the reasons of next_start.h, and
 * other facts. Output: a command and its purpose. Nothing here asks the machine. A run that stops early names
 * its own step, and a finding of doctor has its own remedy.
 */
#ifndef PRIME_MEMORY_NEXT_STEP_H
#define PRIME_MEMORY_NEXT_STEP_H

#include "base/arena.h"
#include "jitwarm/texts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_step_after { JW_AFTER_STATUS, JW_AFTER_PLAN, JW_AFTER_PRIME, JW_AFTER_VERIFY };

/* The reasons why the next start is not warm, commands against some of them, and facts that are no such reason. */
struct jw_step_facts {
    /* the verb that has just run, which is no next step unless it is asked for something else */
    enum jw_step_after after;
    /* the reasons (jw_next_start_reasons); 0: it is warm. next_step.c alone has the step for each */
    uint32_t reasons;
    uint32_t later;  /* status: those that a prime of this cache leaves as they are */
    bool prime_runs; /* a prime works on this cache now */
    /* this command line, so that it waits for that one; NULL: it need not be given again, or has waited */
    const char *again;
    /* the command against a blocker: programs cannot use the cache, or a prime cannot begin */
    const char *mends;
    bool index_damaged; /* programs may find nothing in the cache, and the next one that stores deletes it */
    bool unusable;      /* no driver, no GPU, or no cache that could be used */
    bool no_compiler;   /* modules are cold, and this driver compiles nothing here */
    const char *keeps;  /* the command that lets the cache hold all that is warm */
    /* the command that brings again what a pack had brought, and is gone, without --cache */
    const char *import;
    unsigned longer_limit; /* seconds, if a shorter time limit gets no further */
    const char *start;     /* all else is warm: the command line that starts a recorded command again */
    /* the line that compiles for GPUs which this environment hides, where all else is done; NULL: nothing is missing
     * there */
    const char *hidden;
    /* a plan, a verification: another prime compiles something, or finds out whether it has to. After status the
     * reasons say it */
    bool cold;
    /* else all is warm for programs of this shell: the command after which it uses the cache of a fresh login */
    const char *login;
    bool said;                /* this run has said what helps */
    const char *failing_link; /* a file whose link the driver could not make */
    bool named;               /* all of it was named, and none is remembered */
    bool partly;              /* this run has not done all of it */
    bool nothing_compiles;    /* there is software, and it compiles nothing */
    bool proven;              /* fresh processes have loaded all of it in this run */
    bool lasting; /* nothing else is to be done so that it stays: it was a part alone, or it is installed */
    bool container, root; /* how it is made to last */
};

struct jw_next_step {
    const char *words;  /* of jitwarm, as "scan -v", or with `whole` a command; NULL: there is none */
    const char *remark; /* the purpose; NULL: it is clear */
    const char *file;   /* that `words` are about; NULL: the PATHs that were named */
    bool whole;
    bool line; /* `words` are a command that lacks the option for the cache alone */
};

struct jw_next_step jw_next_step_of(const struct jw_step_facts *f, struct jw_arena *a);

/* Options and words that the step's command line takes over from the run. */
struct jw_step_scope {
    bool windows;
    const char *prime; /* "jitwarm prime", as this user calls it */
    const char *cache; /* " --cache DIR"; "": that of the environment */
    bool all;          /* of a run with --all: without it less would be looked at */
    /* of --gpu and --exclude: without them the step would be about other software or GPUs */
    struct jw_texts gpus, exclude;
    struct jw_texts archs; /* scan's words for `gpus`: it asks no driver for a number or UUID */
    bool packs;            /* the run compiles for GPUs that are not here, to make packs */
    struct jw_texts paths; /* that were named */
    const char *command;   /* of --run, as it is typed; NULL: none */
};

/* The line to paste; NULL: there is no step. */
const char *jw_next_step_line(const struct jw_next_step *step, const struct jw_step_scope *scope,
                              struct jw_arena *a);

/* The line that primes where GPUs are not hidden (jw_login_gpus.shown). */
const char *jw_step_shown(const char *shown, const struct jw_step_scope *scope, struct jw_arena *a);

#endif
