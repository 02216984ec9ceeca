/* May this run take so much room and time? */
#include "prime/steps.h"

#include "base/text.h"
#include "facts/compile_time.h"

/* Returns what a person should know before; NULL: nothing. Where the time limit is 15 minutes at most, time is no question. */
static const char *why_ask(struct prime *p, uint64_t homeless)
{
    const struct plan *plan = &p->out->plan;

    if (homeless)
        return jw_arena_printf(p->run->a, "%s are needed, more than %s: %s of %s modules will stay cold",
                               JW_SIZE(p->look->facts->cold_bytes),
                               jw_facts_lack_disk(p->look->facts) ? "the disk has free"
                                                                  : "the cache may still hold",
                               JW_NUM(homeless), JW_NUM(p->look->n_jobs));
    if (plan->cpu_seconds > PRIME_ASK_ABOVE_S
        && (!p->o->time_limit_s || p->o->time_limit_s > PRIME_ASK_ABOVE_S))
        return jw_arena_printf(p->run->a, "compiling %s takes %s with %s%s",
                               JW_N(plan->n_todo, "module", "modules"), jw_compile_span(plan->seconds).text,
                               JW_N(plan->workers, "worker", "workers"),
                               p->look->answer.blocked ? "; others do not run here" : "");
    return NULL;
}

bool prime_consent(struct prime *p, struct jw_err *err)
{
    struct jw_run *run = p->run;
    const char *why = why_ask(p, jw_look_count(p->look, JW_JOB_NO_ROOM));

    (void)err;
    if (!why || p->granted
        || (run->ask && run->ask(run->ctx, jw_arena_printf(run->a, "%s. Go on?", why), false)))
        return true;
    return prime_end(p, jw_interrupted(run->interrupted) ? JW_END_INTERRUPTED : JW_END_CONSENT, "%s", why);
}
