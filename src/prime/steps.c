#include "prime/steps.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/machine/time.h"
#include "prime/compile.h"
#include "prime/look_work.h"
#include "prime/remember.h"
#include "prime/watch.h"

enum { LOOK_MS = 100, STORING_MS = 3000, NS_PER_S = 1000000000, TICK_MS = 25 };

struct steps {
    struct jw_prime *p;
    prime_step *const *list; /* NULL ends it */
};

static bool take_step(void *of, size_t at, struct jw_err *err)
{
    const struct steps *s = of;

    return s->list[at](s->p, err);
}

static bool take_steps(struct jw_prime *p, prime_step *const *list, struct jw_err *err)
{
    struct steps s = {p, list};
    size_t n = 0;

    while (list[n])
        n++;
    return jw_run_steps(p->run, n, take_step, &s, err);
}

/* ---- scope, the right to change the cache, roots ---- */

bool prime_scope(struct jw_prime *p, struct jw_err *err)
{
    return jw_scope_find(p->run, &p->o.want, prime_forms[p->o.form].purpose, p->look, err);
}

bool prime_begin(struct jw_prime *p, struct jw_err *err)
{
    if (p->look->asked.cache && jw_is_absent(p->look->asked.cache)) /* perhaps by mistake */
        JW_NOTE(p->run, "the folder that --cache names is new");
    /* Without the lock nothing is compiled or added. Warm modules can be said to be warm, but no
     * command can be recorded. */
    if (p->look->machine->state.unusable)
        return p->o.form == JW_PRIME_FILES || jw_end_give_up(p->run, p->look);
    return jw_hold_lock(&p->hold, p->look->memory, err)
           && (p->look->scope.level == JW_LEVEL_OPAQUE || jw_hold_repair(&p->hold, err));
}

/* Comes after the look, which has seen the code, and before anything is compiled, so that a killed
 * run needs no other record. */
bool prime_roots(struct jw_prime *p, struct jw_err *err)
{
    return jw_remember_paths(p->run, p->look, p->o.want.paths, err);
}

/* ---- look, plan ---- */

/* A program that stores an entry locks the index for a moment. A run that changes the cache waits
 * for it; a run that only looks says what a driver would find now. */
static void wait_for_index(const struct jw_prime *p)
{
    for (unsigned tries = p->hold.lock ? jw_time_limit_ms(STORING_MS) / LOOK_MS : 0; tries;
         tries--) {
        if (!jw_cache_why_unreadable(p->look->scope.cache, p->run->a)
            || jw_interrupted(p->run->interrupted))
            return;
        jw_time_sleep_ms(LOOK_MS);
    }
}

bool prime_look(struct jw_prime *p, struct jw_err *err)
{
    struct jw_look *look = p->look;
    struct jw_err why = {0};

    wait_for_index(p);
    bool ok = jw_look(p->run, look, err);

    if (ok && p->hold.lock /* the limit counts records alone */
        && !jw_publish_records(p->run, &look->cache, look->jobs, look->n_jobs, &look->scope, &why))
        JW_NOTE(p->run, "%s", why.msg);
    return ok;
}

/* Below level 2 there is one worker, in the user's cache, since the driver decides what it
 * compiles. driver-fact: F47-processes-scale */
static unsigned most_workers(const struct jw_prime *p)
{
    if (p->look->scope.level < JW_LEVEL_PREDICTABLE)
        return 1;
    if (p->o.jobs)
        return p->o.jobs;
    return p->o.background ? (jw_cpu_count() + 1) / 2 : jw_cpu_count();
}

bool prime_plan(struct jw_prime *p, struct jw_err *err)
{
    struct jw_look *look = p->look;
    uint64_t spare = look->machine->cache.spare;
    uint64_t free_bytes = look->seen.free_bytes;

    (void)err;
    if (look->cache.refusal)
        return !p->hold.lock || jw_end_give_up(p->run, look);
    const struct plan_input in = {.a = p->run->a,
                                  .jobs = look->jobs,
                                  .n_jobs = look->n_jobs,
                                  .branch = jw_branch_of(look->scope.version),
                                  .slowness = look->slowness,
                                  .limit = look->scope.limit,
                                  .taken = look->scope.used,
                                  .disk =
                                      spare ? free_bytes - jw_min(free_bytes, spare) : UINT64_MAX,
                                  .workers = most_workers(p)};

    plan_make(&in, &p->plan);
    return !(jw_look_facts(look).found.cold_bytes || p->plan.n_todo)
           || jw_end_by_cause(p->run, look, look->purpose.strictness);
}

bool prime_todo(struct jw_prime *p, struct jw_err *err)
{
    const struct jw_facts f = jw_look_facts(p->look);

    (void)err;
    if (p->hold.lock && p->plan.n_todo)
        return true;
    if ((p->added || p->seen) && f.answer.warm) /* to be proven */
        return true;
    if (f.found.cold_bytes && f.answer.is == JW_COLD) /* no cold module has room */
        return jw_end_give_up(p->run, p->look);
    return jw_run_done(p->run, JW_END_DONE);
}

/* ---- look again, prove ---- */

/* A compiled module counts if a driver that opens the cache now finds it. From level 3 on entries
 * were checked before they were published: after one tick of the file clock the next look need not
 * read them. */
bool prime_look_again(struct jw_prime *p, struct jw_err *err)
{
    jw_time_sleep_ms(TICK_MS);
    wait_for_index(p);
    return look_cache_judge(p->run, p->look, err)
           && (!p->look->cache.refusal || jw_end_give_up(p->run, p->look));
}

bool prime_prove(struct jw_prime *p, struct jw_err *err)
{
    return jw_prove(p->run, p->look, &p->hold, err);
}

/* Compiles entries again that a fresh process could not use, unless the driver just stored them. */
bool prime_retry(struct jw_prime *p, struct jw_err *err)
{
    struct jw_look *look = p->look;
    bool any = false;

    (void)err;
    if (look->scope.level < JW_LEVEL_PLACEABLE || look->machine->cache.place
        || look->met.entries.closed)
        return jw_run_done(p->run, JW_END_DONE);
    for (struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        if (!jw_job_is_unstored(j) || !j->entry_bytes)
            continue;
        jw_job_becomes(j, JW_MODULE_COLD, NULL);
        j->ended = JW_JOB_TODO;
        j->carried = false;
        any = true;
    }
    return any || jw_run_done(p->run, JW_END_DONE);
}

/* ---- packs ---- */

/* Nothing is put into a cache that others can write to, or whose limit is too small: see causes. */
bool jw_prime_takes_packs(const struct jw_prime *p)
{
    const struct jw_look *look = p->look;

    if (p->run->ended || !p->hold.lock || look->scope.level < JW_LEVEL_PLACEABLE)
        return false;
    if (look->machine->cache.open || look->scope.limit < JW_CACHE_SMALLEST)
        return false;
    return jw_look_answer(look).is == JW_COLD;
}

bool jw_prime_added(struct jw_prime *p, size_t entries, struct jw_err *err)
{
    static prime_step *const look_again[] = {prime_look_again, NULL};

    if (!entries)
        return true;
    p->added += entries;
    p->look->met.filled = true;
    return take_steps(p, look_again, err);
}

/* Without a driver nothing can be looked at, so the named paths are remembered for later; but not
 * if a setting, or being root, stops the run as well. */
static void remember_for_later(struct jw_prime *p)
{
    const struct jw_look *look = p->look;

    if (!look->stop || p->hold.lock /* remembered */ || look->scope.absent || !p->o.want.paths.n)
        return;
    const struct jw_facts f = jw_look_facts(look);

    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (jw_cause_stops(c, &f, JW_STRICT) && c->end != JW_END_NO_GPU && c->is(&f))
            return;
    jw_look_blind(p->run, p->look);
    if (jw_hold_lock(&p->hold, p->look->memory, JW_IGNORED) && p->hold.lock)
        (void)!jw_remember_paths(p->run, p->look, p->o.want.paths, JW_IGNORED);
}

/* ---- the lists ---- */

/* Compiles, and once more what a fresh process could not use. */
#define COMPILE                                                                                    \
    prime_carry, prime_plan, prime_todo, prime_consent, prime_compile, prime_look_again,           \
        prime_prove, prime_retry, prime_look_again, prime_plan, prime_compile, prime_look_again,   \
        prime_prove

const struct prime_form prime_forms[JW_PRIME_FORMS] = {
    [JW_PRIME_FILES] = {&jw_to_prime,
                        {prime_scope, prime_consent_to_search, prime_begin, prime_look,
                         prime_roots},
                        {COMPILE}},
    [JW_PRIME_COMMAND] = {&jw_to_prime,
                          {prime_scope, prime_begin, prime_record, prime_look},
                          {COMPILE}},
    [JW_PRIME_ANSWER] = {&jw_to_look, {prime_scope, prime_look}, {prime_plan}},
    [JW_PRIME_LOAD] = {&jw_to_diagnose, {prime_scope, prime_look}, {prime_prove}},
};
JW_ROW_FOR_EACH(prime_forms, JW_PRIME_FORMS, 4);

/* That a command failed is no good end, whatever is in the cache by now. */
static struct jw_summary summarize(const struct jw_prime *p)
{
    struct jw_summary v = jw_end_summary(p->run, p->look);

    if (p->seen && p->seen->start.failed)
        v.end = jw_end_worse(v.end, JW_END_PARTLY);
    return v;
}

bool jw_prime_begin(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime *p,
                    struct jw_err *err)
{
    *p = (struct jw_prime){.o = *o, .run = run, .hold.run = run, .look = jw_alloc(sizeof *p->look)};
    run->deadline = o->time_limit_s ? run->began + (uint64_t)o->time_limit_s * NS_PER_S : 0;
    return take_steps(p, prime_forms[o->form].begin, err);
}

bool jw_prime_finish(struct jw_prime *p, struct jw_err *err)
{
    struct jw_run *run = p->run;
    bool ok = take_steps(p, prime_forms[p->o.form].finish, err);

    if (ok && run->end == JW_END_NO_GPU && p->o.form == JW_PRIME_FILES)
        remember_for_later(p);
    p->summary = summarize(p);
    run->milliseconds = (jw_time_monotonic_ns() - run->began) / 1000000;
    jw_hold_end(&p->hold);
    return ok;
}

bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime *p,
              struct jw_err *err)
{
    return jw_prime_begin(run, o, p, err) && jw_prime_finish(p, err);
}

void jw_prime_free(struct jw_prime *p)
{
    if (!p->look)
        return;
    jw_hold_end(&p->hold);
    jw_look_free(p->look);
    jw_free(p->look);
    p->look = NULL;
}
