/* May this run take so much room and time? */
#include "prime/steps.h"

#include "base/path.h"
#include "facts/compile_time.h"

enum { ASK_ABOVE_S = 15 * 60 };

bool prime_is_long(const struct jw_prime *p, double seconds)
{
    double most = p->agreed > ASK_ABOVE_S ? p->agreed : ASK_ABOVE_S;

    return !p->run->yes && (!p->o.time_limit_s || p->o.time_limit_s > ASK_ABOVE_S)
           && seconds > most;
}

const char *prime_ask(struct jw_prime *p, const char *why, bool usual, enum jw_end *end)
{
    struct jw_run *run = p->run;

    if (jw_run_ask(run, jw_arena_printf(run->a, "%s. Go on?", why), usual))
        return NULL;
    *end = jw_interrupted(run->interrupted) ? JW_END_INTERRUPTED : JW_END_CONSENT;
    if (*end == JW_END_INTERRUPTED)
        return "";
    return run->ask ? "declined" : jw_arena_printf(run->a, "not confirmed: %s", why);
}

/* Returns what a person should know before the run goes on; NULL: nothing. */
static const char *why_ask(struct jw_prime *p, uint64_t homeless)
{
    const struct plan *plan = &p->plan;
    const struct jw_facts f = jw_look_facts(p->look);
    bool is_long = prime_is_long(p, plan->seconds);
    const char *time = jw_arena_str(p->run->a, jw_compile_words(plan->seconds).text);

    if (homeless)
        return jw_arena_printf(p->run->a, "the %s has room for %s of %s modules, which need %s%s",
                               jw_facts_lack_disk(&f) ? "disk" : "cache", JW_NUM(plan->n_todo),
                               JW_NUM(plan->n_todo + homeless), JW_SIZE(plan->bytes),
                               is_long ? JW_PHRASE("; compiling takes %s", time) : "");
    if (!is_long)
        return NULL;
    bool in_part = !p->look->jobs[plan->n_todo - 1].used; /* used ones are first */

    return jw_arena_printf(
        p->run->a, "compiling %s takes %s with %s%s%s", JW_N(plan->n_todo, "module", "modules"),
        time, JW_N(plan->workers, "worker", "workers"),
        f.answer.blocked ? "; others do not run here" : "",
        in_part ? ". Most programs load a part of this: jitwarm prime --run CMD" : "");
}

bool prime_consent_to_search(struct jw_prime *p, struct jw_err *err)
{
    const struct jw_texts *paths = &p->o.want.paths;
    const char *why = NULL;
    enum jw_end end;

    (void)err;
    for (size_t i = 0; i < paths->n; i++)
        if (!why && jw_path_is_disk(paths->v[i]))
            why = prime_ask(p, "this searches the whole disk", false, &end);
    return !why || jw_run_end(p->run, end, "%s", why);
}

bool prime_consent(struct jw_prime *p, struct jw_err *err)
{
    const char *why = p->run->yes ? NULL : why_ask(p, jw_answer_count(p->look, jw_job_has_no_room));
    enum jw_end end;

    (void)err;
    p->agreed = prime_is_long(p, p->plan.seconds) ? 2 * p->plan.seconds : 0;
    why = why ? prime_ask(p, why, false, &end) : NULL;
    return !why || jw_run_end(p->run, end, "%s", why);
}
