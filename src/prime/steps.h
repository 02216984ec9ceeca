/* The lists of steps of each form of prime. Each step reads what earlier ones found, and may end
 * the run. That happens in one of three ways. A cause stops it, and has its own end (end.c). A step
 * gives an end with a sentence (jw_run_end), or fails, and the kind of the error decides
 * (machine/run). Or all steps are done, and the answer decides. */
#pragma once

#include "prime/prime.h"

typedef bool prime_step(struct jw_prime *p, struct jw_err *err);

enum { PRIME_STEPS = 14 }; /* length of the longest list */

/* NULL ends each list. */
extern const struct prime_form {
    const struct jw_purpose *purpose;
    prime_step *begin[PRIME_STEPS + 1];  /* what is asked about, and where it stands */
    prime_step *finish[PRIME_STEPS + 1]; /* what is made of it */
} prime_forms[JW_PRIME_FORMS];

/* ---- the steps, in their order ---- */

prime_step prime_scope; /* cache, driver, GPUs, and what stops the run before it begins */
prime_step prime_consent_to_search; /* asks before it searches a whole disk (consent.c) */
prime_step prime_begin;             /* the right to change the cache */
prime_step prime_record;            /* --run: runs the command, and makes it a root (record.c) */
prime_step prime_look;    /* modules, cache, answer; under the lock entries get missing records */
prime_step prime_carry;   /* carries over entries of a build with the same compiler (carry.h) */
prime_step prime_roots;   /* makes the named paths roots, before anything is compiled */
prime_step prime_plan;    /* what fits, in which order; ends the run if compiling cannot go on */
prime_step prime_todo;    /* ends the run if nothing is to be compiled or proved */
prime_step prime_consent; /* asks about more than 15 minutes, or a lack of room (consent.c) */
prime_step prime_compile;
prime_step prime_look_again; /* looks again: what does a driver find now? */
prime_step prime_prove;      /* lets fresh processes load the modules */
prime_step prime_retry; /* compiles again what a fresh process could not use; else ends the run */

/* ---- shared by steps ---- */

/* Is it more than 15 minutes, and more than was agreed to, so that a person is asked? Not if a time
 * limit is shorter. */
bool prime_is_long(const struct jw_prime *p, double seconds);
/* Asks whether to go on; `usual`: what a bare Enter means. NULL: it goes on; else why not, and
 * `*end`: how the run ends. */
const char *prime_ask(struct jw_prime *p, const char *why, bool usual, enum jw_end *end);
