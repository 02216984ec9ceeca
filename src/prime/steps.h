/*
 * prime: a list of steps for each form of it (steps.c). Each step reads what earlier ones found, and may end the run: the others are then
 * skipped. The end is decided in three ways. A cause that stops who asks has its own (jw_look_stop). A step that cannot go on gives one
 * with a sentence (prime_end), or fails, and the error's kind is the end (machine/run). Else the list is done, and the answer decides.
 */
#ifndef PRIME_STEPS_H
#define PRIME_STEPS_H

#include "driver/probe/probe.h"
#include "machine/run.h"
#include "prime/hold.h"
#include "prime/plan.h"
#include "prime/prime.h"

struct prime {
    const struct jw_prime_options *o;
    struct jw_prime_report *out;
    struct jw_run *run;
    struct jw_look *look;                 /* its scope is known after the first step */
    struct jw_hold hold;                  /* the right to change the cache */
    bool granted;                         /* --yes, or nobody is there: no question about time and room */
    uint64_t status_at;                   /* when the progress was written for status; monotonic */
    const struct jw_probe_report *driver; /* NULL: it was not started */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) jw_run_end((p)->run, __VA_ARGS__)
#define prime_note(p, ...) JW_NOTE((p)->run, __VA_ARGS__)

enum { PRIME_ASK_ABOVE_S = 15 * 60 }; /* of computing */

typedef bool prime_step(struct prime *p, struct jw_err *err);

enum { PRIME_STEPS = 13 }; /* of the longest list */

extern const struct prime_form {
    unsigned who;                       /* it asks for the cause as: JW_ASKS_* */
    prime_step *steps[PRIME_STEPS + 1]; /* NULL ends them */
    prime_step *without_driver;         /* instead of those that are left; NULL: nothing */
} prime_forms[JW_PRIME_FORMS];

/* ---- the steps, in their order ---- */

prime_step prime_scope;      /* cache, driver, GPUs, and what stops the run before it begins */
prime_step prime_packs;      /* of folders */
prime_step prime_begin;      /* the right to change the cache */
prime_step prime_record;     /* --run: runs the command, and makes it a root (record.c) */
prime_step prime_look;       /* modules, cache, answer */
prime_step prime_more_packs; /* of registries, where something is cold */
prime_step prime_roots;      /* what was named, saved before anything is compiled */
prime_step prime_plan;       /* what fits, in which order; what stops compiling */
prime_step prime_todo;       /* ends the run where nothing is to do */
prime_step prime_consent;    /* for more than 15 minutes, and where not all has room (consent.c) */
prime_step prime_compile;
prime_step prime_look_again; /* what a driver finds now */
prime_step prime_prove;      /* by fresh processes */
prime_step prime_save;       /* bans */
prime_step prime_remember;   /* what was named, for when there is a driver */

/* ---- shared by steps ---- */

#define PRIME_ON_BATTERY "on battery; it continues on mains power"
bool prime_on_battery(const struct prime *p); /* a background run, which leaves a battery alone */

/* Starts the driver, where that was not done, and sets `driver`. Ends the run where it cannot compile. */
bool prime_ask_driver(struct prime *p, struct jw_err *err) JW_MUST;
uint64_t prime_free_disk(const struct prime *p); /* bytes that a run may fill; UINT64_MAX: not known */
/* Shows it, and writes it for status at most twice a second. */
void prime_show_progress(struct prime *p, const struct jw_progress *now);

#endif
