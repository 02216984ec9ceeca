/* Fills in the facts of the next start from a report. */
#include "prime/commands/command.h"

#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "prime/memory/imported.h"

/* Did the proof find a module missing? Modules that this driver cannot compile are another reason. */
static bool is_refuted(const struct jw_prime_report *r)
{
    const struct jw_verify_report *v = &r->verify;
    bool held = true;

    for (size_t i = 0; i < v->n_passes; i++) {
        struct jw_verify_pass pass = v->passes[i];

        for (size_t k = 0; k < v->n_misses; k++)
            pass.misses -= v->misses[k].pass == i && r->jobs[v->misses[k].job].hopeless;
        held &= jw_verify_pass_succeeded(&pass);
    }
    return v->done && !held;
}

bool prime_lacked_compiler(const struct jw_job *j)
{
    return j->state == JW_JOB_NO_COMPILER || (j->state == JW_JOB_FAILED && j->code == JW_ERROR_NO_COMPILER);
}

bool prime_is_refused(const struct jw_job *j)
{
    return j->hopeless && !jw_job_is_warm(j);
}

/* Returns the first refusal as "FILE: SENTENCE", and counts them. */
static const char *first_refusal(const struct jw_prime_report *r, uint64_t *n)
{
    const struct jw_job *first = NULL;

    *n = 0;
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *j = &r->jobs[i];

        if (!prime_is_refused(j))
            continue;
        first = first ? first : j;
        ++*n;
    }
    return first ? jw_arena_printf(r->run->a, "%s: %s", first->module.places->path, first->hopeless) : NULL;
}

/* Says why a run that ended early did not look at all of it. */
static const char *why_not_all(const struct jw_run *run)
{
    switch (run->end) {
    case JW_END_DONE: return NULL;
    case JW_END_PARTLY:
    case JW_END_NOTHING: return run->why && *run->why ? run->why : NULL;
    case JW_END_INTERRUPTED: return "it was interrupted";
    default: return run->why ? run->why : "it was not asked to its end";
    }
}

uint64_t prime_left_out(const struct jw_prime_report *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < JW_LEFT_OUT; i++)
        n += r->left_out[i].modules;
    return n;
}

/* True where the run found nothing to ask about. Named software may have its CUDA code packed, or make it while it runs.
 * Without a name, where nothing was primed yet, the software may be elsewhere or in another home. */
static bool found_nothing(const struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    bool asked =
        !p->out->named && (prime_found_something(memory) || memory->n_commands + p->out->n_recorded > 0);

    return p->plan.n_jobs + prime_left_out(p->out) == 0 && !asked && !p->o->run && !p->o->profile;
}

static bool count_stray(struct prime *p, struct jw_err *err)
{
    struct jw_prime_last last;
    bool ok =
        jw_prime_last(p->run->session, jw_session_cache(p->run->session), p->ctx.cache.memory, &last, err);

    p->out->compiled_before = ok ? last.compiled : 0;
    return ok;
}

static const char *why_no_code(const struct jw_prime_report *r)
{
    return r->gone              ? r->gone
           : !r->found_nothing  ? NULL
           : r->named           ? "no CUDA code was found in what was named"
           : r->compiled_before ? jw_arena_printf(r->run->a, "no CUDA code was found" JW_NEXT_START_STRAY,
                                                  JW_N(r->compiled_before, "module", "modules"))
                                : JW_NEXT_START_NOTHING_FOUND;
}

static enum jw_next_start_reason why_no_code_by(const struct jw_prime_report *r)
{
    return r->gone ? JW_BY_GONE : r->found_nothing && !r->named ? JW_BY_NO_SOFTWARE : JW_BY_UNASKED;
}

struct jw_next_start_facts jw_prime_facts(const struct jw_prime_report *r)
{
    uint64_t warm = jw_prime_warm(r);
    struct jw_next_start_facts f = {
        .asked = JW_ASKED_ALL,              /* else `unasked` says how far the run came */
        .modules = jw_max(r->n_jobs, warm), /* a receipt has no jobs */
        .warm = warm,
        .found = !r->named,
        .setting = r->run->end == JW_END_STOPPED ? r->run->why : NULL,
        .obstacle = r->obstacle,
        .index = r->index,
        .refuted = is_refuted(r),
        .lost = r->lost,
        .imported = r->import_gone,
        .cannot_compile = r->driver.cannot_compile,
        .sourceless = r->recorded_unsure ? 0 : r->sourceless, /* else its modules are not known */
        .commands = r->recorded_unsure,
        .commands_compile = r->recorded_unsure && r->recorded_every,
        .blocked = r->left_out[JW_OUT_IS_BLOCKED].modules,
        .lacking = r->lacking,
        .doubtful = r->left_out[JW_OUT_IS_DOUBTFUL].modules,
        .pieces = r->left_out[JW_OUT_IS_MADE].modules,
        .failing = r->failing_links + (jw_failing_link(&r->verify) != NULL),
        .lto = r->left_out[JW_OUT_IS_LTO].modules,
        .unread = r->n_unread,
        .stored = r->cache.used,
        .limit = r->cache.limit,
        .forbidden = r->cache.forbidden,
        .login = r->cache.login,
        .unasked = r->unknowable         ? r->unknowable
                   : why_not_all(r->run) ? why_not_all(r->run)
                                         : why_no_code(r),
        .unasked_by = r->unknowable || why_not_all(r->run) ? JW_BY_UNASKED : why_no_code_by(r),
    };

    f.refusal = first_refusal(r, &f.refused);
    for (size_t i = 0; i < r->n_jobs; i++)
        f.stored += r->jobs[i].state == JW_JOB_WARMED ? r->jobs[i].entry_bytes : 0;
    for (size_t i = 0; i < r->n_recorded; i++) {
        const struct jw_recorded_command *c = &r->recorded[i];

        if (!c->start || c->warm < c->modules)
            f.other_caches |= !c->held;
        else if (!f.commands)
            f.commands = c->why;
    }
    return f;
}

/* Skips entries that the jobs or the receipt cover. A run for named software, or for a command, does not ask. */
bool prime_look_at_imports(struct prime *p, const struct jw_warm_receipt *r, const char *build,
                           struct jw_err *err)
{
    struct prime_imported_asked asked = { .cache = p->ctx.cache.folder,
                                          .memory = p->ctx.cache.memory,
                                          .build = build };
    const struct jw_prime_options *o = p->o;
    struct prime_imported seen;

    if (o->paths.n || o->run || o->profile || o->gpus.n || o->absent_gpus)
        return true;
    asked.covered =
        jw_arena_alloc(p->run->a, (p->plan.n_jobs + (r ? r->n_entries : 0) + 1) * sizeof *asked.covered);
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        asked.covered[asked.n_covered++] = p->plan.jobs[i].name;
    for (size_t i = 0; r && i < r->n_entries; i++)
        asked.covered[asked.n_covered++] = r->entries[i].name;
    if (!prime_find_imported(p->run->session, &asked, p->run->a, &seen, err))
        return false;
    p->out->imported = seen.entries;
    p->out->import_gone = prime_imported_words(&seen, p->run->a);
    p->import_again = seen.again;
    return true;
}

bool prime_facts(struct prime *p, struct jw_next_start_facts *out, struct jw_err *err)
{
    if (!prime_look_at_recorded(p, p->ctx.driver.probe->driver.build, err)
        || !prime_look_at_imports(p, NULL, p->ctx.driver.probe->driver.build, err))
        return false;
    p->out->n_unread = p->ctx.software.unread.n;
    p->out->found_nothing = found_nothing(p);
    if (p->out->found_nothing && !p->o->absent_gpus && !count_stray(p, err))
        return false;
    prime_count_jobs(p->out);
    *out = jw_prime_facts(p->out);
    out->unasked = p->out->unknowable; /* no end of the run: it goes on */
    /* A prime that finds no software left has not failed, unless a person named the software. */
    if (!out->unasked && (p->o->verify_only || (p->emptied.n && *p->emptied.v[0] == '=')))
        out->unasked = why_no_code(p->out);
    return true;
}
