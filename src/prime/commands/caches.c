/* Recorded commands that chose a cache themselves: a run without PATH does for the cache of each what it does for its
 * own. */
#include "prime/commands/command.h"

#include "os/machine/time.h"
#include "session/lines.h"

/* True if this run is about all of this user's programs that are known. Software that jitwarm.conf excludes
 * never counts. */
static bool is_about_all(const struct prime *p)
{
    const struct jw_prime_options *o = p->o;
    const struct jw_session *s = p->run->session;

    return !o->paths.n && !o->run && !o->profile && !s->cache && !o->absent_gpus && !s->n_exclude;
}

static bool goes_on(const struct jw_run *run)
{
    return run->end == JW_END_DONE || run->end == JW_END_NOTHING || run->end == JW_END_PARTLY;
}

static uint64_t sum(const uint64_t counts[JW_OUTCOMES])
{
    uint64_t n = 0;

    for (unsigned i = 0; i < JW_OUTCOMES; i++)
        n += counts[i];
    return n;
}

static void take(const struct jw_prime_report *r, const struct jw_warm_command *c, bool dry_run,
                 struct jw_arena *a, struct jw_recorded_command *out)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);
    uint64_t all = sum(r->counts);

    *out = (struct jw_recorded_command){
        .command = jw_arena_str(a, c->key),
        .cache = jw_arena_str(a, c->cache),
        .end = r->run->end,
        .why = r->run->why ? jw_arena_str(a, r->run->why) : NULL,
        .modules = all > r->profile_modules ? all : r->profile_modules,
        .warm = jw_prime_warm(r),
        .warmed = r->counts[JW_JOB_WARMED],
        .verified = jw_is_verified(&r->verify),
        .when = r->starts.last,
    };
    out->held =
        out->warm == out->modules && (out->end == JW_END_NOTHING || (out->end == JW_END_DONE && !dry_run));
    if (!out->why && !out->held)
        out->why = jw_next_start_answer(&f, a).why;
    if (r->recorded_start && out->warm == all) /* else a prime compiles some of it */
        out->start = jw_arena_str(a, r->recorded_start);
}

/* Returns false when no time is left. `*seconds`: the time that is left; 0: there is no limit. */
static bool time_left(const struct prime *p, unsigned *seconds)
{
    uint64_t now = jw_time_monotonic_ns();

    if (!p->run->deadline)
        return true;
    *seconds = now < p->run->deadline ? (unsigned)((p->run->deadline - now) / 1000000000) : 0;
    return *seconds > 0;
}

static bool one(struct prime *p, const struct jw_warm_command *c, struct jw_recorded_command *out,
                struct jw_err *err)
{
    struct jw_prime_options o = *p->o;
    struct jw_run run = jw_session_run(p->run->session);
    struct jw_prime_report report;
    struct jw_prime_memory *memory = NULL;

    run.progress = p->run->progress;
    run.ctx = p->run->ctx;
    o.profile = c->key;
    o.n_warnings = 0;
    if (!time_left(p, &o.time_limit_s)) {
        *out = (struct jw_recorded_command){ .command = c->key, .cache = c->cache, .end = JW_END_TIME };
        return true;
    }
    bool ok = jw_prime(&run, &o, &report, &memory, err);

    if (ok && report.own_cache)
        take(&report, c, o.dry_run, p->run->a, out);
    jw_prime_free(memory);
    return ok;
}

const char *prime_note_program(struct prime *p, const char *command, const char *folder)
{
    const char *line = jw_line_in(
        folder, jw_arena_printf(p->run->a, "jitwarm verify%s --run %s", prime_cache_option(p), command),
        p->run->a);

    prime_note(p, "to ask the program itself: %s", line);
    return line;
}

bool prime_command_caches(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_state *known = p->ctx.cache.memory;
    struct jw_recorded_command *list, now;

    if (!is_about_all(p) || !goes_on(p->run))
        return true;
    list = jw_arena_alloc(p->run->a, (known->n_commands + 1) * sizeof *list);
    for (size_t i = 0; i < known->n_commands; i++) {
        now = (struct jw_recorded_command){ 0 };
        if (*known->commands[i].cache && !one(p, &known->commands[i], &now, err))
            return false;
        if (now.cache && (now.modules || !now.held))
            list[p->out->n_recorded++] = now;
    }
    if (p->out->n_recorded && list[0].verified && p->o->verify_only && !p->out->starts.command)
        p->out->starts.command = prime_note_program(p, list[0].command, NULL);
    p->out->recorded = list;
    for (size_t i = 0; i < p->out->n_recorded && prime_recorded_suffices(p); i++)
        if (list[i].start) {
            prime_advise(p, "%s", list[i].start);
            break;
        }
    return true;
}

/* ---- in the report ---- */

#define C struct jw_recorded_command

static const struct jw_row cache_rows[] = {
    { JW_ROW("command", C, command) },
    { JW_ROW("cache", C, cache), JW_ABOUT("the cache that it chose itself") },
    { JW_ROW("modules", C, modules), JW_ABOUT("that it loads, as far as is known") },
    { JW_ROW("warm", C, warm) },
    { JW_ROW("warmed", C, warmed), JW_ABOUT("of these, by this run") },
    { JW_ROW("verified", C, verified),
      JW_ABOUT(
          "a fresh process loaded all that its recorded start loaded from there, and compiled nothing") },
    { JW_NAMED("end", C, end, jw_end_names) },
    { JW_ROW("why", C, why), JW_NULLABLE },
    { 0 },
};

const struct jw_row prime_command_cache_rows[] = {
    { JW_LIST("own_caches", struct jw_prime_report, recorded, n_recorded, cache_rows),
      JW_ABOUT("recorded commands that use a cache of their own; only without PATH") },
    { 0 },
};
