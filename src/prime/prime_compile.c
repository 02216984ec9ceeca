/* Runs the plan: workers compile modules, and their entries are checked and published into the user's cache. */
#include "prime/prime_run.h"

#include "base/path.h"
#include "base/text.h"
#include "driver/worker/supervisor.h"
#include "machine/shell.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "os/machine/memory.h"
#include "os/machine/time.h"

#include <stdio.h>

enum { BEFORE_VARIES = 1, FLUSH_MS = 10 * 1000, LOOK_NS = 500000000 };

/* ---- what the pool is given ---- */

/* Chooses the jobs to compile. Jobs whose entries are only missing in the index are not compiled. */
static void choose_jobs(struct prime_compiling *r)
{
    const struct plan *plan = &r->p->plan;
    struct jw_arena *a = r->p->run->a;
    size_t workers = r->p->plan_workers + 1;

    r->run = jw_arena_alloc(a, (plan->n_todo + 1) * sizeof *r->run);
    r->ended = jw_arena_alloc(a, plan->n_todo + 1);
    r->slots = jw_arena_alloc(a, workers * sizeof *r->slots);
    r->names = jw_arena_alloc(a, workers * sizeof *r->names);
    r->shares = jw_arena_alloc(a, workers * sizeof *r->shares);
    for (size_t i = 0; i < plan->n_todo; i++)
        if (!plan->unindexed[i])
            r->run[r->n_run++] = i;
}

/* From level 3 on each worker has an empty cache. A new file there is the module's entry, and a killed worker
 * damages nothing else. */
static bool make_caches(struct prime_compiling *r, struct jw_err *err)
{
    struct prime *p = r->p;
    char name[16];

    if (p->ctx.driver.probe->state.level < JW_LEVEL_PLACEABLE)
        return true;
    r->caches = jw_arena_alloc(p->run->a, p->plan_workers * sizeof *r->caches);
    for (unsigned i = 0; i < p->plan_workers; i++) {
        (void)snprintf(name, sizeof name, "w%u", i);
        r->caches[i] = jw_path_join(p->run->a, p->ctx.cache.work, name);
        if (!jw_make_private_dir(r->caches[i], err))
            return jw_wrap(err, "%s", r->caches[i]);
    }
    return true;
}

/* ---- memory ---- */

static uint64_t memory_budget(void)
{
    struct jw_memory m = { 0 };
    struct jw_err ignored;

    if (!jw_memory_look("", &m, &ignored))
        return UINT64_MAX;
    return m.available > jw_memory_spare(&m) ? m.available - jw_memory_spare(&m) : 1;
}

static bool pressed(void *ctx)
{
    struct jw_memory m = { 0 };
    struct jw_err ignored;

    (void)ctx;
    return jw_memory_look("", &m, &ignored) && jw_memory_pressed(&m);
}

/* ---- what comes back ---- */

/* Returns NULL where nothing is remembered of modules, because the driver's build is not known or an earlier record
 * could not be written. */
static struct jw_warm_module *recall_module(struct prime_compiling *r, const struct jw_job *j,
                                            struct jw_warm_module *out)
{
    const char *build = r->p->ctx.driver.probe->driver.build;

    if (!r->ok || !build || !*build)
        return NULL;
    *out = jw_warm_recall(r->p->ctx.cache.log, j->id, j->sm, build);
    return out;
}

static void ban(struct prime_compiling *r, struct jw_job *j, const char *why)
{
    struct jw_warm_module room, *m = recall_module(r, j, &room);

    if (!m)
        return;
    j->hopeless = why;
    m->ban = why;
    m->compiler = prime_compiler(&r->p->ctx.driver);
    r->ok = prime_remember(&r->p->ctx, m, &r->err);
}

static void on_refused(struct prime_compiling *r, struct jw_job *j, const struct jw_worker_result *what)
{
    j->code = what->code;
    j->code_name = *what->name ? jw_arena_str(r->p->run->a, what->name) : NULL;
    prime_end_job(r, j, JW_JOB_FAILED, NULL);
}

/* A worker that something else killed says nothing about the module, so the next run tries it again. */
static void on_killed(struct prime_compiling *r, struct jw_job *j, const struct jw_worker_result *what)
{
    char text[200];

    (void)snprintf(text, sizeof text, "its process was killed twice, by a user or for lack of memory: %s",
                   what->name);
    prime_end_job(r, j, JW_JOB_CRASHED, text);
}

static void on_death(struct prime_compiling *r, struct jw_job *j, const struct jw_worker_result *what)
{
    char text[200];

    if (what->outcome == JW_JOB_TIMEOUT)
        (void)snprintf(text, sizeof text, "its limit was %u s (timeout in jitwarm.conf)",
                       what->milliseconds / 1000);
    else
        (void)snprintf(text, sizeof text, "its process ended twice: %s", what->name);
    prime_end_job(r, j, what->outcome, text);
    ban(r, j, j->why);
}

/* Remembers after how long the module was stopped, by the clock: the next plan gives it a longer time limit, and on a busy
 * machine it needs one. */
static void on_stopped(struct prime_compiling *r, struct jw_job *j, unsigned milliseconds)
{
    struct jw_warm_module room, *m = recall_module(r, j, &room);
    double seconds = plan_seconds(j->seconds, milliseconds / 1000.0);

    if (seconds <= j->seconds)
        return;
    j->stopped = milliseconds / 1000.0;
    j->seconds = seconds;
    if (!m)
        return;
    m->stopped = milliseconds;
    r->ok = prime_remember(&r->p->ctx, m, &r->err);
}

/* Remembers refused modules. Called after the driver was asked for its words. */
static void ban_refused(struct prime_compiling *r)
{
    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        struct jw_job *j = &r->p->plan.jobs[i];

        if (j->state == JW_JOB_FAILED && prime_is_refusal(j->code))
            ban(r, j, prime_refusal(j, r->p->run->a));
    }
}

static void on_compiled(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *what)
{
    struct prime_compiling *r = ctx;
    struct jw_job *j = &r->p->plan.jobs[job];

    if (what->outcome == JW_JOB_TODO) {
        on_stopped(r, j, what->milliseconds);
        return;
    }
    j->milliseconds = what->milliseconds;
    r->ended[job] = true;
    if (what->outcome == JW_JOB_LOADED || what->outcome == JW_JOB_FAILED)
        prime_note_time(r, slot, job);
    switch (what->outcome) {
    case JW_JOB_LOADED: prime_collect(r, j, slot); break;
    case JW_JOB_FAILED: on_refused(r, j, what); break;
    case JW_JOB_TIMEOUT: on_death(r, j, what); break;
    case JW_JOB_CRASHED:
        if (!jw_interrupted(r->p->run->interrupted)) /* otherwise the same signal ended the worker */
            on_death(r, j, what);
        break;
    case JW_JOB_KILLED:
        if (!jw_interrupted(r->p->run->interrupted))
            on_killed(r, j, what);
        break;
    default: prime_end_job(r, j, JW_JOB_CHANGED, what->name); break;
    }
}

/* ---- the run ---- */

/* The plan leaves jw_disk_spare free. Half of it is gone only if another program fills the disk. */
bool prime_disk_is_full(struct prime_compiling *r)
{
    const char *cache = r->p->ctx.cache.folder;
    struct jw_disk disk;
    struct jw_err ignored;

    if (!r->full && jw_disk_look(cache, &disk, &ignored) && disk.free < jw_disk_spare(&disk) / 2) {
        r->full =
            jw_arena_printf(r->p->run->a, "the disk of %.200s filled up: %s free", cache, JW_SIZE(disk.free));
        atomic_store(&r->halt, true);
    }
    return r->full;
}

/* A background run stops when the machine is unplugged. Compiled modules stay, and the next run continues. */
static void watch_power(struct prime_compiling *r)
{
    if (!prime_is_background(r->p) || r->waiting || !prime_on_battery(r->p))
        return;
    r->waiting = PRIME_ON_BATTERY;
    atomic_store(&r->halt, true);
}

static void watch_machine(struct prime_compiling *r)
{
    uint64_t now = jw_time_monotonic_ns();

    if (now - r->last_look < LOOK_NS)
        return;
    r->last_look = now;
    watch_power(r);
    (void)prime_disk_is_full(r);
}

static void on_compile_tick(void *ctx, const struct jw_pool_state *s)
{
    struct prime_compiling *r = ctx;

    prime_publish(r);
    watch_machine(r);
    if (jw_interrupted(r->p->run->interrupted) || !r->ok)
        atomic_store(&r->halt, true);
    prime_watch_load(r, s);
    prime_show(r, s);
}

/* Publishes entries that are only missing in the index. Damaged ones are compiled again. */
static void queue_unindexed(struct prime_compiling *r)
{
    for (size_t i = 0; i < r->p->plan.n_todo && !jw_interrupted(r->p->run->interrupted); i++)
        if (r->p->plan.unindexed[i])
            prime_queue(r, &r->p->plan.jobs[i], NULL);
    prime_publish(r);
}

static void begin_compiling(struct prime_compiling *r)
{
    r->progress.total = r->p->plan.n_todo;
    for (size_t i = 0; i < r->p->plan.n_todo; i++)
        r->progress.total_bytes += r->p->plan.jobs[i].module.ptx_bytes;
    prime_begin_rates(r);
    queue_unindexed(r);
}

/* The GPUs of one architecture may fail while others continue. Jobs that were not started get the reason. */
static bool gave_up(struct prime_compiling *r, const char *why)
{
    struct prime *p = r->p;
    const char *kept = jw_arena_str(p->run->a, why);
    bool any = false;

    for (size_t i = 0; i < r->n_run; i++) {
        struct jw_job *j = &p->plan.jobs[r->run[i]];

        any |= j->state == JW_JOB_WARMED;
        if (j->state == JW_JOB_TODO)
            j->why = kept;
    }
    r->gave_up = true;
    if (any || r->n_queue) {
        prime_note(p, "%s", why);
        return true;
    }
    return prime_end(p, JW_END_NO_GPU, "%s", why);
}

static bool run_pool(struct prime_compiling *r, struct jw_err *err)
{
    struct prime *p = r->p;
    struct jw_pool_options o = { .plan = { .jobs = p->plan.jobs,
                                           .run = r->run,
                                           .n_run = r->n_run,
                                           .devices = p->ctx.driver.gpus,
                                           .n_devices = p->out->driver.n_gpus - p->ctx.driver.n_hidden,
                                           .absent_gpus = p->o->absent_gpus,
                                           .unmeasured = !r->recalled,
                                           .memory = memory_budget(),
                                           .deadline_ns = p->run->deadline },
                                 .n_jobs = p->plan.n_jobs,
                                 .timeout_ms = prime_timeout_ms(p),
                                 .max_workers = p->plan_workers,
                                 .caches = r->caches,
                                 .cache = p->ctx.cache.folder,
                                 .worker = { .exe = p->run->session->exe,
                                             .driver = p->run->session->driver,
                                             .eager = true,
                                             .idle = p->o->background && r->caches },
                                 .stop = &r->halt,
                                 .pressed = pressed,
                                 .done = on_compiled,
                                 .tick = on_compile_tick,
                                 .ctx = r };
    struct jw_pool_report report = { 0 };

    r->when = jw_time_unix();
    r->began = jw_time_monotonic_ns();
    p->out->workers = 0;
    if (!r->n_run)
        return true;
    if (!jw_pool_run(&o, &report, err))
        return false;
    p->out->workers = report.peak_workers;
    return !report.why || gave_up(r, report.why);
}

/* Finds a longer time limit where the next one of this length would begin no module. */
static void find_longer_time_limit(struct prime_compiling *r)
{
    struct prime *p = r->p;
    const struct jw_job *least = NULL;
    double before = (double)(r->began - p->run->began) / 1e9, wanted;

    for (size_t i = 0; i < p->plan.n_todo; i++)
        if (p->plan.jobs[i].state == JW_JOB_TODO && (!least || p->plan.jobs[i].seconds < least->seconds))
            least = &p->plan.jobs[i];
    wanted = least ? jw_sv_time_limit(least->seconds) + before : 0;
    if (wanted <= p->o->time_limit_s)
        return;
    p->out->next_seconds = least->seconds;
    p->out->next_limit = plan_round_time_limit(wanted + BEFORE_VARIES);
}

static bool end_in_time(struct prime_compiling *r)
{
    struct jw_prime_report *out = r->p->out;

    find_longer_time_limit(r);
    prime_count_jobs(out);
    if (!out->next_limit)
        return prime_end(r->p, JW_END_TIME, "the time limit is over; the next run continues from there");
    return prime_end(r->p, JW_END_TIME, "%s finished: the %s module needs about %s; use --time-limit %us",
                     JW_NUM(out->counts[JW_JOB_WARMED]), out->counts[JW_JOB_WARMED] ? "next" : "first",
                     JW_CLOCK(out->next_seconds < 1 ? 1 : out->next_seconds + .5), out->next_limit);
}

static void explain_lost(struct prime *p)
{
    uint64_t largest = jw_disk_largest_file();

    if (largest == UINT64_MAX)
        return;
    prime_note(p,
               "no file may become larger than %s here (ulimit -f): the driver stores no larger entry, in "
               "programs neither",
               JW_SIZE(largest));
    prime_advise(p, "%s", jw_shell_then(p->run->a, false, "ulimit -f unlimited", jw_run_again(p->run, NULL)));
}

/* Sets the end of the run if some jobs were not started. */
static bool check_left(struct prime_compiling *r)
{
    struct prime *p = r->p;
    bool left = false, lost = false;

    for (size_t i = 0; i < p->plan.n_todo; i++) {
        left |= p->plan.jobs[i].state == JW_JOB_TODO;
        lost |= p->plan.jobs[i].state == JW_JOB_UNSTORED;
    }
    if (lost)
        explain_lost(p);
    if (r->full && (left || lost) && !p->run->ended)
        return prime_end(p, JW_END_CANNOT_WRITE, "%s", r->full);
    if (p->run->ended || !left || r->gave_up)
        return true;
    if (jw_interrupted(p->run->interrupted))
        return prime_end(p, JW_END_INTERRUPTED, "%s", "");
    if (r->waiting)
        return prime_end(p, JW_END_WAITING, "%s", r->waiting);
    return end_in_time(r);
}

/* The driver may not find an entry that is missing in the index; verify shows it. */
static void flush_publisher(struct prime_compiling *r)
{
    struct jw_err why = { 0 };

    if (!r->ok || !r->publisher || jw_publisher_flush(r->publisher, FLUSH_MS, r->p->run->interrupted, &why))
        return;
    prime_note(
        r->p,
        "the driver may not find what was compiled last, because the cache's index could not be written: %s",
        why.msg);
}

static bool publish_rest(struct prime_compiling *r, struct jw_err *err)
{
    prime_publish(r);
    flush_publisher(r);
    r->ok = r->ok && prime_name_by_content(r, &r->err) && prime_explain_failures(r, &r->err);
    ban_refused(r);
    if (r->ok) {
        prime_learn_rates(r);
        r->ok = jw_warm_sync(r->p->ctx.cache.log, &r->err);
    }
    if (!r->ok)
        *err = r->err;
    return r->ok && check_left(r);
}

/* A folder that other users own or may write to ends the run. */
static bool open_publisher(struct prime_compiling *r)
{
    struct jw_err why = { 0 };

    if (jw_publisher_open(&r->publisher, r->p->ctx.cache.folder, &why))
        return true;
    return prime_end(r->p, JW_END_CANNOT_WRITE, "%s", why.msg);
}

bool prime_compile(struct prime *p, struct jw_err *err)
{
    struct prime_compiling r = { .p = p,
                                 .ok = true,
                                 .progress = { .eta = -1 }, /* no estimate yet */
                                 .room = p->out->cache.limit.bytes > p->out->cache.used
                                             ? p->out->cache.limit.bytes - p->out->cache.used
                                             : 0 };

    if (!p->plan.n_todo)
        return true;
    atomic_init(&r.halt, false);
    bool ok = jw_trust_make(p->ctx.cache.folder, err) || jw_wrap(err, "%s", p->ctx.cache.folder);
    if (ok && p->ctx.driver.probe->state.level >= JW_LEVEL_PREDICTABLE)
        ok = open_publisher(&r);
    if (p->run->ended)
        return true;
    if (ok) {
        begin_compiling(&r);
        choose_jobs(&r);
        ok = make_caches(&r, err) && run_pool(&r, err) && publish_rest(&r, err);
    }
    jw_publisher_close(r.publisher);
    return ok;
}

/* ---- in the report ---- */

#define J struct jw_job
#define R struct jw_prime_report

const struct jw_row prime_job_end_rows[] = {
    { JW_NAMED("state", J, state, jw_outcome_names) },
    { JW_ROW("milliseconds", J, milliseconds) },
    { JW_ROW("code", J, code), JW_IF(J, code), JW_NULLABLE, JW_ABOUT("the driver's CUresult") },
    { JW_ROW("code_name", J, code_name), JW_NULLABLE },
    { JW_ROW("why", J, why), JW_NULLABLE },
    { 0 },
};

const struct jw_row prime_compile_rows[] = {
    { JW_ROW("next_limit_seconds", R, next_limit), JW_IF(R, next_limit),
      JW_ABOUT("a shorter time limit gets no further; absent: this one does") },
    { 0 },
};
