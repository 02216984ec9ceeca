/* What a report knows of the next start. */
#include "prime/prime_work.h"

#include "base/num.h"

static bool is_refuted(const struct jw_verify_report *v)
{
    bool held = !v->n_misses;

    for (size_t i = 0; i < v->n_passes; i++)
        held &= jw_verify_pass_held(&v->passes[i]);
    return v->done && !held;
}

/* What a run that ended early did not look at. */
static const char *why_not_all(const struct jw_run *run)
{
    switch (run->end) {
    case JW_END_DONE:
    case JW_END_PARTLY: return NULL;
    case JW_END_NOTHING: return run->why;
    case JW_END_INTERRUPTED: return "it was interrupted";
    default: return run->why ? run->why : "it was not asked to its end";
    }
}

struct jw_next_start_facts jw_prime_facts(const struct jw_prime_report *r)
{
    uint64_t warm = r->counts[JW_JOB_WARM] + r->counts[JW_JOB_WARMED];
    struct jw_next_start_facts f = {
        .modules = jw_max(r->n_jobs, warm), /* a receipt has no jobs */
        .warm = warm,
        .setting = r->run->end == JW_END_STOPPED ? r->run->why : NULL,
        .elsewhere = r->obstacle,
        .refuted = is_refuted(&r->verify),
        .lost = r->lost,
        .sourceless = r->recorded_unsure ? 0 : r->sourceless, /* what it loads is another question then */
        .commands = r->recorded_unsure,
        .blocked = r->left_out[JW_OUT_IS_BLOCKED].modules,
        .pieces = r->left_out[JW_OUT_IS_MADE].modules,
        .lto = r->left_out[JW_OUT_IS_LTO].modules,
        .unread = r->n_unread,
        .unasked = r->unknowable ? r->unknowable : why_not_all(r->run),
    };

    for (size_t i = 0; i < r->n_own; i++)
        f.other_caches |= !r->own[i].held;
    return f;
}

bool prime_facts(struct prime *p, struct jw_next_start_facts *out, struct jw_err *err)
{
    if (!prime_look_at_recorded(p, p->ctx.driver.probe.driver.build, err))
        return false;
    p->out->n_unread = p->ctx.software.unread.n;
    prime_count_jobs(p->out);
    *out = jw_prime_facts(p->out);
    out->unasked = p->out->unknowable; /* it goes on */
    return true;
}
