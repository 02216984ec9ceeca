/* Ends a run: by a cause that stops it, and with what is said of its look. */
#include "prime/look.h"

#include "facts/errors.h"

struct jw_summary jw_end_summary(const struct jw_run *run, const struct jw_look *l)
{
    const struct jw_facts f = jw_look_facts(l);

    return jw_summary_of(&f, &l->purpose, l->stop, run->end);
}

bool jw_end_because(struct jw_run *run, struct jw_look *l, const struct jw_cause *c)
{
    if (!c)
        return true;
    l->stop = c;
    return run->ended || jw_run_done(run, c->end);
}

bool jw_end_by_cause(struct jw_run *run, struct jw_look *l, enum jw_strictness strictness)
{
    const struct jw_facts f = jw_look_facts(l);

    return jw_end_because(run, l, jw_cause_to_stop(&f, strictness));
}

bool jw_end_give_up(struct jw_run *run, struct jw_look *l)
{
    const struct jw_facts f = jw_look_facts(l);
    bool looked = f.answer.is > JW_NOTHING; /* false: nothing is known to be warm */

    return jw_end_because(run, l, looked ? jw_cause_of(&f, &l->purpose) : jw_cause_of_start(&f));
}

bool jw_end_unopened(struct jw_run *run, struct jw_look *l, const struct jw_pool_report *pool)
{
    if (pool->code != JW_CUDA_DEVICE_UNAVAILABLE)
        return jw_run_end(run, JW_END_NO_GPU, "%s", pool->why);
    l->seen.taken = pool->code;
    return jw_end_by_cause(run, l, l->purpose.strictness);
}
