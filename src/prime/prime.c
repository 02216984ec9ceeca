#include "prime/commands/command.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "machine/listing.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

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

bool prime_interrupted(const struct jw_run *run)
{
    return run->interrupted && atomic_load(run->interrupted);
}

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
    bool (*shared)(struct jw_run *run, struct run_ctx *h, struct jw_err *err); /* with import */
    bool (*step)(struct prime *p, struct jw_err *err);
} steps[] = {
    { PRIME | BEGIN, .shared = prime_check_user },
    { LOOK | WATCH | RECORD | BEGIN, .shared = prime_check_variables },
    { LOOK | RECORD, .step = prime_recall_command },
    { LOOK | WATCH | RECORD | BEGIN, .shared = prime_find_root },
    { LOOK, .step = prime_check_recalled },
    { LOOK | RECORD | BEGIN, .shared = prime_check_lookup },
    { BEGIN, .shared = prime_check_free },
    { BEGIN, .shared = prime_check_state },
    { WATCH, .step = prime_watch },
    { LOOK, .step = prime_choose_paths },
    { PRIME, .shared = prime_take_lock },
    { PRIME, .shared = prime_sweep_work },
    { PRIME, .step = prime_check_receipt },
    { PRIME, .step = prime_keep_asked },
    { PRIME, .step = prime_wait_power },
    { LOOK, .shared = prime_ask_login },
    { LOOK | RECORD, .shared = prime_ask_driver },
    { PRIME, .step = prime_check_receipt_again },
    { LOOK, .shared = prime_make_work },
    { PRIME | RECORD, .step = prime_record_command },
    { LOOK, .step = prime_look },
    { PRIME, .step = prime_ask_first },
    { PRIME | PLAN, .step = prime_consent },
    { PRIME, .step = prime_keep_origins },
    { PRIME, .step = prime_compile },
    { PRIME, .step = prime_keep_made },
    { PRIME, .step = prime_keep_shared },
    { PRIME | VERIFY, .step = prime_verify },
    { PRIME, .step = prime_record_again },
    { PRIME, .step = prime_keep_receipt },
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
    return s->step ? s->step(p, err) : s->shared(p->run, &p->ctx, err);
}

/* The next command for the user, with a remark. */
struct next_step {
    const char *verb, *remark;
};

static struct next_step step_after_warm(const struct prime *p)
{
    if (p->o->n_paths || p->run->session->cache || p->o->run
        || (p->o->starts_itself && p->o->starts_itself(p->run->ctx)))
        return (struct next_step){ "status", "what the cache holds" };
    return jw_session_surroundings(p->run->session)->container
               ? (struct next_step){ "env --shell docker",
                                     "prints the entrypoint that does this at each start" }
               : (struct next_step){ jw_session_is_root(p->run->session) ? "startup install --as-root"
                                                                         : "startup install",
                                     "does this again after each driver update" };
}

static struct next_step step_after_nothing(const struct prime *p)
{
    if (p->out->receipt && !p->run->why)
        return (struct next_step){ "verify", "proves again that the next start compiles nothing" };
    if (p->out->gone && !p->out->files)
        return (struct next_step){ "prune --gone", "lists what is gone; with --yes it is forgotten" };
    if (!p->out->files && !p->run->why && !p->o->n_paths && !p->o->run)
        return (struct next_step){ "scan -v", jw_process_elevated() && !jw_os_is_windows()
                                                  ? "lists where it was looked for; --system: in all homes"
                                                  : "lists where it was looked for" };
    if (p->run->why || !p->out->files)
        return (struct next_step){ NULL, NULL };
    return p->plan.n_jobs ? step_after_warm(p)
                          : (struct next_step){ "doctor", "if something still starts slowly" };
}

/* All that a driver may get is warm, but a module is damaged: only scan says which, and where. */
static bool only_damage_is_left(const struct prime *p)
{
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (p->plan.jobs[i].state != JW_JOB_WARM && p->plan.jobs[i].state != JW_JOB_WARMED)
            return false;
    return p->out->left_out[JW_OUT_IS_DOUBTFUL].modules > 0 && !p->o->run;
}

/* All else is warm. NULL: it is not, or nothing is hopeless. */
static const struct jw_job *first_hopeless(const struct prime *p)
{
    const struct jw_job *first = NULL;

    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        if (j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED)
            continue;
        if (!j->hopeless)
            return NULL;
        first = first ? first : j;
    }
    return first;
}

/* What the driver refused with its own words it refuses again. It may have crashed for another reason. */
static struct next_step step_after_hopeless(const struct prime *p, const struct jw_job *j)
{
    bool crashed = !j->code_name && jw_text_starts(j->hopeless, PRIME_CRASHED);
    bool tried = p->o->n_paths == 1 && jw_is_file(p->o->paths[0]); /* by its name */

    if (crashed && !tried && j->module.places)
        return (struct next_step){ JW_COMMAND(p->run->a, jw_os_is_windows(), "prime", j->module.places->disk),
                                   "tries once more what the driver crashed on" };
    return (struct next_step){ "doctor", "says what helps where this driver cannot compile it" };
}

static const struct next_step step_after_damage = { "scan", "says what is damaged, and where" };

static struct next_step step_after_prime(const struct prime *p)
{
    const struct jw_link_time *failing = jw_failing_link(&p->out->verify);

    switch (p->run->end) {
    case JW_END_DONE: return step_after_warm(p);
    case JW_END_NOTHING: return step_after_nothing(p);
    case JW_END_PARTLY:
        if (failing)
            return (struct next_step){ JW_COMMAND(p->run->a, jw_os_is_windows(), "scan", failing->path),
                                       "which code it has, and for which GPUs" };
        if (only_damage_is_left(p))
            return step_after_damage;
        if (first_hopeless(p))
            return step_after_hopeless(p, first_hopeless(p));
        return p->o->run && !p->out->profile_known ? (struct next_step){ NULL, NULL }
                                                   : (struct next_step){ "prime -v", "lists every module" };
    case JW_END_TIME:
        if (p->out->next_box)
            return (struct next_step){ jw_arena_printf(p->run->a, "prime --time-box %us", p->out->next_box),
                                       "a shorter time box gets no further" };
        return (struct next_step){ "prime", "continues with the modules that are left" };
    case JW_END_INTERRUPTED: return (struct next_step){ "prime", "continues with the modules that are left" };
    case JW_END_BUSY: return (struct next_step){ "status", "how far that one is" };
    case JW_END_NO_GPU:
    case JW_END_CANNOT_WRITE: return (struct next_step){ "doctor", NULL };
    default: return (struct next_step){ NULL, NULL };
    }
}

static bool all_warm(const struct prime *p)
{
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (p->plan.jobs[i].state != JW_JOB_WARM)
            return false;
    return p->plan.n_jobs > 0;
}

/* plan and verify: is something not warm that prime would compile? */
static bool prime_would_help(const struct prime *p)
{
    const struct jw_verify_report *v = &p->out->verify;
    /* Files that a start made in other caches are there now; once recorded, they count. */
    bool kit = p->o->verify_only && !prime_kit_held(p) && !p->out->run_code && !p->run->advice.n;
    bool helps = p->o->run ? p->out->seen.entries > 0 || kit : p->plan.n_todo > 0;

    for (size_t i = 0; !p->ctx.login.other_cache && i < v->n_misses; i++)
        helps |= p->plan.jobs[v->misses[i].job].state == JW_JOB_WARM;
    for (size_t i = 0; i < v->n_passes; i++)
        helps |= v->passes[i].failed > p->damaged || v->passes[i].new_entries;
    return helps && (p->o->dry_run || p->run->end == JW_END_PARTLY);
}

static struct next_step next_step(const struct prime *p)
{
    bool missing = (p->o->dry_run || p->o->verify_only) && prime_would_help(p);

    if (missing && p->beside)
        return (struct next_step){ "status", "how far the prime is" };
    if (missing)
        return (struct next_step){ "prime", NULL };
    if (p->o->dry_run && p->run->end == JW_END_NOTHING && !p->out->files && !p->o->n_paths)
        return step_after_nothing(p);
    if (p->o->dry_run && p->run->end == JW_END_NOTHING && all_warm(p))
        return (struct next_step){ "verify", "proves that the next start compiles nothing" };
    if ((p->o->dry_run || p->o->verify_only) && p->run->end != JW_END_NO_GPU)
        return only_damage_is_left(p) ? step_after_damage
               : first_hopeless(p)    ? step_after_hopeless(p, first_hopeless(p))
                                      : (struct next_step){ NULL, NULL };
    bool unfinished = p->run->end == JW_END_INTERRUPTED || p->run->end == JW_END_TIME;

    if ((p->run->advice.n && !unfinished) || p->o->absent_gpus || prime_by_itself(p))
        return (struct next_step){ NULL, NULL };
    return step_after_prime(p);
}

const char *prime_cache_option(const struct prime *p)
{
    const char *given = p->run->session->cache, *cache = given                      ? given
                                                         : p->ctx.login.other_cache ? p->ctx.cache.root
                                                                                    : NULL;

    if (!cache || p->o->absent_gpus)
        return "";
    return jw_arena_printf(p->run->a, " %s", JW_COMMAND(p->run->a, jw_os_is_windows(), "--cache", cache));
}

static void advise_next(struct prime *p)
{
    const struct jw_prime_options *o = p->o;
    struct next_step step = next_step(p);
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    if (!step.verb)
        return;
    bool fill = jw_text_starts(step.verb, "prime");

    if (fill)
        jw_buf_printf(&line, "%s%s", prime_command(p->run, o), step.verb + strlen("prime"));
    else
        jw_buf_printf(&line, "jitwarm %s", step.verb);
    for (size_t i = 0; o->absent_gpus && i < o->n_gpus; i++)
        jw_buf_printf(&line, " %s", JW_COMMAND(p->run->a, jw_os_is_windows(), "--gpu", o->gpus[i]));
    if (o->absent_gpus && fill)
        jw_buf_text(&line, " --pack jitwarm-packs");
    if (!jw_text_starts(step.verb, "scan") && !jw_text_starts(step.verb, "env"))
        jw_buf_text(&line, prime_cache_option(p));
    bool named = jw_text_starts(step.verb, "prime ") && step.verb[strlen("prime ")] != '-';
    bool of_paths = (fill && !named) || strcmp(step.verb, "verify") == 0 || strcmp(step.verb, "scan") == 0;

    for (size_t i = 0; of_paths && i < o->n_paths; i++) {
        jw_buf_text(&line, " ");
        jw_command_word(&line, o->paths[i], jw_os_is_windows());
    }
    if (fill && o->run)
        jw_buf_printf(&line, " --run %s", jw_command_text(p->run->a, o->run, jw_os_is_windows()));
    if (step.remark)
        jw_buf_printf(&line, "   # %s", step.remark);
    prime_advise(p, "%s", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

/* A valid receipt has counts, but no jobs. */
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
    prime_advise_writable(p);
    advise_next(p);
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
    const char *preloaded = prime_preloaded(run->a);

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
        .ctx = { .verb = "prime",
                 .as_root = o->as_root || o->absent_gpus,
                 .reads_only = o->dry_run || o->verify_only,
                 .same_login = o->same_login,
                 .wait_s = o->wait_s,
                 .cache = { .asked = run->session->cache, .memory = &prime_no_memory, .out = &out->cache },
                 .driver = { .names = o->gpus,
                             .n_names = o->n_gpus,
                             .absent_gpus = o->absent_gpus,
                             .one_arch = o->one_arch,
                             .probe = &prime_no_probe,
                             .out = &out->driver },
                 .software = { .paths = o->paths,
                               .n_paths = o->n_paths,
                               .all = o->all,
                               .trusted_only = o->trusted_only } }
    };

    *out = (struct jw_prime_report){ .run = run, .driver = { .level = JW_LEVEL_NONE } };
    run->a = &m->arena;
    find_unknowable(run, out);
    jw_run_begin(run);
    run->deadline = o->time_box_s ? run->began + o->time_box_s * 1000000000ULL : 0;
    p.ctx.driver.by_itself = prime_by_itself(&p);
    if (o->yes || p.ctx.driver.by_itself)
        run->ask = NULL;
    for (size_t i = 0; i < o->n_warnings; i++)
        JW_NOTE(run, "%s", o->warnings[i]);
    bool ok = jw_run_steps(run, &(struct jw_steps){ JW_COUNT(steps), prime_step, NULL }, &p, err);

    m->of_command = p.of_command;
    m->found = p.ctx.software.found; /* places and options of jobs live there */
    prime_withdraw_asked(&p, ok, err->code);
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
    { JW_ENUM_MAP("counts", R, counts, jw_outcome_name, JW_OUTCOMES, NULL), JW_ABOUT("jobs by their state") },
    { JW_ENUM_MAP("left_out", R, left_out, jw_left_out_name, JW_LEFT_OUT, left_out),
      JW_ABOUT("modules that are no job, by the reason") },
    { JW_ROW("needs_driver", R, needs_driver), JW_NULLABLE,
      JW_ABOUT("the driver branch that can load the blocked ones; empty: newer than any known") },
    { 0 },
};

const struct jw_row prime_unread_rows[] = {
    { JW_TEXTS("unread", R, unread, n_unread),
      JW_ABOUT("a file and why, each: it may hold CUDA code, and could not be read or understood") },
    { 0 },
};
