#include "prime/steps.h"

#include "base/mem.h"
#include "base/num.h"
#include "cache/change/publish.h"
#include "cache/place/listing.h"
#include "facts/driver_settings.h"
#include "machine/paths.h"
#include "os/machine/time.h"
#include "prime/compile.h"
#include "prime/look_work.h"
#include "prime/remember.h"
#include "prime/watch.h"

enum { LOOK_MS = 100, STORING_MS = 3000, NS_PER_S = 1000000000, TICK_MS = 25 };

/* ---- scope, the right to change the cache, roots ---- */

bool prime_scope(struct prime *p, struct jw_err *err)
{
    return jw_scope_find(p->run, &p->o->want, prime_forms[p->o->form].purpose, p->look, err);
}

bool prime_begin(struct prime *p, struct jw_err *err)
{
    if (p->look->asked.cache && jw_is_absent(p->look->asked.cache)) /* perhaps by mistake */
        JW_NOTE(p->run, "the folder that --cache names is new");
    /* Without the lock nothing is compiled or added. Warm modules can be said to be warm, but no
     * command can be recorded. */
    if (p->look->machine->state.unusable)
        return p->o->form == JW_PRIME_FILES || jw_end_give_up(p->run, p->look);
    return jw_hold_lock(&p->hold, p->look->memory, err)
           && (p->look->scope.level == JW_LEVEL_OPAQUE || jw_hold_repair(&p->hold, err));
}

/* Comes after the look, which has seen the code, and before anything is compiled, so that a killed
 * run needs no other record. */
bool prime_roots(struct prime *p, struct jw_err *err)
{
    return jw_remember_paths(p->run, p->look, p->o->want.paths, err);
}

/* ---- look, plan ---- */

/* A program that stores an entry locks the index for a moment. A run that changes the cache waits
 * for it; a run that only looks says what a driver would find now. */
static void wait_for_index(const struct prime *p)
{
    for (unsigned tries = p->hold.lock ? jw_time_limit_ms(STORING_MS) / LOOK_MS : 0; tries;
         tries--) {
        if (!jw_cache_why_unreadable(p->look->scope.cache, p->run->a)
            || jw_interrupted(p->run->interrupted))
            return;
        jw_time_sleep_ms(LOOK_MS);
    }
}

bool prime_look(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;
    struct jw_err why = {0};

    wait_for_index(p);
    bool ok = jw_look(p->run, l, err);

    if (ok && p->hold.lock /* the limit counts records alone */
        && !jw_publish_records(p->run, &l->cache, l->jobs, l->n_jobs, &l->scope, &why))
        JW_NOTE(p->run, "%s", why.msg);
    return ok;
}

/* Below level 2 there is one worker, in the user's cache, since the driver decides what it
 * compiles. driver-fact: F47-processes-scale */
static void plan_look(struct jw_run *run, struct jw_look *l, unsigned workers, struct plan *out)
{
    const struct jw_facts_cache *cache = &l->machine->cache;
    uint64_t free_bytes = l->seen.free_bytes;
    const struct plan_input in = {
        .a = run->a,
        .jobs = l->jobs,
        .n_jobs = l->n_jobs,
        .branch = jw_branch_of(l->scope.version),
        .slowness = l->slowness,
        .limit = l->scope.limit,
        .taken = l->scope.used,
        .disk = cache->spare ? free_bytes - jw_min(free_bytes, cache->spare) : UINT64_MAX,
        .workers = l->scope.level < JW_LEVEL_PREDICTABLE ? 1
                   : workers                             ? workers
                                                         : (jw_cpu_count() + 1) / 2};

    plan_make(&in, out);
}

bool prime_plan(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;

    (void)err;
    if (l->cache.refusal)
        return !p->hold.lock || jw_end_give_up(p->run, l);
    plan_look(p->run, l, p->o->jobs, &p->out->plan);
    return !(jw_look_facts(l).found.cold_bytes || p->out->plan.n_todo)
           || jw_end_by_cause(p->run, l, l->purpose.strictness);
}

bool prime_todo(struct prime *p, struct jw_err *err)
{
    const struct jw_facts f = jw_look_facts(p->look);
    bool no_room = f.found.cold_bytes && f.answer.is == JW_COLD; /* no cold module has room */

    (void)err;
    return (p->hold.lock && p->out->plan.n_todo) || ((p->added || p->out->seen) && f.answer.warm)
           || (no_room ? jw_end_give_up(p->run, p->look) : jw_run_done(p->run, JW_END_DONE));
}

/* ---- look again, prove ---- */

/* A compiled module counts if a driver that opens the cache now finds it. From level 3 on entries
 * were checked before they were published: after one tick of the file clock the next look need not
 * read them. */
bool prime_look_again(struct prime *p, struct jw_err *err)
{
    jw_time_sleep_ms(TICK_MS);
    wait_for_index(p);
    return look_cache_judge(p->run, p->look, err)
           && (!p->look->cache.refusal || jw_end_give_up(p->run, p->look));
}

bool prime_prove(struct prime *p, struct jw_err *err)
{
    return jw_prove(p->run, p->look, &p->hold, err);
}

/* Compiles entries again that a fresh process could not use, unless the driver has just stored them
 * itself. */
bool prime_retry(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;
    bool any = false;
    bool may =
        l->scope.level >= JW_LEVEL_PLACEABLE && !l->machine->cache.place && !l->seen.cache.closed;

    (void)err;
    for (struct jw_job *j = l->jobs; may && j < l->jobs + l->n_jobs; j++)
        if (jw_job_is_unstored(j) && j->entry_bytes) {
            jw_job_becomes(j, JW_MODULE_COLD, NULL);
            j->ended = JW_JOB_TODO;
            j->carried = false;
            any = true;
        }
    return any || jw_run_done(p->run, JW_END_DONE);
}

/* ---- packs ---- */

/* Nothing is put into a cache that another user can write to, or whose limit stops this run: causes
 * say so. */
static bool may_take_packs(const struct prime *p)
{
    const struct jw_look *l = p->look;

    if (!p->hold.lock || l->machine->cache.open || l->scope.limit < JW_CACHE_SMALLEST)
        return false;
    return jw_look_answer(l).is == JW_COLD;
}

/* Asks registries for what folders do not have. */
bool prime_packs(struct prime *p, struct jw_err *err)
{
    for (int registries = 0; p->o->packs && registries < 2 && !p->run->ended; registries++) {
        uint64_t before = p->added;

        if (!may_take_packs(p))
            return true;
        if (!p->o->packs(p->run, p->look, &p->hold, registries, &p->added, err)
            || (p->added != before && !p->run->ended && !prime_look_again(p, err)))
            return false;
        p->look->seen.filled |= p->added > 0;
    }
    return true;
}

/* Without a driver nothing can be looked at, so the named paths are remembered for later; but not
 * if a setting, or being root, stops the run as well. */
static void remember_for_later(struct prime *p)
{
    const struct jw_look *l = p->look;

    if (!l->stop || p->hold.lock /* remembered */ || l->scope.absent || !p->o->want.paths.n)
        return;
    const struct jw_facts f = jw_look_facts(l);

    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (jw_cause_stops(c, &f, JW_STRICT) && c->end != JW_END_NO_GPU && c->is(&f))
            return;
    jw_look_blind(p->run, p->look);
    if (jw_hold_lock(&p->hold, p->look->memory, JW_IGNORED) && p->hold.lock)
        (void)!jw_remember_paths(p->run, p->look, p->o->want.paths, JW_IGNORED);
}

/* ---- the lists ---- */

#define RETRY                                                                                      \
    prime_retry, prime_look_again, prime_plan, prime_compile, prime_look_again, prime_prove

const struct prime_form prime_forms[JW_PRIME_FORMS] = {
    [JW_PRIME_FILES] = {&jw_to_prime,
                        {prime_scope, prime_begin, prime_look, prime_roots, prime_packs,
                         prime_carry, prime_plan, prime_todo, prime_consent, prime_compile,
                         prime_look_again, prime_prove, RETRY}},
    [JW_PRIME_COMMAND] = {&jw_to_prime,
                          {prime_scope, prime_begin, prime_record, prime_look, prime_carry,
                           prime_plan, prime_todo, prime_consent, prime_compile, prime_look_again,
                           prime_prove, RETRY}},
    [JW_PRIME_ANSWER] = {&jw_to_look, {prime_scope, prime_look, prime_plan}},
    [JW_PRIME_LOAD] = {&jw_to_diagnose, {prime_scope, prime_look, prime_prove}},
};
JW_ROW_FOR_EACH(prime_forms, JW_PRIME_FORMS, 4);

static bool make(void *of, size_t at, struct jw_err *err)
{
    struct prime *p = of;

    return prime_forms[p->o->form].steps[at](p, err);
}

/* That a command failed is no good end, whatever is in the cache by now. */
static struct jw_summary summarize(const struct prime *p)
{
    struct jw_summary v = jw_end_summary(p->run, p->look);

    if (p->out->seen && p->out->seen->start.failed)
        v.end = jw_end_worse(v.end, JW_END_PARTLY);
    return v;
}

bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_err *err)
{
    const struct prime_form *form = &prime_forms[o->form];
    struct prime p = {.o = o, .out = out, .run = run, .look = jw_alloc(sizeof *p.look)};
    size_t n = 0;

    p.hold = (struct jw_hold){.run = run};
    *out = (struct jw_prime_report){.look = p.look};
    run->deadline = o->time_limit_s ? run->began + (uint64_t)o->time_limit_s * NS_PER_S : 0;
    while (form->steps[n])
        n++;
    bool ok = jw_run_steps(run, n, make, &p, err);

    if (ok && run->end == JW_END_NO_GPU && o->form == JW_PRIME_FILES)
        remember_for_later(&p);
    out->summary = summarize(&p);
    run->milliseconds = (jw_time_monotonic_ns() - run->began) / 1000000;
    jw_hold_end(&p.hold);
    return ok;
}

void jw_prime_free(struct jw_prime_report *r)
{
    if (!r->look)
        return;
    jw_look_free(r->look);
    jw_free(r->look);
    r->look = NULL;
}
