/* Gathers the facts for the step after a prime, a dry run or a verification (memory/next_step.h). */
#include "prime/commands/command.h"

#include "base/command.h"
#include "cache/memory/state_folder.h"
#include "os/machine/env.h"
#include "prime/memory/imported.h"
#include "prime/memory/next_step.h"
#include "session/blocker.h"
#include "session/login_start.h"

#include <string.h>

/* plan and verify: is something not warm that prime would compile, or not remembered yet? */
static bool prime_would_help(const struct prime *p)
{
    if (p->emptied.n && !prime_is_emptied(p->ctx.cache.memory, p->emptied.v[0]))
        return true; /* it remembers that, and then it can be forgotten */

    const struct jw_verify_report *v = &p->out->verify;
    /* Files that a start made in other caches are there now; once recorded, they count. */
    bool kit = p->o->verify_only && !prime_kit_made_nothing(p) && !p->out->run_code && !p->run->advice.n;
    bool helps = p->o->run ? p->out->seen.entries > 0 || kit : p->plan.n_todo > 0;

    for (size_t i = 0; i < v->n_misses; i++)
        helps |= p->plan.jobs[v->misses[i].job].state == JW_JOB_WARM;
    for (size_t i = 0; i < v->n_passes; i++)
        helps |= v->passes[i].failed > p->damaged || v->passes[i].new_entries;
    return helps && (p->o->dry_run || p->run->end == JW_END_PARTLY);
}

/* The same in caches that commands chose. */
static bool prime_would_help_there(const struct prime *p)
{
    for (size_t i = 0; i < p->out->n_recorded; i++)
        if (!p->out->recorded[i].held && !p->out->recorded[i].start)
            return true;
    return false;
}

/* The report has said what helps, or that nothing does. */
static bool is_said(const struct prime *p, bool ends_early)
{
    enum jw_end end = p->run->end;
    bool nothing =
        end == JW_END_NOTHING
        && ((p->run->why && *p->run->why) || (!p->out->files && !p->out->receipt && p->o->paths.n));
    bool stopped =
        end == JW_END_STOPPED || end == JW_END_CONSENT || end == JW_END_WAITING || end == JW_END_INTERRUPTED;

    return ((p->run->advice.n || stopped) && !ends_early) || nothing || p->o->absent_gpus
           || prime_is_background(p) || (p->o->run && end == JW_END_PARTLY && !p->out->profile_known);
}

/* Modules are cold, and this driver compiles nothing. */
static bool lacks_compiler(const struct prime *p)
{
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (prime_lacked_compiler(&p->plan.jobs[i]))
            return true;
    return false;
}

/* Warm modules that a receipt knows: it has no jobs. */
static uint64_t recalled(const struct jw_prime_report *r)
{
    return r->receipt ? jw_prime_warm(r) : 0;
}

/* The reasons of the report, and those of this run. */
static uint32_t reasons_of(const struct prime *p, const struct jw_step_facts *f)
{
    const struct jw_next_start_facts facts = jw_prime_facts(p->out);
    uint32_t reasons = jw_next_start_reasons(&facts);
    enum jw_end end = p->run->end;

    if (f->after == JW_AFTER_PRIME && (end == JW_END_TIME || end == JW_END_INTERRUPTED))
        reasons |= JW_BUT(JW_BY_STOP);
    if (prime_lost_records(p))
        reasons |= JW_BUT(JW_BY_RECORDS);
    if (!f->failing_link)
        reasons &= ~JW_BUT(JW_BY_LINK);
    if (p->o->run) /* it is about all that the command's files hold */
        reasons &= ~JW_BUT(JW_BY_DOUBT);
    return reasons;
}

static void find_facts(const struct prime *p, struct jw_step_facts *out)
{
    const struct jw_link_time *failing = jw_failing_link(&p->out->verify);
    bool asks = p->o->dry_run || p->o->verify_only;
    enum jw_end end = p->run->end;
    bool apart =
        jw_login_differs(&p->ctx.login.start); /* then a prime names its cache, and leaves those out */

    *out = (struct jw_step_facts){
        .after = p->o->verify_only ? JW_AFTER_VERIFY
                 : p->o->dry_run   ? JW_AFTER_PLAN
                                   : JW_AFTER_PRIME,
        .index_damaged = p->index_damaged,
        .unusable = end == JW_END_NO_GPU || end == JW_END_CANNOT_WRITE,
        .longer_limit = end == JW_END_TIME ? p->out->next_limit : 0,
        .no_compiler =
            lacks_compiler(p) || (p->out->driver.cannot_compile && prime_import_compiles(p->import_again)),
        .import = p->import_again,
        .cold = asks && !p->cramped && (prime_would_help(p) || (prime_would_help_there(p) && !apart)),
        .login = apart ? p->ctx.login.start.command : NULL,
        .failing_link = failing ? failing->path : NULL,
        .named = asks && p->o->paths.n,
        .partly = end == JW_END_PARTLY,
        .nothing_compiles = !p->plan.n_jobs && !recalled(p->out),
        .proven = !p->out->receipt,
        .lasting = p->o->paths.n || p->run->session->cache || p->o->run
                   || (p->o->starts_itself && p->o->starts_itself(p->run->ctx)),
        .container = jw_session_surroundings(p->run->session)->container,
        .root = jw_session_is_root(p->run->session)
    };
    out->reasons = reasons_of(p, out);
    out->prime_runs = end == JW_END_BUSY || (out->cold && p->prime_runs);
    if (end == JW_END_BUSY && !asks && !p->o->record && !p->o->time_limit_s && !prime_is_background(p))
        out->again = jw_arena_printf(p->run->a, "%s   # waits for the other one, an hour at most",
                                     jw_run_again(p->run, "--time-limit 1h"));
    out->said = is_said(p, out->reasons & JW_BUT(JW_BY_STOP));
}

/* A full disk, or a folder to which others may write, stops a prime, but not a dry run or verify. If anything is to be
 * compiled, the step against it comes first. */
static void look_for_room(struct prime *p, struct jw_step_facts *f)
{
    struct jw_blocker h = { 0 };

    if (f->after != JW_AFTER_PRIME && p->ctx.cache.folder)
        h = jw_session_blocker(p->run->session, p->ctx.cache.asked, p->run->a);
    if (!h.is || jw_blocker_hides(&h))
        return;
    if (f->cold || h.is == JW_BLOCKER_FULL)
        prime_note(p, "%s", h.what);
    if (f->cold && h.is == JW_BLOCKER_OPEN)
        f->mends = h.command;
    else if (f->cold)
        f->mends = jw_arena_printf(p->run->a, "%s   # shows what fills the disk", h.command);
}

/* GPUs that are not here have a cache of their own, unless a person named another. */
static bool is_for_packs(const struct prime *p)
{
    struct jw_err ignored;
    const char *absent = p->o->absent_gpus ? jw_state_path(JW_STATE_ABSENT_GPUS, p->run->a, &ignored) : NULL;

    return absent && p->run->session->cache && strcmp(absent, p->run->session->cache) == 0;
}

const char *prime_cache_option(const struct prime *p)
{
    const char *given = p->run->session->cache, *cache = given ? given
                                                         : jw_login_differs(&p->ctx.login.start)
                                                             ? p->ctx.cache.folder
                                                             : NULL;

    if (!cache || is_for_packs(p))
        return "";
    return jw_arena_printf(p->run->a, " %s", JW_COMMAND(p->run->a, jw_os_is_windows(), "--cache", cache));
}

static struct jw_texts chosen_archs(const struct prime *p)
{
    const struct prime_driver *d = &p->ctx.driver;
    const char **archs = jw_arena_alloc(p->run->a, (d->n_sms + 1) * sizeof *archs);

    for (size_t i = 0; i < d->n_sms; i++)
        archs[i] = jw_arena_printf(p->run->a, "sm_%u", (unsigned)d->sms[i]);
    return (struct jw_texts){ archs, p->o->gpus.n ? d->n_sms : 0 };
}

/* This run, as the next verb is asked about it. */
static struct jw_step_scope scope_of(const struct prime *p)
{
    const struct jw_session *s = p->run->session;
    const char **exclude = jw_arena_copy(p->run->a, s->exclude, s->n_exclude * sizeof *exclude);
    struct jw_step_scope scope = { .windows = jw_os_is_windows(),
                                   .prime = prime_command(p->run, p->o),
                                   .cache = prime_cache_option(p),
                                   .all = p->o->all,
                                   .gpus = p->o->gpus,
                                   .exclude = { exclude, s->n_exclude },
                                   .archs = chosen_archs(p),
                                   .packs = is_for_packs(p),
                                   .paths = p->o->paths };

    if (p->o->run)
        scope.command = jw_command_text(p->run->a, p->o->run, scope.windows);
    return scope;
}

const char *prime_places_line(const struct prime *p)
{
    struct jw_step_scope scope = scope_of(p);

    scope.archs.n = 0;
    return jw_next_step_line(&(struct jw_next_step){ .words = "scan -v" }, &scope, p->run->a);
}

const char *prime_other_line(const struct prime *p, const char *file, const char *command)
{
    struct jw_step_scope scope = scope_of(p);

    scope.all = false;
    scope.exclude.n = 0;
    scope.paths = (struct jw_texts){ &file, file ? 1 : 0 };
    scope.command = command;
    return jw_next_step_line(&(struct jw_next_step){ .words = "prime" }, &scope, p->run->a);
}

void prime_advise_next(struct prime *p)
{
    const struct jw_step_scope scope = scope_of(p);
    struct jw_step_facts f;
    struct jw_next_step step;
    const char *line;

    find_facts(p, &f);
    look_for_room(p, &f);
    if ((f.cold || prime_would_help_there(p)) && f.reasons & JW_BUT(JW_BY_LOGIN))
        prime_note(p, "%s", p->out->cache.login);
    if (p->out->counts[JW_JOB_HIDDEN] && !f.cold)
        f.hidden = jw_step_shown(p->ctx.driver.shows, &scope, p->run->a);
    step = jw_next_step_of(&f, p->run->a);
    line = jw_next_step_line(&step, &scope, p->run->a);
    if (line)
        prime_advise(p, "%s", line);
}
