#include "prime/hold.h"

#include "cache/change/index_repair.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/dir.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

enum { LOOK_MS = 100 };

bool jw_hold_lock(struct jw_hold *h, const struct jw_cache_memory *memory, struct jw_err *err)
{
    struct jw_run *run = h->run;
    struct jw_lock_holder holder = {0};

    h->memory = memory;
    for (;;) {
        if (!jw_cache_lock(h->memory, &h->lock, &holder, err))
            return false;
        if (h->lock)
            return true;
        if (!jw_not_interrupted(run->interrupted, err))
            return false;
        if (run->deadline ? jw_time_monotonic_ns() >= run->deadline : run->no_wait)
            return jw_run_end(run, JW_END_BUSY, "%s",
                              jw_lock_holder_text(&holder, h->memory->cache, run->a));
        const struct jw_words who =
            jw_phrase("waiting for another jitwarm (process %lu)", holder.pid);
        const struct jw_progress now = {.at = holder.pid ? who.text : "waiting for another jitwarm",
                                        .seconds = jw_time_since(run->began)};
        if (run->progress)
            run->progress(run->ctx, &now);
        jw_time_sleep_ms(LOOK_MS);
    }
}

bool jw_hold_repair(struct jw_hold *h, struct jw_err *err)
{
    struct index_repair done;
    struct jw_err why = {0};

    if (h->run->ended)
        return true;
    if (!index_repair_at(h->memory->cache, h->run->interrupted, &done, &why)) {
        if (why.code == JW_E_INTERRUPTED)
            return jw_pass(err, why);
        JW_NOTE(h->run, "the cache's index could not be rebuilt: %s", why.msg);
        return true;
    }
    if (done.done)
        JW_NOTE(h->run, "the cache's index was damaged (%s): it was rebuilt from %s", done.damage,
                JW_N(done.records, "whole entry", "whole entries"));
    return true;
}

bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err)
{
    if (h->work)
        return true;
    if (!h->lock)
        return jw_state_scratch(h->run->a, &h->work, err);
    return (jw_trust_make(h->memory->cache, err) || jw_wrap(err, "%s", h->memory->cache))
           && (jw_scratch_make(h->memory->cache, JW_WORK_FOLDER, h->run->a, &h->work, err)
               || (!jw_may_use(h->memory->cache, JW_FILE_DIR)
                   && jw_fail(err, JW_E_IO,
                              "%.300s: this user may make no folder in it (chmod u+w)",
                              h->memory->cache)));
}

void jw_hold_end(struct jw_hold *h)
{
    jw_scratch_remove(h->work);
    jw_cache_unlock(h->lock);
    h->work = NULL;
    h->lock = NULL;
}
