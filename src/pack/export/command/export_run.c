/* Runs export, and prime --pack, from the options to the exit code. */
#include "base/limits.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/bar.h"
#include "cli/cli.h"
#include "cli/secret_key.h"
#include "jitwarm/prime.h"
#include "machine/config.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/export/command/export_view.h"
#include "prime/command/absent_gpus.h"

#include <errno.h>
#include <string.h>

struct run {
    struct cli *cli;
    const struct export_args *args;
    struct export_view view;
    struct jw_minisign_secret key;
    char key_id[17], public_key[JW_MINISIGN_LINE + 1];
    bool json;
    uint64_t began;   /* packing; 0: not yet */
    uint64_t printed; /* the last line, without a terminal */
};

/* ---- progress ---- */

static void show_bytes(struct run *r, uint64_t done, uint64_t total)
{
    static const uint64_t between_lines = 5000000000;
    struct jw_messages *s = &r->cli->messages;
    uint64_t now = jw_time_monotonic_ns();
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    if (!r->began)
        r->began = r->printed = now;
    if (s->terminal) {
        if (jw_messages_block_due(s)) {
            jw_bar_line(&line, done, total, (double)(now - r->began) / 1e9, s->columns);
            jw_messages_block(s, jw_buf_cstr(&line));
        }
    } else if (now - r->printed >= between_lines) {
        r->printed = now;
        jw_bar_line(&line, done, total, (double)(now - r->began) / 1e9, 0);
        jw_messages_say(s, "packing: %s", jw_buf_cstr(&line));
    }
    jw_buf_free(&line);
}

static void show_packing(void *ctx, const struct jw_progress *p)
{
    struct run *r = ctx;

    if (p->total)
        show_bytes(r, p->done, p->total);
    else
        jw_cli_progress(r->cli, p);
}

/* ---- questions ---- */

static bool ask_with_listing(void *ctx, const char *question, bool usual)
{
    struct run *r = ctx;
    struct jw_err err = { 0 };

    if (r->args->everything) {
        jw_messages_progress_end(&r->cli->messages);
        if (!export_print_listing(r->cli, &r->view, &err))
            return false;
    }
    return jw_cli_ask(r->cli, stdin, question, usual);
}

/* ---- standard output ---- */

/* A closed pipe is an error, because the reader has only a part of the pack. */
static bool put_output(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct cli *cli = ctx;

    errno = 0;
    if (fwrite(p, 1, n, cli->out.to) == n && fflush(cli->out.to) == 0)
        return true;
    if (errno == EPIPE)
        return jw_fail(err, JW_E_IO, "standard output was closed before the whole pack was written");
    return jw_fail(err, JW_E_IO, "standard output: %s", strerror(errno ? errno : EIO));
}

static bool piped(const struct export_args *a)
{
    return a->output && strcmp(a->output, "-") == 0;
}

/* ---- the run ---- */

static bool check_export_args(const struct cli *cli, const struct export_args *a, struct jw_err *err)
{
    if (a->cache && !*a->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    if (a->everything && a->paths.n)
        return jw_fail(err, JW_E_USAGE, "--everything and PATH cannot be combined");
    if (a->run.n && (a->everything || a->paths.n))
        return jw_fail(err, JW_E_USAGE, "--run cannot be combined with %s",
                       a->everything ? "--everything" : "PATH");
    if (!piped(a))
        return true;
    if (cli->common.json)
        return jw_fail(err, JW_E_USAGE, "-o - and --json cannot be combined: both use standard output");
    if (!a->dry_run && jw_term_is(stdout))
        return jw_fail(err, JW_E_USAGE, "cannot write a pack to a terminal; use -o FILE or a pipe");
    return true;
}

/* Adds what jitwarm.conf sets. */
static void read_config(struct run *r, struct jw_export_options *o)
{
    const struct jw_config *config = jw_session_config(&r->cli->session);

    for (size_t i = 0; i < config->warnings.n; i++)
        jw_messages_warn(&r->cli->messages, "%s", config->warnings.v[i]);
    o->store_cap = r->args->no_store ? 0 : jw_config_store_cap(config);
    r->cli->session.exclude = r->args->exclude.items;
    r->cli->session.n_exclude = r->args->exclude.n;
}

static int export_and_print(struct run *r)
{
    const struct export_args *a = r->args;
    struct jw_sink to = { put_output, r->cli };
    struct jw_export_report report = { 0 };
    struct jw_err err = { 0 };
    char *command = a->run.n ? jw_prime_command(a->run.items) : NULL;
    struct jw_export_options o = { .paths = a->paths.items,
                                   .command = command ? jw_arena_str(r->cli->arena, command) : NULL,
                                   .argv = a->run.items,
                                   .n_paths = a->paths.n,
                                   .gpus = a->gpus.items,
                                   .n_gpus = a->gpus.n,
                                   .output = a->output,
                                   .stream = piped(a) ? &to : NULL,
                                   .everything = a->everything,
                                   .yes = a->yes,
                                   .dry_run = a->dry_run,
                                   .key = a->sign && !a->dry_run ? &r->key : NULL };
    struct jw_run run = jw_cli_run(r->cli);

    jw_free(command);
    r->cli->session.cache = a->cache;
    run.progress = show_packing;
    run.ask = run.ask && !a->yes ? ask_with_listing : NULL;
    run.ctx = r;
    r->view.report = &report;

    read_config(r, &o);
    bool ok = jw_export(&run, &o, &report, &err);

    jw_messages_progress_end(&r->cli->messages);
    r->view.empty = report.n_packs ? NULL : report.packs;
    if (ok && run.end == JW_END_CONSENT && a->everything && !run.ask && !r->json)
        ok = export_print_listing(r->cli, &r->view, &err);
    ok = ok
         && (r->json ? jw_output_report(&r->cli->out, &export_form, &r->view, &err)
                     : export_write_text(r->cli, &r->view, &err));
    r->view.report = NULL; /* it ends here */
    r->view.empty = NULL;
    return ok ? export_exit(run.end) : jw_cli_fail(r->cli, &err);
}

static void show_key(struct run *r)
{
    struct jw_minisign_public key = jw_minisign_public_of(&r->key);

    jw_minisign_show_id(r->key_id, key.id);
    jw_minisign_show_public(r->public_key, &key);
    r->view.key = r->key_id;
    r->view.public_key = r->public_key;
}

static int export_one(struct cli *cli, const struct export_args *args, bool to_stderr)
{
    struct run r = { .cli = cli,
                     .args = args,
                     .view = { .dry_run = args->dry_run,
                               .everything = args->everything,
                               .stats = cli->common.stats,
                               .to_stderr = to_stderr || piped(args) },
                     .json = cli->common.json && !to_stderr };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check_export_args(cli, args, &err))
        return jw_cli_usage(cli, &err);
    if (args->sign && !args->dry_run) {
        code = jw_cli_secret_key(cli, args->sign, &r.key);
        if (code == EXIT_DONE)
            show_key(&r);
    }
    if (code == EXIT_DONE)
        code = export_and_print(&r);
    jw_secret_wipe(&r.key, sizeof r.key);
    return code;
}

/* prime --gpu has a separate cache for GPUs that are not here. */
int export_run(struct cli *cli, const struct export_args *args, bool to_stderr)
{
    struct export_args here = *args, there = *args;
    struct jw_err err = { 0 };

    if (args->cache || !args->gpus.n)
        return export_one(cli, args, to_stderr);
    if (!absent_gpus_split(cli, &here.gpus, &there.gpus, &err))
        return jw_cli_fail(cli, &err);
    if (!there.gpus.n)
        return export_one(cli, &here, to_stderr);
    there.cache = absent_gpus_kept(cli->arena);
    if (here.gpus.n && args->output && (piped(args) || !jw_is_folder(args->output))) {
        (void)jw_fail(&err, JW_E_USAGE, JW_EXPORT_SEVERAL);
        return jw_cli_usage(cli, &err);
    }

    int code = here.gpus.n ? export_one(cli, &here, to_stderr) : EXIT_DONE,
        other = export_one(cli, &there, to_stderr);

    return code == EXIT_DONE ? other : code;
}
