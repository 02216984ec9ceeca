#include "base/mem.h"
#include "cli/prime_args.h"
#include "cli/prime_progress.h"
#include "host/config.h"
#include "os/env.h"

struct run {
    struct cli *cli;
    enum prime_verb verb;
    struct prime_progress progress;
};

static void on_progress(void *ctx, const struct jw_prime_progress *p)
{
    prime_progress_show(&((struct run *)ctx)->progress, p);
}

static bool on_question(void *ctx, const struct jw_prime_report *plan, const char *question)
{
    return prime_ask(((struct run *)ctx)->cli, stdin, plan, question);
}

/* The user's patterns, and those of jitwarm.conf. */
static const char *const *excluded(struct cli *cli, const struct prime_args *a,
                                   const struct jw_config *config, size_t *n)
{
    const char **all = jw_arena_alloc(cli->arena, (a->exclude.n + config->exclude.n) * sizeof *all);

    *n = 0;
    for (size_t i = 0; all && i < a->exclude.n; i++)
        all[(*n)++] = a->exclude.items[i];
    for (size_t i = 0; all && i < config->exclude.n; i++)
        all[(*n)++] = config->exclude.v[i].value;
    return all;
}

static bool set_up(struct run *r, const struct prime_args *a, struct jw_prime_options *o, struct jw_err *err)
{
    struct cli *cli = r->cli;
    struct jw_config config = { 0 };

    if (!jw_config_load(cli->arena, &config, err))
        return false;
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_story_warn(&cli->story, "%s", config.warnings.v[i]);
    *o = (struct jw_prime_options){ .paths = a->paths.items,
                                    .n_paths = a->paths.n,
                                    .gpus = a->gpus.items,
                                    .n_gpus = a->gpus.n,
                                    .only = a->only.items,
                                    .n_only = a->only.n,
                                    .skip = a->skip.items,
                                    .n_skip = a->skip.n,
                                    .cache = a->cache,
                                    .jobs = a->jobs ? a->jobs : config.jobs_count,
                                    .memory = a->memory,
                                    .keep_free = a->keep_free,
                                    .timeout_s = a->timeout_s,
                                    .time_box_s = a->time_box_s,
                                    .wait_s = a->wait_s,
                                    .all = a->all,
                                    .from_cache = a->from_cache,
                                    .dry_run = r->verb == PRIME_PLAN,
                                    .yes = a->yes,
                                    .no_verify = a->no_verify,
                                    .background = a->background,
                                    .if_stale = a->if_stale,
                                    .as_root = a->as_root,
                                    .interrupted = cli->interrupted,
                                    .progress = on_progress,
                                    .ctx = r };
    if (r->verb == PRIME_PRIME && !a->yes && jw_term_is(stdin) && jw_term_is(stderr))
        o->ask = on_question;
    o->exclude = excluded(cli, a, &config, &o->n_exclude);
    return o->exclude || jw_nomem(err, a->exclude.n * sizeof *o->exclude);
}

static int exit_code(const struct prime_args *a, enum prime_verb verb, const struct jw_prime_report *r)
{
    int code = prime_exit(verb, r->end);

    return code == EXIT_DONE && a->check && prime_warm(r) < r->n_jobs ? EXIT_PARTLY : code;
}

int prime_run(struct cli *cli, const struct prime_args *args, enum prime_verb verb)
{
    struct run r = { .cli = cli,
                     .verb = verb == PRIME_PRIME && args->dry_run ? PRIME_PLAN : verb,
                     .progress = { .story = &cli->story } };
    struct jw_prime_report report = { 0 };
    struct prime_view v = { .verb = r.verb, .report = &report, .stats = cli->common.stats };
    struct jw_prime_memory *memory = NULL;
    struct jw_prime_options o;
    struct jw_err err = { 0 };
    bool ok;

    if (args->cache && !*args->cache) {
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
        return jw_cli_usage(cli, &err);
    }
    ok = set_up(&r, args, &o, &err)
         && (verb == PRIME_VERIFY ? jw_verify(&o, args->sample, &report, &memory, &err)
                                  : jw_prime(&o, &report, &memory, &err));
    jw_story_progress_end(&cli->story);
    ok = ok && (cli->common.json ? prime_write_json(cli, &v, &err) : prime_write_text(cli, &v, &err));

    int code = ok ? exit_code(args, r.verb, &report) : jw_cli_fail(cli, &err);

    jw_prime_free(memory);
    return code;
}
