#include "prime/hold.h"

#include "base/path.h"
#include "base/text.h"
#include "cache/change/prune_remove.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "prime/kept.h"

#include <limits.h>

enum { LOOK_MS = 100, NS_PER_S = 1000000000 };

static bool lock(struct jw_hold *h, struct jw_err *err)
{
    struct jw_run *run = h->run;
    uint64_t end = h->wait_s == UINT_MAX ? UINT64_MAX : run->began + (uint64_t)h->wait_s * NS_PER_S;
    struct jw_lock_holder holder = { 0 };

    if (run->deadline && (run->deadline < end || !h->wait_s)) /* --time-limit limits the wait, too */
        end = run->deadline;
    for (;;) {
        if (!jw_cache_lock(h->look->memory, &h->lock, &holder, err))
            return false;
        if (h->lock)
            return true;
        if (!jw_not_interrupted(run->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= end)
            return jw_run_end(run, JW_END_BUSY, "%s",
                              jw_lock_holder_text(&holder, h->look->facts.scope.cache, run->a));
        jw_time_sleep_ms(LOOK_MS);
    }
}

static bool repair(struct jw_hold *h, struct jw_err *err)
{
    struct index_repair done;
    struct jw_err why = { 0 };

    if (!prune_repair(h->look->facts.scope.cache, h->look->memory, h->run->interrupted, &done, &why)) {
        bool ends = h->removes || why.code == JW_E_INTERRUPTED;

        if (ends)
            *err = why;
        else
            JW_NOTE(h->run, "the cache's index could not be rebuilt: %s", why.msg);
        return !ends;
    }
    if (done.done)
        JW_NOTE(h->run, "the cache's index was damaged (%s): it was rebuilt from %s", done.damage,
                JW_N(done.records, "whole entry", "whole entries"));
    return true;
}

bool jw_hold_begin(struct jw_hold *h, struct jw_err *err)
{
    if (!lock(h, err) || h->run->ended)
        return h->run->ended;
    return h->look->facts.scope.level == JW_LEVEL_OPAQUE || repair(h, err);
}

void jw_hold_load_roots(struct jw_hold *h, bool adds)
{
    struct jw_look *l = h->look;

    jw_roots_load(l->memory, &l->a, &l->roots);
    if (l->roots.from && adds)
        l->roots = (struct jw_roots){ 0 };
    if (l->roots.closed) /* it stays, so a cause says it */
        l->facts.found.roots_damaged = l->roots.damaged;
    else if (l->roots.damaged)
        JW_NOTE(h->run, "what was named and recorded before is lost: %s", l->roots.damaged);
}

bool jw_hold_name_roots(struct jw_hold *h, struct jw_err *err)
{
    struct jw_look *l = h->look;

    jw_hold_load_roots(h, h->paths.n);
    bool changed = l->roots.damaged || l->roots.from; /* a new list replaces a damaged one */

    for (size_t i = 0; i < h->paths.n; i++) {
        const char *path;

        if (!jw_root_path(h->paths.v[i], &l->a, &path, err))
            return jw_wrap(err, "%s", h->paths.v[i]);
        changed |= jw_roots_name(&l->roots, path, jw_time_unix(), &l->a);
    }
    if (changed && !l->roots.closed)
        return jw_kept_save(l->memory, &l->roots, err);
    jw_roots_primed(l->memory);
    return true;
}

/* The folder is inside the cache if the cache is a volume, or if others may write to the folder above. */
bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err)
{
    const char *cache = h->look->facts.scope.cache, *above = jw_path_dir(h->run->a, cache);
    struct jw_disk disk, beside;
    struct jw_err why = { 0 };

    if (h->work)
        return true;
    if (!h->lock)
        return jw_state_scratch(h->run->a, &h->work, err);
    return (jw_disk_look(cache, &disk, &why) && jw_disk_look(above, &beside, &why)
            && beside.volume == disk.volume && jw_trust_check_own(above, "folder", h->run->a, &why)
            && jw_scratch_make(above, JW_WORK, h->run->a, &h->work, &why))
           || jw_scratch_make(cache, JW_WORK, h->run->a, &h->work, err);
}

void jw_hold_end(struct jw_hold *h)
{
    jw_scratch_remove(h->work);
    jw_cache_unlock(h->lock);
    h->work = NULL;
    h->lock = NULL;
}
