/* Offers to raise a cache limit that is too low for the plan, before anything is compiled. */
#include "prime/prime_work.h"

#include "base/command.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"
#include "session/lines.h"
#include "setup/env/env_apply.h"

#include <stdio.h>

uint64_t prime_usable_disk(const struct prime_cache *c)
{
    uint64_t free = c->out->free_disk, spare = c->out->spare_disk;

    return free == UINT64_MAX ? UINT64_MAX : free > spare ? free - spare : 0;
}

void prime_advise_disk(struct jw_run *run, const char *folder, uint64_t need, uint64_t free, uint64_t spare)
{
    uint64_t wanted = need + spare;
    const char *shows = jw_line_full_disk(folder, run->a);

    JW_NOTE(run,
            "free %s on the disk of %s; jitwarm leaves the last %s free, because programs that "
            "cannot write to a full disk fail",
            JW_SIZE(wanted > free ? wanted - free : 0), folder, JW_SIZE(spare));
    if (shows)
        JW_ADVISE(run, "%s", shows);
}

void prime_advise_room(const struct run_ctx *h, uint64_t need, bool disk)
{
    uint64_t better = jw_cache_limit_for(h->cache.out->used + need, h->cache.least);

    const char *larger = disk ? jw_line_larger_disk(h->run->session, h->cache.folder, need, h->run->a) : NULL;

    if (larger) {
        JW_NOTE(h->run, "the disk of %s is too small for %s", h->cache.folder, JW_SIZE(need));
        JW_ADVISE(h->run, "%s", larger);
    } else if (disk)
        prime_advise_disk(h->run, h->cache.folder, need, h->cache.out->free_disk, h->cache.out->spare_disk);
    else if (!better) {
        JW_NOTE(h->run,
                "more than the 4 GiB that one cache may hold is needed: give each framework a cache of its "
                "own (CUDA_CACHE_PATH where it is started)");
        JW_ADVISE(h->run, "%s   # shows what no driver here can use",
                  JW_COMMAND(h->run->a, jw_os_is_windows(), "jitwarm", "prune",
                             h->run->session->cache ? "--cache" : NULL, h->run->session->cache));
    } else
        JW_ADVISE(h->run, "%s", jw_line_limit(h->run->session, better, NULL, h->run->a));
}

void prime_advise_login_limit(const struct run_ctx *h, uint64_t need)
{
    uint64_t better = jw_cache_limit_for(h->cache.out->used + need, h->cache.least);

    JW_ADVISE(h->run, "%s",
              jw_line_login_limit(h->run->session, better ? better : jw_cache_limits().max, h->run->a));
}

void prime_advise_again(const struct run_ctx *h)
{
    uint64_t better = jw_cache_limit_for(h->cache.out->used, h->cache.least);

    JW_ADVISE(h->run, "%s",
              jw_line_limit(h->run->session, better ? better : jw_cache_limits().max,
                            jw_run_again(h->run, NULL), h->run->a));
}

/* Returns a better limit; 0: this one is high enough. */
static uint64_t better_limit(const struct prime_cache *c, uint64_t need)
{
    uint64_t all = c->out->used + need, better = jw_cache_limit_for(all, c->least);

    if (!better) /* more than the largest limit: use that */
        better = jw_cache_limits().max;
    return all > c->out->limit.bytes && better > c->out->limit.bytes ? better : 0;
}

static void note_done(struct jw_run *run, const struct jw_env_report *r, uint64_t limit)
{
    const char *where = NULL;

    for (size_t i = 0; i < r->n; i++)
        if (r->steps[i].kind != JW_ENV_FOLDER)
            where = r->steps[i].path;
    JW_NOTE(run, "new logins have CUDA_CACHE_MAXSIZE=%llu, by %.300s; jitwarm env undo takes it back",
            (unsigned long long)limit, where ? where : "what was written before");
    for (size_t i = 0; i < r->notes.n; i++)
        JW_NOTE(run, "%s", r->notes.v[i]);
    JW_ADVISE(
        run,
        jw_os_is_windows()
            ? "set CUDA_CACHE_MAXSIZE=%llu" /* for consoles that are open already; cmd has no comments */
            : "export CUDA_CACHE_MAXSIZE=%llu   # in shells that run already; or log in again",
        (unsigned long long)limit);
}

static void raise_limit(struct jw_run *run, struct prime_cache *c, uint64_t limit)
{
    const struct jw_env_options o = { 0 };
    char value[24];
    const struct jw_env_setting wanted = { jw_env_names[JW_ENV_SIZE], value, NULL, true };
    struct jw_env_report r = { 0 };
    struct jw_err why = { 0 };

    (void)snprintf(value, sizeof value, "%llu", (unsigned long long)limit);
    if (!jw_env_apply(run->session, &o, &wanted, 1, &r, &why)) {
        JW_NOTE(run, "the limit could not be raised: %s", why.msg);
        return;
    }
    c->tuned = limit;
    c->out->limit = (struct jw_cache_limit){ .bytes = limit, .known = true };
    note_done(run, &r, limit);
}

/* Asks only at a terminal. A plain --yes does not change settings. */
static bool ask_for_limit(struct jw_run *run, struct prime_cache *c, uint64_t need, uint64_t limit,
                          const char *otherwise)
{
    const char *question = jw_arena_printf(
        run->a, "The cache limit is too small (%s, needed %s): %s. Raise it to %s?",
        JW_SIZE(c->out->limit.bytes), JW_SIZE(c->out->used + need), otherwise, JW_SIZE(limit));
    bool yes = run->ask && run->ask(run->ctx, question, true);

    c->limit_stays = run->ask && !yes;
    return yes;
}

bool prime_offer_limit(struct run_ctx *h, uint64_t need, bool raise, const char *otherwise)
{
    uint64_t limit = better_limit(&h->cache, need);

    if (!limit || (!raise && !ask_for_limit(h->run, &h->cache, need, limit, otherwise)))
        return false;
    raise_limit(h->run, &h->cache, limit);
    return h->cache.tuned != 0;
}

void prime_tune(struct prime *p)
{
    uint64_t homeless = p->out->counts[JW_JOB_NO_ROOM];
    const char *otherwise = homeless ? jw_arena_printf(p->run->a, "%s of %s modules will not be warm",
                                                       JW_NUM(homeless), JW_NUM(p->plan.n_jobs))
                                     : "with its next entry the driver removes others";

    if (!prime_offer_limit(&p->ctx, p->out->need, p->o->raise_limit, otherwise))
        return;

    size_t notes = p->run->notes.n;

    prime_plan(p);
    p->run->notes.n = notes; /* the notes of the first plan remain */
}
