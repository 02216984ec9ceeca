/*
 * The one answer to "what now?", for every verb that ends with "To do" after it has looked at what is warm: status, the first page, prime, its
 * dry run and --check, verify. Facts in, a command and a short reason out: nothing here asks the machine. What a step of a run
 * stops at it says itself; a finding of doctor has its own remedy.
 */
#ifndef PRIME_MEMORY_NEXT_STEP_H
#define PRIME_MEMORY_NEXT_STEP_H

#include "base/arena.h"
#include "jitwarm/texts.h"
#include "machine/shell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_step_after { JW_AFTER_STATUS, JW_AFTER_PLAN, JW_AFTER_PRIME, JW_AFTER_VERIFY };

/* What stands first counts first. All false or NULL: everything is warm. */
struct jw_step_facts {
    enum jw_step_after
        after;       /* what was just done: that is no next step, but where it is asked for something else */
    bool prime_runs; /* a prime works on this cache now */
    /* this command line, so that it waits for that one; NULL: it need not be given again, or has waited */
    const char *again;
    const char *mends; /* the command against what keeps programs from the cache, or a prime from beginning */
    bool index_damaged;  /* programs may find nothing in the cache, and the next one that stores deletes it */
    bool unusable;       /* no driver, no GPU, or no cache that could be used */
    bool records_lost;   /* of earlier runs: what they were about is not known */
    const char *import;  /* words of jitwarm that bring again what a pack had brought, and is gone */
    bool unchecked;      /* what packs brought: no run has looked whether it is all */
    bool stopped;        /* this prime, or one before, ended before all was compiled */
    unsigned longer_box; /* seconds, if a shorter time box gets no further */
    bool no_compiler;    /* modules are cold, and this driver compiles nothing here */
    const char *keeps;   /* the command that lets the cache hold all that is warm */
    const char *start;   /* all else is warm: the command line that starts a recorded command again */
    /* the line that compiles for GPUs which this environment hides, where all else is done; NULL: nothing is missing there */
    const char *hidden;
    bool cold; /* another prime compiles something, or finds out whether it has to */
    /* else all is warm for programs of this shell: the command after which it uses the cache of a fresh login */
    const char *login;
    /* the same, and of a fresh login nothing is known: `login`, if any, is the command against that */
    bool login_unknown;
    bool said; /* this run has said what helps */
    /* all else is warm, or nothing else is left: what was primed, or what a command names, or a pack had brought, is not there any more */
    bool gone;
    bool nothing_known;       /* no software was found, and none is remembered */
    const char *failing_link; /* a file whose link the driver could not make */
    bool damaged;             /* all else is warm; a module is damaged */
    bool too_new;             /* all else is warm; the rest needs a newer driver */
    bool refused;             /* all else is warm; this driver cannot compile or load the rest */
    bool lacking;             /* all else is warm; the rest has no code for the GPU */
    bool named;               /* all of it was named, and none is remembered */
    bool gpus_unknown;        /* it is warm, if the GPUs are those that it was primed for */
    bool unread;              /* a file could not be read */
    bool unexplained;         /* something else is not as it should be */
    bool nothing_compiles;    /* there is software, and it compiles nothing */
    bool proven;              /* fresh processes have loaded all of it in this run */
    bool lasting; /* nothing else is to be done so that it stays: it was a part alone, or it is installed */
    bool container, root; /* how it is made to last */
};

struct jw_next_step {
    const char *words;  /* of jitwarm, as "scan -v", or with `whole` a command; NULL: there is none */
    const char *remark; /* what it is for; NULL: that is clear */
    bool whole;
};

struct jw_next_step jw_next_step_of(const struct jw_step_facts *f, struct jw_arena *a);

/* What the step is about: words for its command line. */
struct jw_step_scope {
    bool windows;
    const char *prime; /* "jitwarm prime", as this user calls it */
    const char *cache; /* " --cache DIR"; "": that of the environment */
    bool all;          /* of a run with --all: without it less would be looked at */
    struct jw_texts gpus,
        exclude;           /* of a run with --gpu, --exclude: without them it would be about something else */
    struct jw_texts archs; /* scan's words for `gpus`: it asks no driver for a number or UUID */
    bool packs;            /* what is compiled is for GPUs that are not here, and is to be packed */
    struct jw_texts paths; /* that were named */
    const char *command;   /* of --run, as it is typed; NULL: none */
};

/* The line to paste; NULL: there is no step. */
const char *jw_next_step_line(const struct jw_next_step *step, const struct jw_step_scope *scope,
                              struct jw_arena *a);

/* The line that primes where GPUs are not hidden (jw_login_gpus.shown). */
const char *jw_step_shown(const char *shown, const struct jw_step_scope *scope, struct jw_arena *a);

#endif
