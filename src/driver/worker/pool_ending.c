#include "driver/worker/pool_ending.h"

static void set(struct pool_ending *e, enum jw_sv_what what, enum jw_pool_outcome outcome, const char *name)
{
    e->what = what;
    e->outcome = outcome;
    e->name = name;
}

/* The worker has said what became of the module. */
static void judge_result(struct pool_ending *e, const struct jw_worker_result *r)
{
    e->code = r->code;
    if (r->ok)
        set(e, JW_SV_DONE, JW_POOL_DONE, NULL);
    else if (r->killed)
        set(e, JW_SV_KILLED, JW_POOL_KILLED, r->name);
    else if (r->died)
        set(e, JW_SV_DIED, r->timeout ? JW_POOL_TIMEOUT : JW_POOL_CRASHED, r->name);
    else if (r->started || r->code == JW_SV_OUT_OF_MEMORY)
        set(e, JW_SV_FAILED, JW_POOL_REFUSED, r->name);
    else {
        set(e, JW_SV_UNBORN, JW_POOL_LEFT, NULL);
        (void)jw_fail(&e->err, JW_E_DRIVER, "the driver makes no context on the GPU: %s", r->name);
    }
}

/* It could not; e->err has the sentence. */
static void judge_failure(struct pool_ending *e, const struct jw_worker_result *r)
{
    if (e->err.code == JW_E_INTERRUPTED)
        set(e, JW_SV_LEFT, JW_POOL_LEFT, NULL);
    else if (r->refused)
        set(e, JW_SV_CHANGED, JW_POOL_CHANGED, NULL);
    else if (r->started && e->err.code == JW_E_FORMAT)
        set(e, JW_SV_DIED, JW_POOL_CRASHED, e->err.msg); /* what it said of the module made no sense */
    else
        set(e, JW_SV_UNBORN, JW_POOL_LEFT, NULL);
}

void pool_judge(struct pool_ending *e, bool told, const struct jw_worker_result *r)
{
    if (told)
        judge_result(e, r);
    else
        judge_failure(e, r);
}
