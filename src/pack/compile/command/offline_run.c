/* prime --offline, from the command line to the exit code. */
#include "base/limits.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/text.h"
#include "machine/config.h"
#include "pack/compile/command/offline_view.h"
#include "pack/keys/command/secret_key.h"
#include "prime/command/prime_args.h"

#include <string.h>

/* What is about this machine, its driver or its cache has no place here. */
static bool check(const struct prime_args *a, struct jw_err *err)
{
    const char *other = a->gpus.n       ? "--gpu"
                        : a->cache      ? "--cache"
                        : a->from_cache ? "--from-cache"
                        : a->run.n      ? "--run"
                        : a->renew      ? "--renew"
                        : a->if_stale   ? "--if-stale"
                        : a->tune       ? "--tune"
                        : a->background ? "--background"
                        : a->prune      ? "--prune"
                        : a->packs      ? "--packs"
                        : a->stop       ? "--stop"
                        : a->manner     ? "--profile"
                        : a->ptx        ? "--output"
                        : a->time_box_s ? "--time-box"
                        : a->no_verify  ? "--no-verify"
                        : a->retry      ? "--retry"
                        : a->task       ? "--task"
                        : a->memory     ? "--mem"
                        : a->keep_free  ? "--keep-free"
                        : a->includes.n ? "--include"
                                        : NULL;

    if (other)
        return jw_fail(err, JW_E_USAGE, "--offline is not about this machine's driver and cache: not with %s",
                       other);
    if (!a->target)
        return jw_fail(
            err, JW_E_USAGE,
            "--offline wants to know the machine that the pack is for: --for "
            "\"driver=STAMP,sm=86\", with the stamp that jitwarm doctor --probe --json tells there");
    if (!a->paths.n)
        return jw_fail(err, JW_E_USAGE, "--offline wants the files or folders to make the pack of");
    if (a->pack && strcmp(a->pack, "-") == 0)
        return jw_fail(err, JW_E_USAGE, "--pack: standard output is prime's answer; name a file");
    if (a->jobs > JW_MAX_JOBS)
        return jw_fail(err, JW_E_USAGE, "--jobs %u is more than %u", a->jobs, (unsigned)JW_MAX_JOBS);
    return true;
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    struct cli *cli = ctx;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (total) {
        jw_text_bytes(&text, done);
        jw_buf_text(&text, " of ");
        jw_text_bytes(&text, total);
        jw_buf_text(&text, " of PTX ");
    }
    jw_story_progress(&cli->story, "%s%s", jw_buf_cstr(&text), what);
    jw_buf_free(&text);
}

static int exit_of(enum jw_offline_end end)
{
    switch (end) {
    case JW_OFFLINE_DONE: return EXIT_DONE;
    case JW_OFFLINE_CANNOT_WRITE: return EXIT_CANNOT_WRITE;
    case JW_OFFLINE_CONSENT: return EXIT_BUSY;
    case JW_OFFLINE_INTERRUPTED: return EXIT_INTERRUPTED;
    default: return EXIT_PARTLY;
    }
}

/* The user's patterns and those of jitwarm.conf; how large the store may be. */
static bool settle(struct cli *cli, const struct prime_args *a, struct jw_offline_options *o,
                   struct jw_err *err)
{
    struct jw_config config = { 0 };

    if (!jw_config_load(cli->arena, &config, err))
        return false;
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_story_warn(&cli->story, "%s", config.warnings.v[i]);
    o->store_cap = jw_config_store_cap(&config);
    o->jobs = o->jobs ? o->jobs : config.jobs_count;
    return jw_config_excludes(&config, a->exclude.items, a->exclude.n, cli->arena, &o->exclude, &o->n_exclude,
                              err);
}

static int make(struct cli *cli, const struct prime_args *a, struct jw_offline_options *o)
{
    struct jw_offline_report report = { 0 };
    struct jw_err err = { 0 };
    bool ok = settle(cli, a, o, &err) && jw_offline(o, cli->arena, &report, &err);
    struct offline_view v = { .report = &report, .dry_run = a->dry_run };

    jw_story_progress_end(&cli->story);
    ok = ok && (cli->common.json ? offline_write_json(cli, &v, &err) : offline_write_text(cli, &v, &err));
    return ok ? exit_of(report.end) : jw_cli_fail(cli, &err);
}

int prime_offline(struct cli *cli, const struct prime_args *a)
{
    struct jw_minisign_secret key = { 0 };
    struct jw_err err = { 0 };
    struct jw_offline_options o = { .paths = a->paths.items,
                                    .n_paths = a->paths.n,
                                    .only = a->only.items,
                                    .n_only = a->only.n,
                                    .skip = a->skip.items,
                                    .n_skip = a->skip.n,
                                    .all = a->all,
                                    .compiler = a->compiler ? a->compiler : "ptxas",
                                    .output = a->pack,
                                    .jobs = a->jobs,
                                    .timeout_s = a->timeout_s,
                                    .yes = a->yes,
                                    .dry_run = a->dry_run,
                                    .key = a->sign && !a->dry_run ? &key : NULL,
                                    .interrupted = cli->interrupted,
                                    .progress = on_progress,
                                    .ctx = cli };
    int code = EXIT_DONE;

    if (!check(a, &err) || !jw_offline_target(a->target, cli->arena, &o, &err))
        return jw_cli_usage(cli, &err);
    if (o.key)
        code = jw_cli_secret_key(cli, a->sign, &key);
    if (code == EXIT_DONE)
        code = make(cli, a, &o);
    if (o.key)
        jw_secret_wipe(&key, sizeof key);
    return code;
}
