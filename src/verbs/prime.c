#include "base/command.h"
#include "cli/cli.h"
#include "fleet/pull.h"
#include "verbs/post_install.h"
#include "verbs/prime_parts.h"

#include <math.h>

struct prime_args {
    struct jw_prime_options o;
    bool post_install;
};

/* What this start did. What another one does is not known: it is started again to see it. */
static void show_command(struct rep *r, const struct jw_prime *p)
{
    const struct cli *cli = r->cli;

    if (!p->seen)
        return;
    if (p->look->looked && !p->seen->start.failed && !jw_start_compiled(p->seen))
        rep_note(r, "%s", jw_seen_head(r, p->seen)); /* else what it compiled is counted */
    jw_show_seen(r, p->seen, false);
    if (cli->session.cache)
        rep_note(
            r, "to start it with this cache: %s %s",
            JW_COMMAND(r->a, jw_os_is_windows(), "jitwarm", "run", "--cache", cli->session.cache),
            jw_command_text(r->a, cli->shared.run.v, jw_os_is_windows()));
}

static void say_compiled(struct rep *r, rep_put *put, const struct jw_run *run,
                         const struct jw_look *l)
{
    uint64_t compiled = jw_answer_count(l, jw_job_is_compiled);
    bool loads = l->scope.level < JW_LEVEL_PREDICTABLE; /* it compiled what it did not find */

    if (compiled)
        put(r, NULL, loads ? "Loaded" : "Compiled",
            rep_text(jw_arena_printf(r->a, "%s in %s", JW_N(compiled, "module", "modules"),
                                     JW_TENTHS((double)run->milliseconds / 1000))));
    rep_fact(r, "compiled", NULL, loads ? rep_text(NULL) : rep_count(compiled));
}

/* Entries of another driver build, whose compiler is the same. */
static void say_carried(struct rep *r, rep_put *put, const struct jw_look *l)
{
    uint64_t carried = jw_answer_count(l, jw_job_is_carried);

    if (carried)
        put(r, NULL, "Carried over",
            rep_text(jw_arena_printf(r->a, "%s from driver %s, whose compiler is the same",
                                     JW_N(carried, "module", "modules"), l->seen.carried_from)));
    rep_fact(r, "carried", NULL, rep_count(carried));
}

/* Modules that this run had to compile. */
static uint64_t count_to_do(const struct jw_look *l)
{
    return l->n_jobs + jw_answer_count(l, jw_job_is_compiled) - jw_answer_count(l, jw_job_is_warm)
           - jw_answer_count(l, jw_job_is_banned);
}

static bool compiled_all(const struct jw_look *l)
{
    uint64_t n = count_to_do(l);

    return n && jw_answer_count(l, jw_job_is_compiled) == n;
}

/* What stands above the answer; NULL: nothing. */
static const char *head_of(struct rep *r, const struct jw_run *run, const struct jw_prime *p)
{
    bool interrupted = run->end == JW_END_INTERRUPTED || run->end == JW_END_TIME;

    if (p->seen && p->seen->start.failed)
        return jw_arena_printf(r->a, "The command failed. %s", jw_seen_head(r, p->seen));
    if (p->seen && !p->look->looked)
        return jw_seen_head(r, p->seen);
    if (!interrupted || !count_to_do(p->look))
        return NULL;
    if (compiled_all(p->look))
        return "Stopped before a fresh process loaded what was compiled.";
    return run->end == JW_END_TIME ? "Stopped." : "Stopped; the next run continues.";
}

static int show(struct cli *cli, const struct jw_run *run, const struct jw_prime *p)
{
    const struct jw_look *l = p->look;
    const struct jw_summary *v = &p->summary;
    struct rep *r = rep_open(cli, cli->shared.json || !cli->shared.run.n ? "prime" : NULL);
    rep_put *put = p->seen ? rep_detail : rep_fact;
    const char *head = head_of(r, run, p);

    if (head)
        rep_head(r, v->end, NULL, "%s", head);
    jw_show_look(r, head, v, l);
    say_compiled(r, put, run, l);
    say_carried(r, put, l);
    rep_fact(r, "predicted_seconds", NULL, rep_seconds(l->stop ? NAN : p->plan.seconds));
    jw_show_jobs(r, l);
    if (!compiled_all(l))
        jw_show_again(r, cli, run->end == JW_END_STOPPED && !v->cause ? JW_END_TIME : run->end);
    show_command(r, p);
    rep_run(r, run);
    return rep_close_with(r, v->end);
}

static void set_options(struct cli *cli, struct jw_prime_options *o)
{
    o->form = cli->shared.run.n ? JW_PRIME_COMMAND : JW_PRIME_FILES;
    o->want.gpus = cli->shared.gpus;
    o->want.all = cli->shared.all;
    o->want.command = cli->shared.run;
    o->time_limit_s = cli->shared.time_limit_s;
    o->output_to_errors = cli->shared.json;
    o->jobs = o->jobs ? o->jobs : jw_session_config(&cli->session)->jobs;
    o->want.trusted_only = o->background;
}

static int run_prime(struct cli *cli, const void *args)
{
    const struct prime_args *a = args;
    struct jw_prime_options o = a->o;
    struct jw_run run = a->o.background ? jw_cli_run_alone(cli) : jw_cli_run(cli);
    struct jw_prime p = {0};
    const char *says;
    struct jw_err err = {0};

    set_options(cli, &o);
    if (a->post_install) { /* a failure is reported, and must not fail the installation */
        bool started = jw_post_install(&cli->session, a->o.want.paths, &says);

        jw_message(&cli->messages, started ? REP_PLAIN : REP_WARN, "%s", says);
        return EXIT_DONE;
    }
    if (a->o.background && jw_term_is(stdout))
        jw_leave_console(); /* leaves the console that the Task Scheduler opened */
    if (a->o.background)
        jw_priority_lower(JW_PRIORITY_BACKGROUND);
    bool ok = jw_prime_begin(&run, &o, &p, &err)
              && (o.form == JW_PRIME_COMMAND || jw_pull_for_prime(&p, &err))
              && jw_prime_finish(&p, &err);
    int code = ok ? show(cli, &run, &p) : jw_cli_fail(cli, &err);

    jw_prime_free(&p);
    return code;
}

const struct cmd jw_cmd_prime = {
    .name = "prime",
    .summary = "compile CUDA code now, before programs need it",
    .synopsis_args = "[PATH...]",
    .details = "Finds the CUDA code of PATH (a file or folder) that has no machine code for the "
               "GPUs here, and lets the driver compile it into its cache, several pieces at once. "
               "Then a fresh process loads all of it and shows that nothing is compiled. PATH is "
               "remembered. Without PATH: what was named; if nothing ever was, what is found in "
               "the usual places.\n\nCtrl-C loses nothing: the next run continues. A run of more "
               "than 15 minutes, or one without room in the cache, asks first (--yes). Code that "
               "crashes or hangs the driver is skipped until it changes (--retry).\n\nExit code 0: "
               "all is in the cache, or nothing is remembered; 1: something is not, or was not "
               "looked at; 7: --yes or time is missing.",
    .examples = {{"jitwarm prime PATH", "compile this software's CUDA code now"},
                 {"jitwarm prime --run python serve.py",
                  "also code that this program makes while it runs"}},
    .opts = {{"jobs", 'j', OPT_UINT, offsetof(struct prime_args, o.jobs), .arg = "N",
              .help = "compile N at a time (default: all CPUs)"},
             {"retry", 0, OPT_FLAG, offsetof(struct prime_args, o.want.retry),
              .help = "also what this driver could not compile before"},
             {"background", 0, OPT_FLAG, offsetof(struct prime_args, o.background),
              .help = "idle priority, no questions"},
             {"post-install", 0, OPT_FLAG, offsetof(struct prime_args, post_install),
              .help = "start prime in the background (for package scripts)"}},
    .order = "run yes gpu cache jobs all time-limit json" JW_OF_ALL
             " retry background post-install as-root",
    .alone = {{"post-install", "as-root ARGUMENTS"},
              {"run", "yes gpu cache jobs all time-limit retry background json as-root"}},
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, o.want.paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_prime,
};
