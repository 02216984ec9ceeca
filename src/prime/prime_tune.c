/* Offers to raise a cache limit that is too low for the plan, before anything is compiled. */
#include "prime/prime_work.h"

#include "env/env_apply.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* 0: the limit is high enough. */
static uint64_t better_limit(const struct prime *p)
{
    uint64_t all = p->out->used + p->out->need, better = jw_cache_limit_for(all, p->dir.usual);

    if (!better) /* more than the largest limit: use that */
        better = jw_cache_limits().most;
    return all > p->out->limit && better > p->out->limit ? better : 0;
}

static void note_done(struct prime *p, const struct jw_env_report *r, uint64_t limit)
{
    const char *where = NULL;

    for (size_t i = 0; i < r->n; i++)
        if (r->steps[i].kind != JW_ENV_FOLDER)
            where = r->steps[i].path;
    prime_note(p, "new logins have CUDA_CACHE_MAXSIZE=%llu, by %.300s; jitwarm env undo takes it back",
               (unsigned long long)limit, where ? where : "what was written before");
    for (size_t i = 0; i < r->notes.n; i++)
        prime_note(p, "%s", r->notes.v[i]);
    prime_advise(p,
                 jw_os_is_windows()
                     ? "set CUDA_CACHE_MAXSIZE=%llu   (in consoles that are open already)"
                     : "export CUDA_CACHE_MAXSIZE=%llu   (in shells that run already; or log in again)",
                 (unsigned long long)limit);
}

static void raise_limit(struct prime *p, uint64_t limit)
{
    struct jw_env_ask ask = { .size = limit, .interrupted = p->o->interrupted };
    struct jw_env_apply_options o = { .scope = JW_ENV_USER, .size_asked = true, .sysroot = "" };
    struct jw_env_state s = { 0 };
    struct jw_env_report r = { 0 };
    struct jw_err why = { 0 };
    bool ok = jw_env_state(&ask, p->a, &s, &why);

    /* Changes only the limit, not the place. */
    s.advice[JW_ENV_PLACE].value = NULL;
    s.advice[JW_ENV_PLACE].wrong = false;
    s.advice[JW_ENV_OFF].value = NULL;
    ok = ok && jw_env_apply(&o, &s, p->a, &r, &why);
    jw_env_state_free(&s);
    if (!ok) {
        prime_note(p, "the limit could not be raised: %s", why.msg);
        return;
    }
    p->tuned = limit;
    p->out->limit = limit;
    p->out->limit_known = true;
    note_done(p, &r, limit);
}

/* "512 MiB", or "1 GiB" for whole GiB. */
static void say_size(struct jw_buf *out, uint64_t n)
{
    bool gib = n >> 30 && !(n & (((uint64_t)1 << 30) - 1));
    uint64_t mib = (n + (1 << 20) - 1) >> 20;

    if (n < 1 << 20)
        jw_buf_printf(out, "%llu bytes", (unsigned long long)n);
    else
        jw_buf_printf(out, "%llu %s", (unsigned long long)(gib ? n >> 30 : mib), gib ? "GiB" : "MiB");
}

/* Asks only at a terminal. A plain --yes does not change settings. */
static bool may_raise(struct prime *p, uint64_t limit)
{
    struct jw_buf question = JW_BUF(256);
    bool yes;

    if (p->o->raise_limit)
        return true;
    if (p->o->yes || !p->o->ask || prime_by_itself(p))
        return false;
    jw_buf_text(&question, "The cache limit is too small (");
    say_size(&question, p->out->limit);
    jw_buf_text(&question, ", needed ");
    say_size(&question, p->out->used + p->out->need);
    jw_buf_text(&question, "). Raise it to ");
    say_size(&question, limit);
    jw_buf_text(&question, "?");
    yes = prime_question(p, jw_buf_cstr(&question), true);
    jw_buf_free(&question);
    return yes;
}

bool prime_offer_limit(struct prime *p)
{
    uint64_t limit = better_limit(p);

    if (!limit || !may_raise(p, limit))
        return false;
    raise_limit(p, limit);
    return p->tuned != 0;
}

bool prime_tune(struct prime *p, struct jw_err *err)
{
    if (!prime_offer_limit(p))
        return true;

    size_t notes = p->notes.n;

    if (!prime_plan(p, err))
        return false;
    p->notes.n = notes; /* the notes of the first plan remain */
    return true;
}
