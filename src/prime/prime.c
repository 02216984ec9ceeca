#include "prime/commands/command.h"

#include "base/mem.h"
#include "base/num.h"
#include "cache/memory/spell.h"
#include "driver/probe/preloaded.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <limits.h>
#include <string.h>

enum { STATUS_NS = 500000000 };

struct jw_prime_memory {
    struct jw_arena arena;
    struct scan_jobs found, of_command;
};

void prime_close_cache(struct prime_cache *c)
{
    jw_cache_listing_free(&c->listing);
    jw_scratch_remove(c->work);
    jw_warm_close(c->log);
}

/* ---- while it runs ---- */

unsigned prime_timeout_ms(const struct prime *p)
{
    return (unsigned)jw_min((uint64_t)p->o->timeout_s * 1000, UINT_MAX);
}

void prime_show_progress(const struct jw_run *run, const struct jw_prime_progress *p)
{
    static const char *const phases[] = { [JW_PHASE_LOOK] = "searching for CUDA software",
                                          [JW_PHASE_ASK_DRIVER] = "asking the driver",
                                          [JW_PHASE_COMPILE] = "compiling",
                                          [JW_PHASE_VERIFY] = "verifying" };

    if (run->progress)
        run->progress(run->ctx, &(struct jw_progress){ .what = phases[p->phase], .prime = p });
}

void prime_notify(const struct jw_run *run, enum jw_prime_phase phase, const char *at)
{
    struct jw_prime_progress what = {
        .phase = phase, .at = at, .eta = -1, .seconds = (double)(jw_time_monotonic_ns() - run->began) / 1e9
    };

    prime_show_progress(run, &what);
}

void prime_write_status(struct prime_cache *c, const struct jw_prime_progress *progress)
{
    struct jw_err ignored;
    uint64_t now = jw_time_monotonic_ns();

    if (!c->log || now - c->last_status < STATUS_NS)
        return;
    c->last_status = now;
    (void)jw_warm_write_progress(c->log, progress, &ignored);
}

/* ---- the run ---- */

/* In which runs a step is made. */
enum { PRIME = 1, PLAN = 2, VERIFY = 4, WATCH = 8, RECORD = 16, BEGIN = 32, LOOK = PRIME | PLAN | VERIFY };

static const struct step {
    unsigned in;
    bool (*shared)(struct run_ctx *h, struct jw_err *err); /* shared with import */
    bool (*step)(struct prime *p, struct jw_err *err);
} steps[] = {
    { PRIME | BEGIN, .shared = prime_check_user },
    { LOOK | WATCH | RECORD | BEGIN, .shared = prime_check_variables },
    { LOOK | RECORD, .step = prime_recall_command },
    { LOOK | WATCH | RECORD | BEGIN, .shared = prime_find_cache },
    { LOOK, .step = prime_check_recalled },
    { LOOK | RECORD | BEGIN, .shared = prime_check_lookup },
    { BEGIN, .shared = prime_check_free },
    { BEGIN, .shared = prime_check_state },
    { WATCH, .step = prime_watch },
    { PLAN | VERIFY, .shared = prime_begin_login },
    { LOOK, .step = prime_choose_paths },
    { PRIME, .shared = prime_take_lock },
    { PRIME, .shared = prime_sweep_work },
    { PRIME, .step = prime_check_receipt },
    { PRIME, .step = prime_keep_asked },
    { PRIME, .step = prime_wait_power },
    { PLAN | VERIFY, .shared = prime_begin_driver },
    { LOOK, .shared = prime_ask_login },
    { LOOK, .step = prime_choose_of_login },
    { LOOK | RECORD, .shared = prime_ask_driver },
    { LOOK, .step = prime_take_login_gpus },
    { PRIME, .step = prime_check_receipt_again },
    { VERIFY, .step = prime_begin_proof },
    { LOOK, .shared = prime_make_work },
    { PRIME | RECORD, .step = prime_record_command },
    { LOOK, .step = prime_look },
    { PRIME, .step = prime_ask_first },
    { PRIME, .step = prime_check_open },
    { PRIME | PLAN, .step = prime_consent },
    { PRIME, .step = prime_keep_origins },
    { PRIME, .step = prime_keep_begun },
    { PRIME, .step = prime_compile },
    { PRIME, .step = prime_keep_made },
    { PRIME, .step = prime_keep_shared },
    { PRIME | VERIFY, .step = prime_verify },
    { PRIME, .step = prime_record_again },
    { PRIME, .step = prime_keep_receipt },
    { VERIFY, .step = prime_keep_proof },
};

static unsigned run_kind(const struct jw_prime_options *o)
{
    return o->begin_only     ? BEGIN
           : o->record       ? RECORD
           : o->dry_run      ? PLAN
           : !o->verify_only ? PRIME
           : o->run          ? WATCH
                             : VERIFY;
}

static bool prime_step(void *of, size_t at, struct jw_err *err)
{
    struct prime *p = of;
    const struct step *s = &steps[at];

    if (!(s->in & run_kind(p->o)))
        return true;
    return s->step ? s->step(p, err) : s->shared(&p->ctx, err);
}

/* Keeps the counts of a report that a receipt answered: it has no jobs. */
void prime_count_jobs(struct jw_prime_report *r)
{
    if (r->n_jobs)
        memset(r->counts, 0, sizeof r->counts);
    for (size_t i = 0; i < r->n_jobs; i++)
        r->counts[r->jobs[i].state]++;
}

static void finish_report(struct prime *p)
{
    struct jw_prime_report *r = p->out;

    prime_look_disk(&p->ctx.cache);
    if (r->receipt)
        prime_look_for_gone(p);
    if (r->gone && !p->o->dry_run && !p->o->verify_only && (r->n_jobs || r->receipt))
        prime_note(p, "%s", r->gone);
    if (run_kind(p->o) == PRIME && p->ctx.cache.log)
        prime_note_own_shell(p);
    prime_advise_writable(p);
    prime_advise_next(p);
    if (p->o->absent_gpus) {
        r->n_absent_gpus = p->ctx.driver.n_sms;
        r->absent_gpus = jw_arena_copy(p->run->a, p->ctx.driver.sms, sizeof p->ctx.driver.sms);
    }
    r->unread = p->ctx.software.unread.v;
    r->n_unread = p->ctx.software.unread.n;
    prime_count_jobs(r);
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *j = &r->jobs[i];

        if (j->state == JW_JOB_WARMED)
            r->warmed_bytes += j->entry_bytes;
    }
    p->run->milliseconds = (jw_time_monotonic_ns() - p->run->began) / 1000000;
}

static void find_unknowable(struct jw_run *run, struct jw_prime_report *out)
{
    const char *preloaded = jw_preloaded_before_driver(jw_env(run->a, "LD_PRELOAD"), NULL, run->a);

    if (jw_env_has("LD_AUDIT"))
        out->unknowable = "LD_AUDIT is set, and that library may have programs load another driver";
    else if (preloaded)
        out->unknowable =
            jw_arena_printf(run->a, "LD_PRELOAD has %s, and programs reach the driver through it", preloaded);
}

bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_prime_memory **memory, struct jw_err *err)
{
    struct jw_prime_memory *m = *memory = jw_alloc(sizeof *m);
    struct prime p = {
        .o = o,
        .out = out,
        .run = run,
        .ctx = { .run = run,
                 .verb = "prime",
                 .as_root = o->as_root || o->absent_gpus,
                 .reads_only = o->dry_run || o->verify_only,
                 .same_login = o->same_login,
                 .wait_s = o->wait_s,
                 .cache = { .asked = run->session->cache, .memory = &prime_no_memory, .out = &out->cache },
                 .driver = { .names = o->gpus.items,
                             .n_names = o->gpus.n,
                             .absent_gpus = o->absent_gpus,
                             .one_arch = o->one_arch,
                             .probe = &prime_no_probe,
                             .out = &out->driver },
                 .software = { .paths = o->paths, .all = o->all, .trusted_only = o->trusted_only } }
    };

    *out = (struct jw_prime_report){ .run = run, .driver = { .level = JW_LEVEL_NONE } };
    run->a = &m->arena;
    find_unknowable(run, out);
    jw_run_begin(run);
    run->deadline = o->time_limit_s ? run->began + o->time_limit_s * 1000000000ULL : 0;
    p.ctx.driver.background = prime_is_background(&p);
    if (o->yes || p.ctx.driver.background)
        run->ask = NULL;
    for (size_t i = 0; i < o->n_warnings; i++)
        JW_NOTE(run, "%s", o->warnings[i]);
    bool ok = jw_run_steps(run, &(struct jw_steps){ JW_COUNT(steps), prime_step, NULL }, &p, err);

    m->of_command = p.of_command;
    m->found = p.ctx.software.found; /* places and options of jobs live there */
    prime_keep_left(&p, ok, err->code);
    prime_close_cache(&p.ctx.cache);
    if (!o->begin_only)
        jw_session_changed(run->session);
    ok = ok && prime_command_caches(&p, err);
    finish_report(&p);
    return ok;
}

void jw_prime_free(struct jw_prime_memory *m)
{
    if (!m)
        return;
    scan_jobs_free(&m->found);
    scan_jobs_free(&m->of_command);
    jw_arena_free(&m->arena);
    jw_free(m);
}

/* ---- in the report ---- */

#define R struct jw_prime_report

static const struct jw_row left_out[] = {
    { JW_ROW("modules", struct jw_left_out_sum, modules) },
    { JW_ROW("ptx_bytes", struct jw_left_out_sum, ptx_bytes) },
    { 0 },
};

const struct jw_row prime_absent_rows[] = {
    { JW_LIST("absent_gpus", R, absent_gpus, n_absent_gpus, NULL), JW_IF(R, n_absent_gpus),
      .spelling = &jw_spell_sm,
      JW_ABOUT("what was compiled for is not here: these architectures; absent: it is") },
    { 0 },
};

const struct jw_row prime_added_rows[] = {
    { JW_ROW("warmed_bytes", R, warmed_bytes), JW_ABOUT("added to the cache") },
    { 0 },
};

const struct jw_row prime_count_rows[] = {
    { JW_ENUM_MAP("counts", R, counts, jw_outcome_names, NULL), JW_ABOUT("jobs by their state") },
    { JW_ENUM_MAP("left_out", R, left_out, jw_left_out_names, left_out),
      JW_ABOUT("modules that are no job, by the reason") },
    { JW_ROW("compiled_on_use", R, on_use),
      JW_ABOUT("modules of NVIDIA's own libraries that are compiled when a program uses them; prime --all "
               "warms them") },
    { JW_ROW("needs_driver", R, needs_driver), JW_NULLABLE,
      JW_ABOUT("the driver branch that can load the blocked ones; empty: newer than any known") },
    { 0 },
};

const struct jw_row prime_unread_rows[] = {
    { JW_TEXTS("unread", R, unread, n_unread),
      JW_ABOUT("a file and why, each: it may hold CUDA code, and could not be read or understood") },
    { 0 },
};
