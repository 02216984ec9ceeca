/* A run records what commands load, looks at it, and reports it. */
#include "prime/commands/command.h"

#include "base/text.h"
#include "session/lines.h"

static bool list_machine(struct jw_run *run, struct jw_warm_loads *of, struct jw_err *err)
{
    struct jw_trace now;

    if (!jw_session_machine(run->session, run->a, &now, err))
        return false;
    struct jw_warm_answer *answers =
        jw_arena_alloc(run->a, (now.n_answers + of->n_answers + 3) * sizeof *answers);

    for (size_t i = 0; i < of->n_answers; i++)
        answers[i] = of->answers[i];
    for (size_t i = 0; i < now.n_answers; i++)
        if (prime_is_of_machine(now.answers[i].question))
            answers[of->n_answers++] = now.answers[i];
    answers[of->n_answers++] = prime_loading(run->a);
    answers[of->n_answers++] = prime_libraries(run->a);
    of->answers = answers;
    return true;
}

bool prime_remember_loads(const struct run_ctx *h, const struct jw_warm_command *of,
                          struct jw_warm_loads loads, bool here, struct jw_err *err)
{
    struct jw_warm_command c = of ? *of : jw_warm_recall_command(h->cache.log, loads.key);

    if (here && !list_machine(h->run, &loads, err))
        return false;
    for (size_t i = 0; !here && i < c.n_loads; i++)
        if (strcmp(c.loads[i].build, loads.build) == 0) {
            loads.answers = c.loads[i].answers;
            loads.n_answers = c.loads[i].n_answers;
        }
    jw_warm_put_loads(&c, loads, h->run->a);
    return jw_warm_add(h->cache.log, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = c }, err);
}

/* A run for named software, or for some GPUs alone, says nothing of commands. */
static bool is_asked(const struct jw_prime_options *o)
{
    return (o->profile || !o->paths.n) && !o->run && !o->gpus.n;
}

/* A command may be recorded for another cache that was primed, and not for this one. Then only a start of it shows what
 * it loads here. */
static void look_elsewhere(struct prime *p)
{
    const struct prime_primed_cache *primed = &p->ctx.cache.primed_cache;

    if (!primed->command)
        return;
    p->recorded.again = primed->command;
    p->recorded.folder = primed->folder;
    p->out->recorded_unsure = "what recorded commands load was recorded for another cache";
}

/* Asks whether a fresh login would start the same commands in the same way. A receipt that holds needs no question: its
 * run has asked. */
static bool look_at_login(struct prime *p, uint64_t commands, struct jw_err *err)
{
    const struct jw_login_gpus *there;

    if (!p->ctx.login.here || !commands || p->out->recorded_unsure)
        return true;
    if (!jw_session_login_gpus(p->run->session, &there, err))
        return false;
    const struct prime_recorded_at_login apart =
        prime_recorded_at_login(p->ctx.cache.memory, commands, there, p->ctx.login.here, p->run->a);

    p->out->recorded_unsure = apart.why;
    if (apart.why) {
        p->start_after = apart.as_there;
        p->recorded.again = apart.command;
        p->recorded.folder = apart.folder;
    }
    return true;
}

bool prime_look_at_recorded(struct prime *p, const char *build, struct jw_err *err)
{
    struct jw_prime_report *r = p->out;
    struct prime_recorded_asked asked = { .cache = p->ctx.cache.folder,
                                          .memory = p->ctx.cache.memory,
                                          .build = build,
                                          .now = &p->trace,
                                          .command = p->o->profile,
                                          .planned = p->plan.jobs,
                                          .n_planned = p->plan.n_jobs };
    struct prime_recorded *seen = &p->recorded;
    const char *unwatched = seen->unwatched;

    if (!is_asked(p->o) || !asked.cache || !build)
        return true;
    if (!prime_has_commands(asked.memory, p->run->a)) {
        look_elsewhere(p);
        return true;
    }
    if (!p->trace.a && !jw_session_machine(p->run->session, p->run->a, &p->trace, err))
        return false;
    if (!prime_find_recorded(&asked, p->run->a, seen, err))
        return false;
    p->ask_again |= seen->gpus_unknown;
    r->lost = seen->loads - seen->found;
    if (seen->unwatched && !unwatched)
        prime_note(p, "%s; a change there is not noticed", seen->unwatched);
    r->recorded_every = seen->every;
    r->recorded_unsure =
        seen->gpus_unknown && !seen->unsure ? "only the driver knows which GPU is here" : seen->unsure;
    return look_at_login(p, seen->n, err);
}

bool prime_recorded_facts(struct prime *p, const char *build, uint64_t *out, struct jw_err *err)
{
    const struct prime_recorded_asked asked = { .cache = p->ctx.cache.folder,
                                                .memory = jw_session_memory_now(p->run->session,
                                                                                p->ctx.cache.folder),
                                                .build = build,
                                                .now = &p->trace,
                                                .command = p->o->profile };

    return prime_recorded_state(&asked, p->run->a, out, err);
}

static bool renew(struct prime *p, const struct jw_warm_loads *loads, struct jw_err *err)
{
    struct jw_warm_command c = jw_warm_recall_command(p->ctx.cache.log, loads->key);

    jw_warm_put_loads(&c, *loads, p->run->a);
    return jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = c }, err);
}

bool prime_record_again(struct prime *p, struct jw_err *err)
{
    struct jw_err why = { 0 };

    (void)err;
    for (size_t i = 0; p->ctx.cache.log && i < p->recorded.n_renewed && !why.code; i++)
        (void)!renew(p, &p->recorded.renewed[i], &why); /* the next run reads the files again */
    why = (struct jw_err){ 0 };
    for (size_t i = 0; p->ctx.cache.log && i < p->recorded.n_carried && !why.code; i++) {
        if (!prime_remember_loads(&p->ctx, NULL, p->recorded.carried[i], true, &why))
            prime_note(p, "what commands load with this driver could not be recorded: %s", why.msg);
    }
    return true;
}

void prime_advise_recorded(struct prime *p)
{
    const char *prime = prime_command(p->run, p->o),
               *why = p->out->lost ? "starts it, so that the driver compiles what it makes itself"
                                   : "records what it loads on this machine";

    if (prime_recorded_suffices(p) || prime_is_background(p))
        return;
    if (p->recorded.again) {
        p->out->recorded_start =
            jw_arena_printf(p->run->a, "%s   # %s",
                            jw_line_start(p->start_after, prime, prime_cache_option(p), p->recorded.again,
                                          p->recorded.folder, p->run->a),
                            why);
        prime_advise(p, "%s", p->out->recorded_start);
    } else if (p->recorded.look)
        prime_advise(p, "%s   # shows %s", p->recorded.look, prime_begun_look_shows(p->recorded.look));
    else if (p->recorded.gone)
        prime_advise(p, "jitwarm prune --gone%s   # lists what is gone, and asks whether to forget it",
                     prime_cache_option(p));
    else
        prime_note(p, "%s --run, with the words of a command, %s", prime, why);
}

bool prime_recorded_suffices(const struct prime *p)
{
    return !p->out->lost && !p->out->recorded_unsure;
}
