/*
 * prime: a list of steps for each form of it (steps.c). Each step reads what earlier ones found, and may end the run with a reason: the others are then
 * skipped.
 */
#ifndef PRIME_STEPS_H
#define PRIME_STEPS_H

#include "driver/probe/probe.h"
#include "jitwarm/prime.h"
#include "machine/run.h"
#include "prime/look.h"
#include "prime/plan.h"

struct prime {
    const struct jw_prime_options *o;
    struct jw_prime_report *out;
    struct jw_run *run;
    struct jw_want want;        /* what `look` looks at: a step before it may set `command` */
    struct jw_look *look;       /* its scope is known after the first step */
    struct jw_cache_lock *lock; /* NULL: it was not taken */
    uint64_t status_at;         /* when the progress was written for status; monotonic */
    struct plan_rate rates[JW_MAX_SMS];
    size_t n_rates;
    struct plan plan;
    const struct jw_probe_report *driver; /* NULL: it was not started */
    char *work;         /* jitwarm's folder beside the cache, for private caches; NULL: none yet */
    double asked_above; /* processor seconds, from which the user is asked again while it compiles */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) jw_run_end((p)->run, __VA_ARGS__)
#define prime_note(p, ...) JW_NOTE((p)->run, __VA_ARGS__)
#define prime_advise(p, ...) JW_ADVISE((p)->run, __VA_ARGS__)

/* ---- the steps, in their order ---- */

bool prime_scope(struct prime *p, struct jw_err *err); /* cache, driver, GPUs; settings that stop it */
bool prime_lock(struct prime *p,
                struct jw_err *err); /* waits as long as it may; removes what killed runs left */
bool prime_repair(struct prime *p, struct jw_err *err); /* a damaged index */
bool prime_record(struct prime *p,
                  struct jw_err *err); /* --run: runs the command, and makes it a root (record.c) */
bool prime_look(struct prime *p, struct jw_err *err);
bool prime_roots(struct prime *p, struct jw_err *err); /* adds the paths to the roots, and saves them */
bool prime_plan(struct prime *p, struct jw_err *err);
bool prime_consent(struct prime *p,
                   struct jw_err *err); /* for more than 15 minutes, and where not all has room */
bool prime_compile(struct prime *p, struct jw_err *err);
bool prime_prove(struct prime *p, struct jw_err *err);
bool prime_save(struct prime *p, struct jw_err *err); /* bans and sound */

/* ---- shared by steps ---- */

void prime_load_roots(struct prime *p); /* to add to them; says where they could not be read */

#define PRIME_ON_BATTERY "on battery; it continues on mains power"
bool prime_on_battery(const struct prime *p); /* a background run, which leaves a battery alone */

/* Starts the driver, where that was not done, and sets `driver`. Ends the run where it cannot compile. */
bool prime_ask_driver(struct prime *p, struct jw_err *err) JW_MUST;
uint64_t prime_free_disk(const struct prime *p); /* bytes that a run may fill; UINT64_MAX: not known */
/* Makes p->work, on the file system of the cache. */
bool prime_make_work(struct prime *p, struct jw_err *err) JW_MUST;
void prime_notify(const struct jw_run *run, enum jw_prime_phase phase, const char *at);
/* Shows it, and writes it for status at most twice a second. */
void prime_show_progress(struct prime *p, const struct jw_prime_progress *now);

#endif
