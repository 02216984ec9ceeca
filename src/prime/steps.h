/*
 * prime: a list of steps for each form of it (steps.c). Each step reads what earlier ones found, and may end the run with a reason: the others are then
 * skipped.
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
    struct jw_look *look; /* its scope is known after the first step */
    struct jw_hold hold;  /* the right to change the cache */
    uint64_t status_at;   /* when the progress was written for status; monotonic */
    struct plan plan;
    const struct jw_probe_report *driver; /* NULL: it was not started */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) jw_run_end((p)->run, __VA_ARGS__)
#define prime_note(p, ...) JW_NOTE((p)->run, __VA_ARGS__)

enum { PRIME_ASK_ABOVE_S = 15 * 60 }; /* of computing */

/* ---- the steps, in their order ---- */

bool prime_record(struct prime *p,
                  struct jw_err *err); /* --run: runs the command, and makes it a root (record.c) */
bool prime_consent(struct prime *p,
                   struct jw_err *err); /* for more than 15 minutes, and where not all has room */
bool prime_compile(struct prime *p, struct jw_err *err);

/* ---- shared by steps ---- */

#define PRIME_ON_BATTERY "on battery; it continues on mains power"
bool prime_on_battery(const struct prime *p); /* a background run, which leaves a battery alone */

/* Starts the driver, where that was not done, and sets `driver`. Ends the run where it cannot compile. */
bool prime_ask_driver(struct prime *p, struct jw_err *err) JW_MUST;
uint64_t prime_free_disk(const struct prime *p); /* bytes that a run may fill; UINT64_MAX: not known */
/* Shows it, and writes it for status at most twice a second. */
void prime_show_progress(struct prime *p, const struct jw_progress *now);

#endif
