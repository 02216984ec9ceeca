/* Ends a run: by a cause that stops it, and with what is said of its look. */
#include "prime/look.h"

#include "facts/errors.h"

struct jw_summary jw_end_summary(const struct jw_run *run, const struct jw_look *look)
{
    const struct jw_facts f = jw_look_facts(look);

    return jw_summary_of(&f, &look->purpose, look->stop, run->end);
}

bool jw_end_because(struct jw_run *run, struct jw_look *look, const struct jw_cause *c)
{
    if (!c)
        return true;
    look->stop = c;
    return run->ended || jw_run_done(run, c->end);
}

bool jw_end_by_cause(struct jw_run *run, struct jw_look *look, enum jw_strictness strictness)
{
    const struct jw_facts f = jw_look_facts(look);

    return jw_end_because(run, look, jw_cause_to_stop(&f, strictness));
}

bool jw_end_give_up(struct jw_run *run, struct jw_look *look)
{
    const struct jw_facts f = jw_look_facts(look);
    bool looked = f.answer.is > JW_NOTHING; /* false: nothing is known to be warm */

    return jw_end_because(run, look,
                          looked ? jw_cause_of(&f, &look->purpose) : jw_cause_of_start(&f));
}

bool jw_end_unopened(struct jw_run *run, struct jw_look *look, const struct jw_pool_report *pool)
{
    if (pool->code != JW_CUDA_DEVICE_UNAVAILABLE)
        return jw_run_end(run, JW_END_NO_GPU, "%s", pool->why);
    look->seen.taken = pool->code;
    return jw_end_by_cause(run, look, look->purpose.strictness);
}
