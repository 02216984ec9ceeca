#include "cli/cli.h"
#include "cli/report.h"
#include "prime/prime.h"
#include "prime/watch.h"
#include "verbs/prime_parts.h"

/* ---- a command ---- */

static int verify_command(struct cli *cli)
{
    const struct jw_texts words = cli->shared.run;
    struct jw_run run = jw_cli_run(cli);
    const struct jw_watch_how how = { .words = words.v, .output_to_errors = cli->shared.json };
    struct jw_watched w = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_watch_run(&run, &how, &w, &err);
    const struct jw_start_seen *seen = &w.seen;

    jw_watched_free(&w);
    if (!ok)
        return jw_cli_fail(cli, &err);

    const struct jw_want want = { .command = words };
    struct jw_facts f = jw_scope_facts(&cli->session, &want, cli->arena);
    bool nothing = jw_start_compiled(seen) == JW_WITNESS_NOTHING;
    bool well = nothing && !jw_start_failed(seen);

    f.start = seen->start;
    const struct jw_cause *c = well ? NULL : jw_cause_of_start(&f);
    bool undriven = c && seen->is != JW_START_COMPILED && c->end == JW_END_NO_GPU;
    enum jw_end end = well ? JW_END_DONE : undriven ? JW_END_NO_GPU : JW_END_PARTLY;

    if (seen->is == JW_START_UNUSED && !undriven) /* no setting is why a program loads no driver */
        c = NULL;
    struct rep *r = rep_open(cli, cli->shared.json ? "verify" : NULL);

    rep_head(r, end,
             nothing ? "compiled-nothing" : jw_witness_answer_names[jw_start_compiled(seen)],
             "%s%s", jw_start_failed(seen) ? "The command failed. " : "", jw_seen_head(seen));
    jw_show_seen(r, seen,
                 undriven || (c && c->end == JW_END_CANNOT_WRITE && seen->is == JW_START_UNSTORED));
    rep_cache(r, true, seen->start.cache ? seen->start.cache : w.cache);
    if (c)
        rep_cause(r, false, &(struct jw_summary){ .cause = c }, &f);
    else if (seen->is == JW_START_COMPILED)
        rep_note(r, "the cache keeps it: the next start that loads the same finds it there");
    rep_run(r, &run);
    return rep_close(r);
}

/* ---- files ---- */

static int run_verify(struct cli *cli, const void *args)
{
    const struct jw_texts *paths = args;
    const struct jw_prime_options o = {
        .form = JW_PRIME_VERIFY,
        .want = { .paths = *paths, .gpus = cli->shared.gpus, .all = cli->shared.all }
    };
    struct jw_run run = jw_cli_run(cli);
    struct jw_prime_report report = { 0 };
    struct jw_err err = { 0 };
    int code;

    if (cli->shared.run.n)
        return verify_command(cli);
    if (jw_prime(&run, &o, &report, &err)) {
        struct rep *r = rep_open(cli, "verify");
        const struct jw_summary v = jw_end_summary(&run, report.look);

        jw_show_look(r, false, &v, report.look);
        jw_show_jobs(r, report.look);
        rep_run(r, &run);
        code = rep_close(r);
    } else {
        code = jw_cli_fail(cli, &err);
    }
    jw_prime_free(&report);
    return code;
}

static const struct example verify_examples[] = {
    { "jitwarm verify --run python serve.py", "does this program compile when it starts?" },
    { "jitwarm verify", "load all that was primed" },
    { 0 },
};

const struct cmd jw_cmd_verify = {
    .name = "verify",
    .summary = "start a program, and see whether it compiles",
    .synopsis_args = "[PATH...]",
    .details =
        "--run starts the program once, in the foreground, and says what this start compiled, and "
        "by which "
        "compiler. Nothing is primed or remembered.\n\nWithout --run a fresh process loads the "
        "CUDA code of "
        "PATH, or of what prime takes without it, as prime does when it is done. Code that is not "
        "in the "
        "cache "
        "is counted, and not loaded; where only a load shows that, the driver is forbidden to "
        "compile.\n\nExit "
        "code 0: nothing was compiled; 1: something was, or is not in the cache, or nothing was "
        "seen.",
    .examples = verify_examples,
    .order = "run gpu cache all json" JW_OF_ALL " as-root",
    .alone = { { "run", "cache json as-root" } },
    .args_size = sizeof(struct jw_texts),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_verify,
};
