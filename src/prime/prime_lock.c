/* One prime at a time on a cache. */
#include "cache/change/prune_remove.h"
#include "prime/prime_work.h"

#include "base/text.h"
#include "os/machine/time.h"

#include <limits.h>

enum { LOOK_MS = 100, NS_PER_S = 1000000000 };

static bool say_busy(struct jw_run *run, const struct prime_cache *c, const struct jw_warm_holder *h)
{
    int64_t ago = jw_time_unix() - h->since;

    if (!h->pid)
        return jw_run_end(run, JW_END_BUSY, "another jitwarm is using %s", c->dir.root);
    return jw_run_end(run, JW_END_BUSY,
                      "another jitwarm (process %lu, for %s now) is using %s; --wait waits for it, and "
                      "jitwarm prime --stop ends it",
                      h->pid, JW_CLOCK(ago > 0 ? (double)ago : 0), c->dir.root);
}

static bool heal(struct jw_run *run, const struct prime_cache *c, struct jw_err *err)
{
    struct index_heal healed;
    struct jw_err why = { 0 };

    if (!prune_heal(c->dir.root, c->log, run->interrupted, &healed, &why)) {
        if (why.code == JW_E_INTERRUPTED)
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        JW_NOTE(run, "the cache's index could not be rebuilt: %s", why.msg);
        return true;
    }
    if (healed.done)
        JW_NOTE(run, "the cache's index was damaged (%s): it was rebuilt from %llu whole entries",
                healed.damage, (unsigned long long)healed.records);
    return true;
}

bool prime_take_lock(struct jw_run *run, struct prime_here *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    uint64_t end = h->wait_s == UINT_MAX ? UINT64_MAX : run->began + (uint64_t)h->wait_s * NS_PER_S;
    struct jw_warm_holder holder = { 0 };

    if (run->deadline && run->deadline < end)
        end = run->deadline;
    for (;;) {
        if (!jw_warm_open(c->dir.root, &c->log, &holder, err))
            return false;
        if (c->log)
            break;
        if (prime_interrupted(run, h))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (jw_time_monotonic_ns() >= end)
            return say_busy(run, c, &holder);
        jw_time_sleep_ms(LOOK_MS);
    }
    if (!heal(run, c, err))
        return false;
    if (h->wait_s)
        jw_warm_load(c->dir.root, run->a, &c->memory); /* what the other prime recorded meanwhile */
    return true;
}

void prime_note_running(struct prime *p)
{
    struct jw_warm_holder holder;
    struct jw_err ignored;

    if (jw_warm_busy(p->here.cache.dir.root, p->run->a, &p->beside, &holder, &ignored) && p->beside)
        prime_note(p,
                   "a prime is running on this cache (process %lu): modules that it has not compiled yet are "
                   "missing; jitwarm status shows its progress",
                   holder.pid);
}

bool jw_prime_stop(const char *cache, unsigned wait_s, const atomic_bool *interrupted, bool *was,
                   struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + (uint64_t)wait_s * NS_PER_S;
    struct jw_arena a = { 0 };
    struct jw_cachedir dir = { 0 };
    struct jw_warm_holder holder;
    bool busy = true, ok = true;

    jw_cachedir_find(cache, &a, &dir);
    *was = false;
    if (!dir.root)
        ok = jw_fail(err, JW_E_IO, "the system names no folder for the driver's cache");
    for (bool asked = false; ok && busy; asked = true) {
        ok = jw_warm_busy(dir.root, &a, &busy, &holder, err);
        if (!ok || !busy)
            break;
        *was = true;
        if (!asked)
            ok = jw_warm_ask_stop(dir.root, err);
        if (interrupted && atomic_load(interrupted))
            ok = jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        else if (jw_time_monotonic_ns() > end)
            ok = jw_fail(err, JW_E_DRIVER, "process %lu was asked to end, but is still running", holder.pid);
        jw_time_sleep_ms(LOOK_MS);
    }
    jw_arena_free(&a);
    return ok;
}
