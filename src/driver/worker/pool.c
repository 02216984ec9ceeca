#include "driver/worker/pool.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { TICK_MS = 100 };
#define NS_PER_MS ((uint64_t)1000000)

/* A job that has ended, for the callback. */
struct ended {
    size_t job;
    unsigned slot;
    struct jw_worker_result result;
    char *name; /* the result's; NULL: none */
};

struct pool;

struct slot {
    struct pool *p;
    unsigned number;
    struct jw_thread *thread;
    /* used by the slot's thread alone: */
    struct jw_worker *worker;
};

struct pool {
    const struct jw_pool_options *o;
    struct slot *slots;
    size_t n_slots;
    struct jw_pool_slot_state *shown; /* for `tick`; only the calling thread uses it */
    bool *is_reported;                /* by job; only the calling thread uses it */
    atomic_bool over;                 /* all workers must end */
    struct jw_lock *lock;             /* guards the fields below */
    struct jw_supervisor *sv;
    struct jw_pool_slot_state *states;
    struct ended *results; /* one for each job; `done` was called for the first `n_reported` */
    size_t n_results, n_reported, n_alive;
    bool pressed;
    char why[sizeof((struct jw_err *)0)->msg]; /* why the last worker did not start */
    int code;                                  /* the driver's error of that start */
};

/* ---- a slot's thread ---- */

/* Runs in the slot's thread, before the driver gets a module. */
static void on_started(void *ctx, uint64_t gpu_free, uint64_t gpu_total)
{
    const struct slot *s = ctx;

    jw_lock_take(s->p->lock);
    jw_slot_job_started(s->p->sv, s->number, gpu_free, gpu_total);
    jw_lock_wake_all(s->p->lock);
    jw_lock_drop(s->p->lock);
}

static bool check_driver(const struct jw_worker_driver *driver, struct jw_err *err)
{
    if (driver->init_result == -1)
        return jw_fail(err, JW_E_DRIVER, "%s", driver->init_name);
    return !driver->init_result
           || jw_fail(err, JW_E_DRIVER, "the driver says %s", driver->init_name);
}

static bool start_worker(struct slot *s, const struct jw_device *d, struct jw_err *err)
{
    struct pool *p = s->p;
    struct jw_worker_options o = p->o->worker;

    o.cache_folder = p->o->caches ? p->o->caches[s->number] : p->o->cache;
    o.device = d;
    o.interrupted = &p->over;
    o.started = on_started;
    o.ctx = s;
    if (!jw_worker_start(&s->worker, &o, err) || !check_driver(jw_worker_driver(s->worker), err))
        return false;

    uint64_t memory = jw_worker_memory(s->worker);

    jw_lock_take(p->lock);
    jw_slot_worker_started(p->sv, s->number, memory);
    jw_lock_drop(p->lock);
    return true;
}

static void end_worker(struct slot *s)
{
    if (s->p->o->ending && s->worker)
        s->p->o->ending(s->p->o->ctx);
    jw_worker_stop(s->worker);
    s->worker = NULL;
}

/* The name of a result lives in the worker, or in `err`. */
static void attempt(struct slot *s, const struct jw_slot_action *a, struct jw_worker_result *r,
                    struct jw_err *err)
{
    const struct jw_pool_options *o = s->p->o;
    const struct jw_job *j = &o->plan.jobs[a->job];
    struct jw_load how = {.timeout_ms = o->timeout_ms};

    if (!how.timeout_ms)
        how.timeout_ms = jw_job_timeout_ms(j->seconds);
    if (o->plan.absent_gpus)
        how.sm = j->sm;

    *r = (struct jw_worker_result){.name = ""};
    if (!s->worker && !start_worker(s, &o->plan.devices[a->device], err)) {
        r->outcome = err->code == JW_E_INTERRUPTED ? JW_JOB_TODO : JW_JOB_UNSTARTED;
        return;
    }
    if (!jw_worker_load(s->worker, j->place, &how, r, err))
        r->name = err->msg;
    else if (r->outcome == JW_JOB_UNSTARTED)
        (void)jw_fail(err, JW_E_DRIVER, "the driver makes no context on the GPU: %s", r->name);
}

/* The lock is held. */
static void keep_result(struct slot *s, size_t job, const struct jw_worker_result *r)
{
    struct ended *e = &s->p->results[s->p->n_results++];

    *e = (struct ended){.job = job, .slot = s->number, .result = *r};
    e->name = *r->name ? jw_strdup(r->name) : NULL;
    e->result.name = e->name ? e->name : "";
    e->result.log = "";
}

static void report(struct slot *s, size_t job, const struct jw_worker_result *r,
                   const struct jw_err *err)
{
    struct pool *p = s->p;

    jw_lock_take(p->lock);
    p->states[s->number].busy = false;
    if (r->outcome == JW_JOB_UNSTARTED) {
        (void)snprintf(p->why, sizeof p->why, "%s", err->msg);
        p->code = r->code;
    }
    if (jw_slot_report(p->sv, s->number, r->outcome, r->code, r->memory))
        keep_result(s, job, r);
    jw_lock_wake_all(p->lock);
    jw_lock_drop(p->lock);
}

static void run_action(struct slot *s, const struct jw_slot_action *a)
{
    struct jw_worker_result r;
    struct jw_err err = {0};
    char name[sizeof err.msg]; /* a copy: the worker may own it */

    attempt(s, a, &r, &err);
    if (jw_outcome_ends_worker(r.outcome)) {
        (void)snprintf(name, sizeof name, "%s", r.name);
        r.name = name;
        end_worker(s); /* before the supervisor counts it as gone */
    }
    report(s, a->job, &r, &err);
}

/* Waits for the next action. The lock is held. */
static struct jw_slot_action next(struct slot *s)
{
    struct pool *p = s->p;

    for (;;) {
        const struct jw_supervisor_now now = {
            .ns = jw_time_monotonic_ns(), .pressed = p->pressed, .stop = atomic_load(&p->over)};
        struct jw_slot_action a = jw_slot_ask(p->sv, s->number, &now);

        if (a.act == JW_SLOT_RUN)
            p->states[s->number] = (struct jw_pool_slot_state){true, a.job, now.ns};
        if (a.act != JW_SLOT_WAIT)
            return a;
        jw_lock_wait(p->lock, 0);
    }
}

static void live(void *ctx)
{
    struct slot *s = ctx;
    struct pool *p = s->p;
    struct jw_slot_action a;

    do {
        jw_lock_take(p->lock);
        a = next(s);
        jw_lock_drop(p->lock);
        if (a.act == JW_SLOT_RUN) {
            run_action(s, &a);
            continue;
        }
        end_worker(s);
        jw_lock_take(p->lock);
        jw_slot_worker_ended(p->sv, s->number);
        p->n_alive -= a.act == JW_SLOT_QUIT;
        jw_lock_wake_all(p->lock);
        jw_lock_drop(p->lock);
    } while (a.act != JW_SLOT_QUIT);
}

/* ---- the calling thread ---- */

static void report_result(struct pool *p, const struct ended *e)
{
    p->is_reported[e->job] = true;
    p->o->done(p->o->ctx, e->job, e->slot, &e->result);
    jw_free(e->name);
}

/* Calls `done` for all new results. The lock is released during the callback. */
static void report_results(struct pool *p)
{
    while (p->n_reported < p->n_results) {
        const struct ended *e = &p->results[p->n_reported++];

        jw_lock_drop(p->lock);
        report_result(p, e);
        jw_lock_take(p->lock);
    }
}

static void report_state(struct pool *p)
{
    struct jw_pool_state state = {p->shown, p->n_slots, jw_supervisor_sum(p->sv).left};

    if (!p->o->tick)
        return;
    memcpy(p->shown, p->states, p->n_slots * sizeof *p->shown);
    jw_lock_drop(p->lock);
    p->o->tick(p->o->ctx, &state);
    jw_lock_take(p->lock);
}

static bool is_over(const struct jw_pool_options *o)
{
    return (o->stop && atomic_load(o->stop))
           || (o->plan.deadline_ns && jw_time_monotonic_ns() >= o->plan.deadline_ns);
}

/* Reads the stop flag, the clock and the memory. */
static void look_around(struct pool *p)
{
    bool pressed = p->pressed;

    if (p->o->pressed) {
        jw_lock_drop(p->lock);
        pressed = p->o->pressed(p->o->ctx);
        jw_lock_take(p->lock);
    }
    if (pressed == p->pressed && !is_over(p->o))
        return;
    p->pressed = pressed;
    if (is_over(p->o))
        atomic_store(&p->over, true);
    jw_lock_wake_all(p->lock);
}

static unsigned until(uint64_t then)
{
    uint64_t now = jw_time_monotonic_ns();

    return then > now ? (unsigned)((then - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

static void watch_slots(struct pool *p)
{
    uint64_t next_look = 0;

    jw_lock_take(p->lock);
    while (p->n_alive || p->n_reported < p->n_results) {
        report_results(p);
        if (until(next_look) == 0) {
            next_look = jw_time_after_ms(TICK_MS);
            look_around(p);
            report_state(p);
        }

        unsigned ms = until(next_look);

        if (ms && p->n_alive && p->n_reported == p->n_results)
            jw_lock_wait(p->lock, ms);
    }
    jw_lock_drop(p->lock);
}

static void leave_the_rest(struct pool *p)
{
    for (size_t i = 0; i < p->o->plan.n_run; i++) {
        size_t job = p->o->plan.run ? p->o->plan.run[i] : i;

        if (!p->is_reported[job])
            report_result(
                p, &(struct ended){.job = job, .result = {.outcome = JW_JOB_TODO, .name = ""}});
    }
}

static void make_pool(struct pool *p)
{
    struct jw_supervisor_plan plan = p->o->plan;
    size_t n = plan.n_slots = p->n_slots;

    p->slots = jw_alloc(n * sizeof *p->slots);
    p->shown = jw_alloc(n * sizeof *p->shown);
    p->states = jw_alloc(n * sizeof *p->states);
    p->is_reported = jw_alloc(p->o->n_jobs * sizeof *p->is_reported);
    p->results = jw_alloc(p->o->plan.n_run * sizeof *p->results);
    p->lock = jw_lock_new();
    p->sv = jw_supervisor_new(&plan);
}

static bool start_slots(struct pool *p, struct jw_err *err)
{
    size_t n = 0;

    jw_lock_take(p->lock); /* no thread runs before all are started */
    look_around(p);
    for (size_t i = 0; i < p->n_slots; i++) {
        p->slots[i] = (struct slot){.p = p, .number = (unsigned)i};
        n += jw_thread_start(&p->slots[i].thread, live, &p->slots[i], err);
    }
    p->n_alive = n;
    jw_lock_drop(p->lock);
    return n > 0;
}

static void free_pool(struct pool *p)
{
    for (size_t i = 0; p->slots && i < p->n_slots; i++)
        jw_thread_join(p->slots[i].thread);
    jw_supervisor_free(p->sv);
    jw_lock_free(p->lock);
    jw_free(p->results);
    jw_free(p->is_reported);
    jw_free(p->states);
    jw_free(p->shown);
    jw_free(p->slots);
}

bool jw_pool_run(const struct jw_pool_options *o, struct jw_pool_report *out, struct jw_err *err)
{
    struct pool p = {.o = o};

    *out = (struct jw_pool_report){0};
    p.n_slots = (size_t)jw_min(jw_max(o->max_workers, 1), jw_min(o->plan.n_run, JW_MAX_WORKERS));
    if (!o->plan.n_run)
        return true;

    make_pool(&p);

    bool ok = start_slots(&p, err) || jw_wrap(err, "start a thread");

    if (ok) {
        watch_slots(&p);
        leave_the_rest(&p);
    }
    if (ok && jw_supervisor_sum(p.sv).gave_up) {
        (void)snprintf(out->why_text, sizeof out->why_text,
                       "no worker gets as far as a module: %.340s", p.why);
        out->why = out->why_text;
        out->code = p.code;
    }
    free_pool(&p);
    return ok;
}
