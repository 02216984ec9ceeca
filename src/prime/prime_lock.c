/* Takes the lock: one prime at a time works on a cache. */
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
        return jw_run_end(run, JW_END_BUSY, "another jitwarm is using %s", c->folder);
    return jw_run_end(
        run, JW_END_BUSY,
        "another jitwarm (process %lu, for %s now) is using %s; prime waits for it as long as a "
        "--time-limit lasts",
        h->pid, JW_TOOK(ago > 0 ? (double)ago : 0), c->folder);
}

static bool repair_index(struct jw_run *run, struct prime_cache *c, struct jw_err *err)
{
    struct index_repair repaired;
    struct jw_err why = { 0 };

    if (!prune_repair(c->folder, c->log, run->interrupted, &repaired, &why)) {
        if (why.code == JW_E_INTERRUPTED)
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        JW_NOTE(run, "the cache's index could not be rebuilt: %s", why.msg);
        return true;
    }
    c->repaired = repaired.done;
    if (repaired.done)
        JW_NOTE(run, "the cache's index was damaged (%s): it was rebuilt from %s", repaired.damage,
                JW_N(repaired.records, "whole entry", "whole entries"));
    return !repaired.done || prime_find_used(c, err);
}

bool prime_take_lock(struct run_ctx *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    uint64_t end = h->wait_s == UINT_MAX ? UINT64_MAX : h->run->began + (uint64_t)h->wait_s * NS_PER_S;
    struct jw_warm_holder holder = { 0 };

    if (h->run->deadline && h->run->deadline < end)
        end = h->run->deadline;
    c->lost = jw_session_memory(h->run->session, c->folder)->lost; /* the lock makes the record whole again */
    for (;;) {
        if (!jw_session_lock(h->run->session, c->folder, &c->log, &holder, err))
            return false;
        if (c->log)
            break;
        if (!jw_not_interrupted(h->run->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= end)
            return say_busy(h->run, c, &holder);
        jw_time_sleep_ms(LOOK_MS);
    }
    if (!repair_index(h->run, c, err))
        return false;
    if (c->memory != &prime_no_memory) /* another prime may have ended since it was read */
        c->memory = jw_session_memory_now(h->run->session, c->folder);
    return true;
}

/* Ends the run where another one has the lock, as prime_take_lock without a wait, but does not take it. */
bool prime_check_free(struct run_ctx *h, struct jw_err *err)
{
    struct jw_warm_holder holder;
    bool busy;

    if (!jw_warm_busy(h->cache.folder, h->run->a, &busy, &holder, err))
        return false;
    return !busy || say_busy(h->run, &h->cache, &holder);
}

void prime_note_running(struct prime *p)
{
    struct jw_warm_holder holder;
    struct jw_err ignored;

    if (jw_warm_busy(p->ctx.cache.folder, p->run->a, &p->prime_runs, &holder, &ignored) && p->prime_runs)
        prime_note(p,
                   "a prime is running on this cache (process %lu): modules that it has not compiled yet are "
                   "missing; jitwarm status shows its progress",
                   holder.pid);
}
