#include "prime/hold.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/change/prune_remove.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "prime/kept.h"

#include <limits.h>

enum { LOOK_MS = 100, NS_PER_S = 1000000000 };

static bool lock(struct jw_hold *h, struct jw_err *err)
{
    struct jw_run *run = h->run;
    uint64_t end = run->wait_s == UINT_MAX ? UINT64_MAX : run->began + (uint64_t)run->wait_s * NS_PER_S;
    struct jw_lock_holder holder = { 0 };

    if (run->deadline && (run->deadline < end || !run->wait_s)) /* --time-limit limits the wait, too */
        end = run->deadline;
    for (;;) {
        if (!jw_cache_lock(h->memory, &h->lock, &holder, err))
            return false;
        if (h->lock)
            return true;
        if (!jw_not_interrupted(run->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= end)
            return jw_run_end(run, JW_END_BUSY, "%s", jw_lock_holder_text(&holder, h->memory->cache, run->a));
        jw_run_show(run, "waiting for another jitwarm", 0, 0);
        jw_time_sleep_ms(LOOK_MS);
    }
}

static bool repair(struct jw_hold *h, struct jw_err *err)
{
    struct index_repair done;
    struct jw_err why = { 0 };

    if (!prune_repair(h->memory->cache, h->memory, h->run->interrupted, &done, &why)) {
        if (h->removes || why.code == JW_E_INTERRUPTED)
            return jw_pass(err, why);
        JW_NOTE(h->run, "the cache's index could not be rebuilt: %s", why.msg);
        return true;
    }
    if (done.done)
        JW_NOTE(h->run, "the cache's index was damaged (%s): it was rebuilt from %s", done.damage,
                JW_N(done.records, "whole entry", "whole entries"));
    return true;
}

bool jw_hold_begin(struct jw_hold *h, const struct jw_cache_memory *memory, enum jw_level level,
                   struct jw_err *err)
{
    h->memory = memory;
    if (!lock(h, err) || h->run->ended)
        return h->run->ended;
    return level == JW_LEVEL_OPAQUE || repair(h, err);
}

/* The folder is inside the cache if the cache is a volume, or if others may write to the folder above. */
bool jw_hold_make_work(struct jw_hold *h, struct jw_err *err)
{
    struct jw_disk disk, beside;
    struct jw_err why = { 0 };

    if (h->work)
        return true;
    if (!h->lock)
        return jw_state_scratch(h->run->a, &h->work, err);
    const char *cache = h->memory->cache, *above = jw_path_dir(h->run->a, cache);

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

/* ---- the roots ---- */

bool jw_look_name_roots(struct jw_run *run, struct jw_look *l, struct jw_texts paths, struct jw_err *err)
{
    jw_look_load_roots(run, l, true);
    bool changed = l->roots.damaged; /* a new list replaces it */

    for (size_t i = 0; i < paths.n; i++) {
        const char *path;

        if (!jw_root_path(paths.v[i], &l->a, &path, err))
            return jw_wrap(err, "%s", paths.v[i]);
        changed |= jw_roots_name(&l->roots, path, jw_time_unix(), &l->a);
    }
    return !changed || l->roots.closed || jw_kept_save(l->memory, &l->roots, err);
}

/* Does a person call the root so? By its path as it is or as a root has it; a command of one word, and any by its line, as status has it. */
static bool is_called(const struct jw_root *e, const char *what, struct jw_arena *a)
{
    const char *words[] = { what, NULL }, *path;

    if (e->kind == JW_ROOT_COMMAND)
        return jw_root_is_command(e, jw_root_words((struct jw_texts){ words, 1 }, a).v)
               || jw_text_same(jw_command_text(a, e->words, jw_os_is_windows()), what);
    return jw_text_same(e->path, what)
           || (jw_root_path(what, a, &path, JW_IGNORED) && jw_text_same(e->path, path));
}

bool jw_forget(struct jw_run *run, struct jw_texts *words, struct jw_err *err)
{
    const struct jw_cache_memory *f = jw_session_memory(run->session);
    struct jw_arena *a = run->a;
    struct jw_texts missing = { jw_arena_alloc(a, (words->n + 1) * sizeof *missing.v), 0 };
    struct jw_hold hold = { .run = run };
    struct jw_roots roots, all;
    bool ok = jw_hold_begin(&hold, f, JW_LEVEL_OPAQUE, err)
              && (!run->ended || jw_fail(err, JW_E_BUSY, "%s", run->why));

    if (ok) {
        jw_roots_load(f, a, &roots);
        jw_roots_load(f, a, &all); /* also what an earlier word named */
        bool whole = words->n > 1
                     && jw_roots_forget(&roots, &(struct jw_root){ .kind = JW_ROOT_COMMAND,
                                                                   .words = jw_root_words(*words, a).v });

        for (size_t i = 0; !whole && i < words->n; i++) {
            bool any = false;

            for (const struct jw_root *e = all.v; e < all.v + all.n; e++)
                if (is_called(e, words->v[i], a)) {
                    (void)jw_roots_forget(&roots, e);
                    any = true;
                }
            if (!any)
                missing.v[missing.n++] = words->v[i];
        }
        *words = missing;
        ok = (!roots.damaged || jw_fail(err, JW_E_FORMAT, "%s", roots.damaged))
             && (missing.n || jw_kept_save(f, &roots, err));
    }
    jw_hold_end(&hold);
    return ok;
}
