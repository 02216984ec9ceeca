/* Runs the plan: workers compile modules, and their entries are checked and published into the
 * user's cache. */
#include "prime/compile.h"

#include "base/path.h"
#include "facts/compile_time.h"
#include "facts/gpus.h"
#include "os/files/scratch.h"
#include "os/machine/memory.h"
#include "os/machine/time.h"
#include "prime/look_work.h"

#include <math.h>

enum { LOOK_NS = 500000000 };

/* ---- the pool's jobs and caches ---- */

/* From level 3 on each worker has an empty cache: a new file there is the module's entry, and a
 * killed worker damages nothing else. */
static bool make_caches(struct compiling *r, struct jw_err *err)
{
    struct jw_prime *p = r->p;

    if (p->look->scope.level < JW_LEVEL_PLACEABLE)
        return true;
    r->caches = jw_arena_alloc(p->run->a, p->plan.workers * sizeof *r->caches);
    for (unsigned i = 0; i < p->plan.workers; i++) {
        r->caches[i] = jw_path_join(p->run->a, p->hold.work, JW_PHRASE("w%u", i));
        if (!jw_make_private_dir(r->caches[i], err))
            return jw_wrap(err, "%s", r->caches[i]);
    }
    return true;
}

static uint64_t memory_budget(void)
{
    struct jw_memory m = {0};

    if (!jw_memory_look("", &m))
        return UINT64_MAX;
    return m.available > jw_memory_spare(&m) ? m.available - jw_memory_spare(&m) : 1;
}

static bool pressed(void *ctx)
{
    struct jw_memory m = {0};

    (void)ctx;
    return jw_memory_look("", &m) && jw_memory_pressed(&m);
}

/* ---- results ---- */

void compile_end_job(struct compiling *r, struct jw_job *j, enum jw_standing is, const char *why)
{
    jw_job_becomes(j, is, why ? jw_arena_str(r->p->run->a, why) : NULL);
    if (jw_job_is_warm(j))
        compile_ban(r, j);
    r->progress.done += jw_job_is_warm(j);
    r->progress.failed += !jw_job_is_warm(j);
    compile_show(r, NULL);
}

/* A worker that was killed from outside says nothing about its module, which the next run tries
 * again. */
static void on_death(struct compiling *r, struct jw_job *j, const struct jw_worker_result *what)
{
    bool killed = what->outcome == JW_JOB_KILLED;
    const char *how = killed ? "was killed twice, by a user or for lack of memory" : "ended twice";

    if (what->outcome == JW_JOB_TIMEOUT)
        compile_end_job(r, j, JW_MODULE_COLD,
                        JW_PHRASE("the driver did not end within %u s", what->milliseconds / 1000));
    else
        compile_end_job(r, j, JW_MODULE_COLD, JW_PHRASE("its process %s: %s", how, what->name));
    if (!killed)
        compile_ban(r, j);
}

/* Remembers after which time by the clock the module was stopped. Only a longer time limit begins
 * it again. */
static void on_stopped(struct compiling *r, struct jw_job *j, unsigned milliseconds)
{
    if (milliseconds / 1000.0 <= j->stopped)
        return;
    j->stopped = milliseconds / 1000.0;
    j->seconds = plan_seconds(j->seconds, j->stopped);
    compile_ban(r, j);
}

static void on_compiled(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *what)
{
    struct compiling *r = ctx;
    struct jw_job *j = &r->jobs[job];
    bool interrupted =
        jw_interrupted(r->p->run->interrupted); /* the same signal may have ended the worker */

    if (what->outcome == JW_JOB_TODO)
        on_stopped(r, j, what->milliseconds);
    if (what->outcome == JW_JOB_TODO || (interrupted && what->outcome >= JW_JOB_CRASHED))
        return;
    j->ended = what->outcome;
    j->milliseconds = what->milliseconds;
    j->code = what->code;
    if (j->ended == JW_JOB_LOADED || j->ended == JW_JOB_FAILED)
        compile_note_time(r, j);
    if (j->ended == JW_JOB_LOADED)
        compile_collect(r, j, slot);
    else if (j->ended >= JW_JOB_TIMEOUT)
        on_death(r, j, what);
    else
        compile_end_job(r, j, JW_MODULE_COLD,
                        j->ended == JW_JOB_CHANGED && j->place->disk ? what->name : NULL);
}

/* ---- the run ---- */

/* Ends the run soon, for this reason; the first reason counts. */
static void halt(struct compiling *r, enum jw_end end, const char *why)
{
    if (!atomic_load(&r->halt)) {
        r->halted = end;
        r->why = why;
    }
    atomic_store(&r->halt, true);
}

/* The plan leaves jw_spare of the disk free. If half of that is gone, another program is filling
 * the disk. */
bool compile_disk_is_full(struct compiling *r)
{
    struct jw_look *look = r->p->look;

    look_cache_measure_disk(look);
    bool full = look->seen.free_bytes < look->machine->cache.spare / 2;

    if (full)
        halt(r, JW_END_CANNOT_WRITE, "the disk filled up"); /* a cause says how much is free */
    return full;
}

/* Asks once more, if compiling takes longer than was agreed to. Modules that are compiled by then
 * stay in any case. */
static void ask_again(struct compiling *r)
{
    struct jw_prime *p = r->p;
    bool known = r->pace.measured >= PACE_KNOWN || r->progress.seconds >= PACE_LONG_S;
    enum jw_end end;

    if (atomic_load(&r->halt) || !known || !prime_is_long(p, r->progress.eta))
        return;
    p->agreed = INFINITY;
    const char *what = jw_arena_printf(p->run->a, "compiling takes longer than estimated, %s more",
                                       jw_compile_words(r->progress.eta).text);
    const char *why = prime_ask(p, what, true, &end);

    if (why)
        halt(r, end, why);
}

static void on_compile_tick(void *ctx, const struct jw_pool_state *s)
{
    struct compiling *r = ctx;
    uint64_t now = jw_time_monotonic_ns();

    compile_publish(r);
    compile_save_bans(r);
    if (now - r->last_look >= LOOK_NS) {
        r->last_look = now;
        (void)compile_disk_is_full(r);
    }
    if (jw_interrupted(r->p->run->interrupted))
        halt(r, JW_END_INTERRUPTED, "");
    if (!r->ok)
        atomic_store(&r->halt, true);
    compile_show(r, s);
    ask_again(r);
}

/* Did workers start on no GPU of some architecture? Others may have gone on. Jobs that were not
 * started get the reason. */
static bool gave_up(struct compiling *r, const struct jw_pool_report *pool)
{
    const char *kept = jw_arena_str(r->p->run->a, pool->why);
    bool any = r->n_queue > 0;

    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        struct jw_job *j = &r->jobs[i];

        any |= jw_job_is_compiled(j);
        if (jw_job_is_todo(j))
            j->why = kept;
    }
    r->gave_up = true;
    if (!any)
        return jw_end_unopened(r->p->run, r->p->look, pool);
    JW_NOTE(r->p->run, "%s", kept);
    return true;
}

/* The open GPUs for whose architecture this run compiles. Only a worker can find out whether a GPU
 * takes work. */
static const struct jw_device *choose_devices(const struct jw_prime *p, size_t *n)
{
    const struct jw_scope *scope = &p->look->scope;
    struct jw_device *list = jw_arena_alloc(p->run->a, (p->probe->n_devices + 1) * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < p->probe->n_devices; i++) {
        const struct jw_device *g = &p->probe->devices[i];

        if (jw_device_is_open(g) && (scope->absent || jw_sms_have(&scope->sms, g->sm)))
            list[(*n)++] = *g;
    }
    return list;
}

static bool run_pool(struct compiling *r, struct jw_err *err)
{
    struct jw_prime *p = r->p;
    struct jw_pool_options o = {.plan = {.jobs = r->jobs,
                                         .n_run = p->plan.n_todo,
                                         .absent_gpus = p->look->scope.absent,
                                         .memory = memory_budget(),
                                         .deadline_ns = p->run->deadline},
                                .n_jobs = p->look->n_jobs,
                                .timeout_ms = jw_session_config(p->run->session)->timeout_s * 1000,
                                .max_workers = p->plan.workers,
                                .caches = r->caches,
                                .cache = p->look->scope.cache,
                                .worker = jw_session_worker(p->run->session),
                                .stop = &r->halt,
                                .pressed = pressed,
                                .done = on_compiled,
                                .tick = on_compile_tick,
                                .ctx = r};
    struct jw_pool_report report = {0};

    /* a worker in the user's own cache locks the index, for which programs wait */
    o.worker.priority = p->o.background && r->caches ? JW_PRIORITY_IDLE : JW_PRIORITY_BEHIND;
    o.plan.devices = choose_devices(p, &o.plan.n_devices);
    return jw_pool_run(&o, &report, err) && (!report.why || gave_up(r, &report));
}

/* ---- the end ---- */

/* Sets the end of the run if jobs were left out. */
static bool check_left(struct compiling *r)
{
    bool left = false;
    bool lost = false;
    bool fits = false; /* would another run with this time limit begin one? */

    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        left |= jw_job_is_todo(&r->jobs[i]);
        fits |= jw_job_is_todo(&r->jobs[i])
                && jw_job_time_limit(r->jobs[i].stopped) < r->p->o.time_limit_s;
        lost |= jw_job_is_unstored(&r->jobs[i]);
    }
    if (r->p->run->ended || (!left && !lost) || r->gave_up)
        return true;
    if (jw_interrupted(r->p->run->interrupted)) /* Ctrl-C may come before the first tick */
        halt(r, JW_END_INTERRUPTED, "");
    if (atomic_load(&r->halt))
        return jw_run_end(r->p->run, r->halted, "%s", r->why);
    return !left || !r->p->run->deadline
           || jw_run_end(r->p->run, JW_END_TIME, "%s",
                         fits ? "the time limit is over"
                              : "each module that is left takes longer than the time limit");
}

/* Publishes what is left, with its records in the index. driver-fact: F28-index-needed */
static void flush_publisher(struct compiling *r)
{
    struct jw_err why = {0};

    if (!r->ok || !r->publisher
        || jw_publisher_flush(r->publisher, JW_PUBLISH_PATIENCE_MS, r->p->run->interrupted, &why))
        return;
    JW_NOTE(r->p->run,
            "the cache's index could not be written, so what was compiled last may not count: %s",
            why.msg);
}

static bool compile_all(struct compiling *r, struct jw_err *err)
{
    r->progress.total = r->p->plan.n_todo;
    /* PTX that only entries or wheels have is written into files that workers can read */
    if (!spool_jobs(r->p->run, r->p->look, r->p->hold.work, jw_job_is_todo, err)
        || !make_caches(r, err))
        return false;
    if (!run_pool(r, err))
        return false;
    compile_publish(r);
    flush_publisher(r);
    r->ok = r->ok && compile_explain(r, &r->err);
    compile_keep_pace(r);
    return (r->ok || jw_pass(err, r->err)) && check_left(r);
}

bool prime_compile(struct jw_prime *p, struct jw_err *err)
{
    const struct jw_scope *scope = &p->look->scope;
    struct compiling r = {.p = p,
                          .jobs = p->look->jobs,
                          .ok = true,
                          .pace = pace_of(p->look->slowness, p->plan.seconds * p->plan.workers),
                          .progress = {.eta = -1} /* no estimate yet */};

    if (!p->plan.n_todo)
        return true;
    if (!jw_scope_ask_driver(p->run, p->look, JW_STRICT, &p->probe, err))
        return false;
    if (p->run->ended)
        return true;
    atomic_init(&r.halt, false);
    bool ok = jw_hold_make_work(&p->hold, err)
              && (scope->level < JW_LEVEL_PREDICTABLE
                  || jw_publisher_open(&r.publisher, scope->cache, err))
              && compile_all(&r, err);

    compile_save_bans(&r);
    jw_publisher_close(r.publisher);
    if (ok && p->run->ended) /* no later step looks again */
        return look_cache_judge(p->run, p->look, err);
    return ok;
}
