#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "driver/worker/identity.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <limits.h>
#include <string.h>

enum { STATUS_NS = 500000000 };

struct jw_prime_memory {
    struct jw_arena arena;
    struct targets found;
};

/* ---- how a run ends ---- */

bool prime_end_by(struct prime *p, const struct jw_err *why, struct jw_err *err)
{
    switch (why->code) {
    case JW_E_INTERRUPTED: return prime_end(p, JW_END_INTERRUPTED, "%s", "");
    case JW_E_DRIVER: return prime_end(p, JW_END_NO_GPU, "%s", why->msg);
    case JW_E_IO: return prime_end(p, JW_END_CANNOT_WRITE, "%s", why->msg);
    default: *err = *why; return false;
    }
}

bool prime_interrupted(const struct prime *p)
{
    return (p->o->interrupted && atomic_load(p->o->interrupted)) || (p->log && jw_warm_stop_asked(p->log));
}

unsigned prime_timeout_ms(const struct prime *p)
{
    return (unsigned)jw_min((uint64_t)p->o->timeout_s * 1000, UINT_MAX);
}

void prime_notify(const struct prime *p, enum jw_prime_phase phase, const char *at)
{
    struct jw_prime_progress what = {
        .phase = phase, .at = at, .eta = -1, .seconds = (double)(jw_time_monotonic_ns() - p->began) / 1e9
    };

    if (p->o->progress)
        p->o->progress(p->o->ctx, &what);
}

void prime_write_status(struct prime *p, const struct jw_prime_progress *progress)
{
    struct jw_progress_who who = { .simulated = p->probe.driver.simulated };
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err ignored;
    struct jw_peer self;
    uint64_t now = jw_time_monotonic_ns();

    if (!p->log || now - p->last_status < STATUS_NS)
        return;
    p->last_status = now;
    who.started = jw_time_unix() - (int64_t)((now - p->began) / 1000000000);
    if (jw_peer_self(&self, &ignored))
        who.pid = self.pid;
    if (jw_progress_write(&text, &who, progress, &ignored))
        (void)jw_warm_write_status(p->log, (const char *)text.p, text.n, &ignored);
    jw_buf_free(&text);
}

/* ---- the run ---- */

typedef bool (*prime_step)(struct prime *p, struct jw_err *err);

static const prime_step prime_steps[] = {
    prime_judge_user,   prime_judge_variables,
    prime_find_root,    prime_choose_targets,
    prime_take_lock,    prime_check_receipt,
    prime_wait_quiet,   prime_ask_login,
    prime_ask_driver,   prime_make_work,
    prime_learn,        prime_look,
    prime_plan,         prime_tune,
    prime_consent,      prime_keep_origins,
    prime_compile,      prime_verify,
    prime_keep_receipt, NULL,
};

static const prime_step plan_steps[] = {
    prime_judge_variables,
    prime_find_root,
    prime_choose_targets,
    prime_ask_driver,
    prime_make_work,
    prime_look,
    prime_plan,
    prime_consent,
    NULL,
};

static const prime_step verify_steps[] = {
    prime_judge_variables,
    prime_find_root,
    prime_note_running,
    prime_choose_targets,
    prime_ask_login,
    prime_ask_driver,
    prime_make_work,
    prime_look,
    prime_plan,
    prime_verify,
    NULL,
};

static const prime_step watch_steps[] = { prime_judge_variables, prime_find_root, prime_watch, NULL };

static const prime_step *steps_of(const struct jw_prime_options *o)
{
    if (o->dry_run)
        return plan_steps;
    if (o->verify_only)
        return o->run ? watch_steps : verify_steps;
    return prime_steps;
}

static bool walk(struct prime *p, struct jw_err *err)
{
    const prime_step *steps = steps_of(p->o);

    for (size_t i = 0; steps[i] && !p->ended; i++) {
        struct jw_err why = { 0 };

        if (prime_interrupted(p))
            return prime_end(p, JW_END_INTERRUPTED, "%s", "");
        if (!steps[i](p, &why) && !prime_end_by(p, &why, err))
            return false;
    }
    return true;
}

/* The measured compile time of a warm module, from this run or an earlier one; 0: unknown. */
static uint64_t compile_time(const struct prime *p, const struct jw_job *j)
{
    const char *build = p->probe.driver.build;
    const struct jw_warm_job *before =
        j->state == JW_JOB_WARM && build ? jw_warm_job(&p->memory, j->id, j->sm, build) : NULL;

    return j->state == JW_JOB_WARMED ? j->milliseconds : before ? before->milliseconds : 0;
}

/* The next command for the user, with a remark. */
struct next_step {
    const char *verb, *remark;
};

static struct next_step step_after_warm(const struct prime *p)
{
    if (p->o->n_paths || p->o->cache || p->o->run || (p->o->starts_itself && p->o->starts_itself(p->o->ctx)))
        return (struct next_step){ "status", "what the cache holds, and the time saved so far" };
    return jw_surroundings_here(p->a).container
               ? (struct next_step){ "run -- COMMAND", "as an entrypoint it does this at each start" }
               : (struct next_step){ jw_is_root_of_machine(p->a) ? "startup install --as-root"
                                                                 : "startup install",
                                     "does this again after each driver update" };
}

static struct next_step step_after_nothing(const struct prime *p)
{
    if (p->out->receipt && !p->out->why)
        return (struct next_step){ "verify", "proves again that the next start compiles nothing" };
    if (!p->out->files && !p->out->why && !p->o->n_paths && !p->o->run)
        return jw_process_elevated() && !jw_os_is_windows()
                   ? (struct next_step){ "scan --system", "searches the homes of all users" }
                   : (struct next_step){ "scan -v", "lists where it was looked for" };
    if (p->out->why || !p->out->files)
        return (struct next_step){ NULL, NULL };
    return p->plan.n_jobs ? step_after_warm(p)
                          : (struct next_step){ "doctor", "if something still starts slowly" };
}

static struct next_step step_after_prime(const struct prime *p)
{
    const struct jw_prime_report *r = p->out;

    switch (r->end) {
    case JW_END_DONE: return step_after_warm(p);
    case JW_END_NOTHING: return step_after_nothing(p);
    case JW_END_PARTLY: return (struct next_step){ "prime -v", "lists every module" };
    case JW_END_TIME:
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

static struct next_step next_step(const struct prime *p)
{
    bool unread_alone = p->unread.n && all_warm(p) && !p->out->verify.n_misses;
    bool missing = p->o->dry_run ? p->plan.n_todo > 0 : p->out->end == JW_END_PARTLY && !unread_alone;

    if (missing && p->beside)
        return (struct next_step){ "status", "how far the prime is" };
    if (missing && (p->o->dry_run || p->o->verify_only))
        return (struct next_step){ "prime", NULL };
    if (p->o->dry_run && p->out->end == JW_END_NOTHING && !p->out->files && !p->o->n_paths)
        return step_after_nothing(p);
    if (p->o->dry_run && p->out->end == JW_END_NOTHING && all_warm(p))
        return (struct next_step){ "verify", "proves that the next start compiles nothing" };
    if ((p->o->dry_run || p->o->verify_only) && p->out->end != JW_END_NO_GPU)
        return (struct next_step){ NULL, NULL };
    bool unfinished = p->out->end == JW_END_INTERRUPTED || p->out->end == JW_END_TIME;

    if ((p->advice.n && !unfinished) || p->verb || p->o->siblings || prime_by_itself(p))
        return (struct next_step){ NULL, NULL };
    return step_after_prime(p);
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
        jw_buf_printf(&line, "%s%s", prime_command(p), step.verb + strlen("prime"));
    else
        jw_buf_printf(&line, "jitwarm %s", step.verb);
    for (size_t i = 0; o->siblings && i < o->n_gpus; i++)
        jw_buf_printf(&line, " --gpu %s", o->gpus[i]);
    if (o->siblings && fill)
        jw_buf_text(&line, " --pack DIR");
    if (o->cache && !o->siblings) {
        jw_buf_text(&line, " --cache ");
        jw_text_shell_word(&line, o->cache, jw_os_is_windows());
    }
    for (size_t i = 0; (fill || strcmp(step.verb, "verify") == 0) && i < o->n_paths; i++) {
        jw_buf_text(&line, " ");
        jw_text_shell_word(&line, o->paths[i], jw_os_is_windows());
    }
    if (fill && o->run)
        jw_buf_text(&line, " --run COMMAND");
    if (step.remark)
        jw_buf_printf(&line, "   (%s)", step.remark);
    prime_advise(p, "%s", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

/* A valid receipt has counts, but no jobs. */
static void count_jobs(struct jw_prime_report *r)
{
    if (r->n_jobs)
        memset(r->counts, 0, sizeof r->counts);
    for (size_t i = 0; i < r->n_jobs; i++)
        r->counts[r->jobs[i].state]++;
}

bool prime_question(struct prime *p, const char *question, bool usual)
{
    count_jobs(p->out);
    return p->o->ask && p->o->ask(p->o->ctx, p->out, question, usual);
}

static void fill_report(struct prime *p)
{
    struct jw_prime_report *r = p->out;

    prime_advise_writable(p);
    advise_next(p);
    r->notes = p->notes.v;
    r->n_notes = p->notes.n;
    r->unread = p->unread.v;
    r->n_unread = p->unread.n;
    r->advice = p->advice.v;
    r->n_advice = p->advice.n;
    count_jobs(r);
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *j = &r->jobs[i];

        r->saves_milliseconds += compile_time(p, j);
        if (j->state != JW_JOB_WARMED)
            continue;
        r->warmed_bytes += j->renews ? 0 : j->entry_bytes;
        r->warmed_ptx += j->ptx_bytes;
    }
    r->milliseconds = (jw_time_monotonic_ns() - p->began) / 1000000;
}

bool jw_prime(const struct jw_prime_options *o, struct jw_prime_report *out, struct jw_prime_memory **memory,
              struct jw_err *err)
{
    struct jw_prime_memory *m = *memory = jw_alloc(sizeof *m);
    struct prime p = { .o = o, .out = out, .began = jw_time_monotonic_ns() };

    *out = (struct jw_prime_report){ .level = JW_LEVEL_NONE };
    p.a = &m->arena;
    p.deadline = o->time_box_s ? p.began + o->time_box_s * 1000000000ULL : 0;
    bool ok = walk(&p, err);

    m->found = p.found; /* places and options of jobs live there */
    jw_cache_listing_free(&p.listing);
    jw_scratch_remove(p.work);
    jw_warm_close(p.log);
    fill_report(&p);
    return ok;
}

void jw_prime_free(struct jw_prime_memory *m)
{
    if (!m)
        return;
    targets_free(&m->found);
    jw_arena_free(&m->arena);
    jw_free(m);
}
