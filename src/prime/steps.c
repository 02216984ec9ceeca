#include "prime/steps.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/change/prune_remove.h"
#include "cache/place/listing.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "prime/compile.h"
#include "prime/look_work.h"

#include <limits.h>

#define WORK "jitwarm-work" /* the name of jitwarm's folder beside the cache begins so */

enum { STATUS_NS = 500000000, LOOK_MS = 100, STORING_MS = 3000, NS_PER_S = 1000000000 };

/* ---- while it runs ---- */

void prime_show_progress(struct prime *p, const struct jw_prime_progress *now)
{
    static const char *const phases[] = { [JW_PHASE_LOOK] = "looking for CUDA code",
                                          [JW_PHASE_ASK_DRIVER] = "asking the driver",
                                          [JW_PHASE_COMPILE] = "compiling",
                                          [JW_PHASE_VERIFY] = "verifying" };
    uint64_t at = jw_time_monotonic_ns();
    struct jw_err ignored = { 0 };

    if (p->run->progress)
        p->run->progress(p->run->ctx, &(struct jw_progress){ .what = phases[now->phase], .prime = now });
    if (!p->lock || at - p->status_at < STATUS_NS)
        return;
    p->status_at = at;
    (void)!jw_cache_lock_write_progress(p->lock, now, &ignored);
}

void prime_notify(const struct jw_run *run, enum jw_prime_phase phase, const char *at)
{
    const struct jw_prime_progress now = { .phase = phase, .at = at, .eta = -1 };

    if (run->progress)
        run->progress(run->ctx, &(struct jw_progress){ .what = "watching the command", .prime = &now });
}

/* ---- scope, lock, repair, roots ---- */

static unsigned who_asks(const struct jw_prime_options *o)
{
    return o->check || o->dry_run ? JW_ASKS_LOOK : o->verify ? JW_ASKS_VERIFY : JW_ASKS_PRIME;
}

bool prime_scope(struct prime *p, struct jw_err *err)
{
    if (prime_on_battery(p))
        return prime_end(p, JW_END_WAITING, "%s", PRIME_ON_BATTERY);
    bool ok = jw_look_scope(p->run, &p->want, p->out->who, p->look, err);

    p->out->stopped = p->look->stopped;
    return ok;
}

/* Can no other user write there? Such a user could replace jitwarm's folder. */
static bool is_private(struct prime *p, const char *folder)
{
    struct jw_trust t;
    struct jw_err ignored;

    return jw_trust_read(folder, p->run->a, &t, &ignored) && jw_trust_own(&t, &ignored);
}

/* Removes the work folders of killed runs. */
static void sweep(struct prime *p)
{
    const char *cache = p->look->scope.cache, *above = jw_path_dir(p->run->a, cache);

    if (is_private(p, above))
        jw_scratch_sweep(above, WORK);
    if (is_private(p, cache))
        jw_scratch_sweep(cache, WORK);
}

bool prime_lock(struct prime *p, struct jw_err *err)
{
    uint64_t end = p->o->wait_s == UINT_MAX ? UINT64_MAX : p->run->began + (uint64_t)p->o->wait_s * NS_PER_S;
    struct jw_lock_holder holder = { 0 };

    if (p->run->deadline && (p->run->deadline < end || !p->o->wait_s)) /* who gives it time lets it wait */
        end = p->run->deadline;
    for (;;) {
        if (!jw_cache_lock(&p->look->memory, &p->lock, &holder, err))
            return false;
        if (p->lock)
            break;
        if (!jw_not_interrupted(p->run->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= end)
            return prime_end(p, JW_END_BUSY, "%s",
                             jw_lock_holder_text(&holder, p->look->scope.cache, p->run->a));
        jw_time_sleep_ms(LOOK_MS);
    }
    sweep(p);
    return true;
}

bool prime_repair(struct prime *p, struct jw_err *err)
{
    struct index_repair done;
    struct jw_err why = { 0 };

    if (!prune_repair(p->look->scope.cache, &p->look->memory, p->run->interrupted, &done, &why)) {
        if (why.code == JW_E_INTERRUPTED)
            *err = why;
        else
            prime_note(p, "the cache's index could not be rebuilt: %s", why.msg);
        return why.code != JW_E_INTERRUPTED;
    }
    if (done.done)
        prime_note(p, "the cache's index was damaged (%s): it was rebuilt from %s", done.damage,
                   JW_N(done.records, "whole entry", "whole entries"));
    return true;
}

void prime_load_roots(struct prime *p)
{
    struct jw_look *l = p->look;

    jw_roots_load(&l->memory, &l->a, &l->roots);
    if (l->roots.damaged)
        prime_note(p, "what was named and recorded before is lost: %s", l->roots.damaged);
}

/* Before anything is compiled, so that a killed run needs no other record, and after the look, which refuses what holds no code. */
bool prime_roots(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;
    bool changed = false;

    if (!p->o->paths.n)
        return true;
    prime_load_roots(p);
    for (size_t i = 0; i < p->o->paths.n; i++) {
        const char *path;

        if (!jw_root_path(p->o->paths.items[i], &l->a, &path, err))
            return jw_wrap(err, "%s", p->o->paths.items[i]);
        if (jw_is_absent(path))
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", p->o->paths.items[i]);
        changed |= jw_roots_name(&l->roots, path, jw_time_unix(), &l->a);
    }
    return !changed || jw_roots_save(&l->memory, &l->roots, err);
}

/* ---- look, plan ---- */

/* A program that stores keeps the index locked for a moment: who changes the cache waits for it, who looks says what a driver would
 * find now. */
static bool wait_for_index(struct prime *p)
{
    const char *why = NULL;

    for (unsigned tries = p->lock ? 1 + STORING_MS / LOOK_MS : 0; tries; tries--) {
        why = jw_cache_why_unreadable(p->look->scope.cache, p->run->a);
        if (!why)
            break;
        jw_time_sleep_ms(LOOK_MS);
    }
    return !why || prime_end(p, JW_END_CANNOT_WRITE, "%s", why);
}

static bool names_wheel(const struct jw_texts *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (jw_text_ends(paths->items[i], ".whl"))
            return true;
    return false;
}

bool prime_look(struct prime *p, struct jw_err *err)
{
    if (!wait_for_index(p) || p->run->ended)
        return p->run->ended;
    if (p->lock && names_wheel(&p->o->paths)) {
        if (!prime_make_work(p, err))
            return false;
        p->want.spool = p->work;
    }
    if (!jw_look(p->run, &p->want, p->look, err))
        return false;
    if (p->look->cache.refusal)
        return prime_end(p, JW_END_CANNOT_WRITE, "%s", p->look->cache.refusal);
    if (p->o->check)
        return prime_end(p, p->look->answer.is == JW_WARM ? JW_END_NOTHING : JW_END_PARTLY, "%s", "");
    return true;
}

/* driver-fact: F47-processes-scale. Below level 2 one worker runs, in the user's cache: the driver decides what it compiles. */
static unsigned choose_workers(const struct prime *p)
{
    unsigned n = p->o->jobs ? p->o->jobs : (jw_cpu_count() + 1) / 2;

    return p->look->scope.level < JW_LEVEL_PREDICTABLE || !n ? 1 : n;
}

bool prime_plan(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;

    (void)err;
    compile_recall_rates(p);
    const struct plan_input in = { .jobs = l->jobs,
                                   .n_jobs = l->n_jobs,
                                   .rates = p->rates,
                                   .n_rates = p->n_rates,
                                   .limit = l->scope.limit,
                                   .taken = l->scope.used,
                                   .disk = prime_free_disk(p),
                                   .workers = choose_workers(p) };

    plan_make(&in, p->run->a, &p->plan);
    p->out->workers = in.workers;
    p->out->need = p->plan.need;
    p->out->seconds = p->plan.seconds;
    p->out->lazy = p->plan.lazy;
    jw_look_answer(l);
    l->facts->need = l->scope.used + p->plan.need;
    l->facts->lack = p->plan.need;
    p->out->stopped = p->plan.n_todo ? jw_cause_that_stops(l->facts, p->out->who) : NULL;
    if (p->out->stopped)
        return prime_end(p, p->out->stopped->end, "%s", "");
    if (p->o->dry_run)
        return prime_end(p,
                         l->answer.is == JW_WARM ? JW_END_NOTHING
                         : p->plan.n_todo        ? JW_END_DONE
                                                 : JW_END_PARTLY,
                         "%s", "");
    return p->plan.n_todo || prime_end(p, l->answer.is == JW_WARM ? JW_END_NOTHING : JW_END_PARTLY, "%s", "");
}

/* ---- what compiling needs ---- */

bool prime_ask_driver(struct prime *p, struct jw_err *err)
{
    const char *why;

    if (!jw_session_driver_for(p->run->session, p->want.absent_gpus ? p->look->scope.sms[0] : 0, NULL, NULL,
                               &p->driver, err))
        return false;
    why = jw_probe_why_unusable(p->driver);
    why = why ? why : p->driver->cannot_compile;
    return !why || prime_end(p, JW_END_NO_GPU, "%s", why);
}

/* Beside the cache, or inside it if the cache is a volume or others may write to the folder above. */
bool prime_make_work(struct prime *p, struct jw_err *err)
{
    const char *cache = p->look->scope.cache, *above = jw_path_dir(p->run->a, cache);
    struct jw_disk disk, beside;
    struct jw_err why = { 0 };

    if (p->work)
        return true;
    return (jw_disk_look(cache, &disk, &why) && jw_disk_look(above, &beside, &why)
            && beside.volume == disk.volume && is_private(p, above)
            && jw_scratch_make(above, WORK, p->run->a, &p->work, &why))
           || jw_scratch_make(cache, WORK, p->run->a, &p->work, err);
}

/* ---- again, prove, save ---- */

/* What was compiled counts where a driver that opens the cache now finds it. What is found was checked before it was published, so the
 * next look need not read it. */
static bool prime_look_again(struct prime *p, struct jw_err *err)
{
    struct jw_look *l = p->look;

    if (!wait_for_index(p) || !look_again(l, err))
        return false;
    if (!p->run->ended && l->cache.refusal)
        return prime_end(p, JW_END_CANNOT_WRITE, "%s", l->cache.refusal);
    return true;
}

bool prime_prove(struct prime *p, struct jw_err *err)
{
    if (p->look->n_entries && !p->work && !jw_state_scratch(JW_STATE_DRY_RUN, p->run->a, &p->work, err))
        return false;
    return jw_prove(p->run, p->look, p->work, &p->out->verify, err);
}

/* How a run ends that came to its end. */
static bool prime_judge(struct prime *p, struct jw_err *err)
{
    (void)err;
    p->run->end = p->look->answer.is != JW_WARM ? JW_END_PARTLY
                  : p->out->verify.done         ? JW_END_DONE
                                                : JW_END_NOTHING;
    return true;
}

bool prime_save(struct prime *p, struct jw_err *err)
{
    struct jw_err ignored = { 0 };

    (void)!jw_bans_save(&p->look->memory, &p->look->bans, &ignored);
    return prime_judge(p, err);
}

/* ---- the lists ---- */

typedef bool step(struct prime *p, struct jw_err *err);

static step *const verify[] = { prime_scope, prime_look, prime_prove, prime_judge, NULL };
static step *const check[] = { prime_scope, prime_look, NULL };
static step *const dry_run[] = { prime_scope, prime_look, prime_plan, NULL };
static step *const files[] = { prime_scope,      prime_lock,  prime_repair,  prime_look,
                               prime_roots,      prime_plan,  prime_consent, prime_compile,
                               prime_look_again, prime_prove, prime_save,    NULL };
static step *const command[] = { prime_scope,      prime_lock,  prime_repair,  prime_record,
                                 prime_look,       prime_plan,  prime_consent, prime_compile,
                                 prime_look_again, prime_prove, prime_save,    NULL };

static step *const *choose(const struct jw_prime_options *o)
{
    return o->verify                  ? verify
           : o->check                 ? check
           : o->dry_run               ? dry_run
           : o->run.n && !o->recorded ? command
                                      : files;
}

struct steps {
    struct prime *p;
    step *const *list;
};

static bool make(void *of, size_t at, struct jw_err *err)
{
    const struct steps *s = of;

    return s->list[at](s->p, err);
}

static void finish(struct prime *p)
{
    struct jw_prime_report *r = p->out;

    r->jobs = p->look->jobs;
    r->n_jobs = p->look->n_jobs;
    r->answer = p->look->answer;
    for (size_t i = 0; i < r->n_jobs; i++) {
        r->counts[r->jobs[i].state]++;
        r->warmed_bytes += r->jobs[i].state == JW_JOB_WARMED ? r->jobs[i].entry_bytes : 0;
    }
    p->run->milliseconds = (jw_time_monotonic_ns() - p->run->began) / 1000000;
}

bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_err *err)
{
    struct prime p = { .o = o,
                       .out = out,
                       .run = run,
                       .want = { .paths = o->paths,
                                 .gpus = o->gpus,
                                 .absent_gpus = o->absent_gpus,
                                 .all = o->all,
                                 .trusted_only = o->trusted_only,
                                 .retry = o->retry,
                                 .as_root = o->as_root },
                       .look = jw_alloc(sizeof *p.look) };
    struct steps s = { &p, choose(o) };
    struct jw_steps steps = { .make = make };

    *out = (struct jw_prime_report){ .run = run, .who = who_asks(o), .look = p.look };
    if (o->run.n)
        p.want.command = o->run;
    run->a = &p.look->a;
    jw_run_begin(run);
    run->deadline = o->time_limit_s ? run->began + (uint64_t)o->time_limit_s * NS_PER_S : 0;
    if (o->yes || o->background)
        run->ask = NULL;
    while (s.list[steps.n])
        steps.n++;
    bool ok = jw_run_steps(run, &steps, &s, err);

    finish(&p);
    jw_scratch_remove(p.work);
    jw_cache_unlock(p.lock);
    jw_session_changed(run->session);
    return ok;
}

void jw_prime_free(struct jw_prime_report *r)
{
    if (!r->look)
        return;
    jw_look_free(r->look);
    jw_free(r->look);
    r->look = NULL;
}
