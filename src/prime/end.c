/* What stops a look, or why it is not warm, and how its run ends. */
#include "prime/look.h"

#include "facts/errors.h"
#include "machine/run.h"

const struct jw_cause *jw_look_cause(const struct jw_look *l)
{
    const struct jw_cause *c = l->stop ? l->stop : jw_cause_of(&l->facts, l->asker);

    return c || l->facts.answer.is != JW_WARM || !l->facts.found.index_damaged
               ? c
               : &jw_causes[JW_CAUSE_cache_damaged]; /* the next program may undo the answer */
}

enum jw_end jw_look_end(const struct jw_run *run, const struct jw_look *l)
{
    bool ran_out =
        l->asker == JW_ASKS_PRIME && run->end < JW_END_UNFIT && jw_look_count(l, jw_job_has_no_room);

    if (l->asker == JW_ASKS_DOCTOR && jw_look_cause(l))
        return JW_END_PARTLY;
    return jw_answer_is_well(l->facts.answer.is) && !l->facts.start.setting /* which ignores the cache */
               ? run->end
               : jw_end_worse(run->end, ran_out ? JW_END_CANNOT_WRITE : JW_END_PARTLY);
}

bool jw_look_stop(struct jw_run *run, struct jw_look *l, enum jw_asker who)
{
    const struct jw_cause *c = jw_cause_of(&l->facts, who);

    if (!c || !jw_cause_stops(c, &l->facts, who))
        return true;
    l->stop = c;
    return run->ended || jw_run_end(run, c->end, "%s", "");
}

bool jw_look_unopened(struct jw_run *run, struct jw_look *l, const struct jw_pool_report *pool)
{
    if (pool->code != JW_CUDA_DEVICE_UNAVAILABLE)
        return jw_run_end(run, JW_END_NO_GPU, "%s", pool->why);
    l->facts.driver.is = JW_DRIVER_FAILS;
    l->facts.driver.error = pool->code;
    return jw_look_stop(run, l, l->asker);
}

bool jw_look_give_up(struct jw_run *run, struct jw_look *l)
{
    l->stop = jw_look_cause(l);
    return !l->stop || jw_run_end(run, l->stop->end, "%s", "");
}
