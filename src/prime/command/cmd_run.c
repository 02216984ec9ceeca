#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "fleet/command/fleet_view.h"
#include "os/machine/time.h"
#include "os/process/exec.h"
#include "prime/command/prime_args.h"
#include "prime/command/prime_progress.h"

struct run_args {
    struct net_args net;
    struct texts command, trust;
    const char *pull;
    unsigned time_box_s;
    bool everything, allow_unsigned;
};

static const struct opt run_opts[] = {
    { "time-box", 0, OPT_DURATION, offsetof(struct run_args, time_box_s), "TIME",
      "start the command after this time even if not all of it is warm", NULL, HINT_NONE },
    { "pull", 0, OPT_TEXT, offsetof(struct run_args, pull), "REF",
      "first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says "
      "so",
      NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, offsetof(struct run_args, trust), "KEYFILE",
      "with --pull: trust packs that this public key has signed; may be repeated", NULL, HINT_FILES },
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct run_args, allow_unsigned), NULL,
      "with --pull: accept unsigned packs", NULL, HINT_NONE },
    { "everything", 0, OPT_FLAG, offsetof(struct run_args, everything), NULL,
      "with --pull: also entries of software that is not found here", NULL, HINT_NONE },
    FLEET_NET_OPTS(run_args),
    { 0 },
};

static void show_cold(struct cli *cli, const struct jw_prime_report *r)
{
    uint64_t cold = r->n_jobs - prime_warm(r);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->run->why)
        jw_text_clean(&text, r->run->why);
    else if (cold)
        jw_buf_printf(&text, "%llu of %zu modules are not warm (jitwarm prime shows why)",
                      (unsigned long long)cold, r->n_jobs);
    else
        jw_buf_text(&text, r->n_unread ? "not all software could be read (jitwarm prime shows what)"
                                       : "not all that it loads is warm (jitwarm prime shows why)");
    jw_messages_say(&cli->messages, "%s; starting the command anyway", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* Primes what the command is known to load; for an unknown command, warms again what was primed before. `*settled`:
 * there is nothing else to try. */
static bool warm(struct cli *cli, const struct run_args *a, unsigned time_box_s, const char *profile,
                 bool *settled, struct jw_err *err)
{
    struct prime_progress progress = { .messages = &cli->messages };
    struct jw_prime_options o = { .profile = profile,
                                  .if_stale = profile == NULL,
                                  .time_box_s = time_box_s,
                                  .yes = true,
                                  .same_login = true,
                                  .as_root = true };
    struct jw_run run = { .interrupted = cli->interrupted,
                          .progress = prime_progress_show,
                          .ctx = &progress };
    struct jw_prime_report report;
    struct jw_prime_memory *memory = NULL;
    bool ok = jw_prime(&run, &o, &report, &memory, err);

    jw_messages_progress_end(&cli->messages);
    bool well = run.end == JW_END_DONE || run.end == JW_END_NOTHING;

    if (report.own_cache)
        jw_messages_say(&cli->messages, "the command uses a cache of its own: %s", report.cache.root);
    *settled = report.profile_known || !well;
    if (ok && run.end != JW_END_INTERRUPTED && (!well || (run.why && !profile && !a->pull)))
        show_cold(cli, &report);
    jw_prime_free(memory);
    return ok;
}

/* Returns the seconds left of the time box; 0: no time box. */
static unsigned pull_first(struct cli *cli, const struct run_args *a)
{
    const char *ref = a->pull;
    struct pull_args p = { .net = a->net,
                           .words = { &ref, 1 },
                           .trust = a->trust,
                           .allow_unsigned = a->allow_unsigned,
                           .everything = a->everything,
                           .as_root = true };
    uint64_t began = jw_time_monotonic_ns(), took;

    if (a->time_box_s && (!p.net.deadline_s || p.net.deadline_s > a->time_box_s))
        p.net.deadline_s = a->time_box_s;
    fleet_pull_before(cli, &p);
    took = (jw_time_monotonic_ns() - began) / 1000000000;
    return !a->time_box_s ? 0 : took < a->time_box_s ? a->time_box_s - (unsigned)took : 1;
}

/* Starts the command even if warming fails. */
static int run_run(struct cli *cli, const void *args)
{
    const struct run_args *a = args;
    struct jw_err err = { 0 };
    char *profile = jw_prime_command(a->command.items);
    bool settled = false;
    unsigned left = a->pull ? pull_first(cli, a) : a->time_box_s;
    int code;

    if (!warm(cli, a, left, profile, &settled, &err))
        jw_messages_warn(&cli->messages, "%s; starting the command anyway", err.msg);
    else if (!settled) {
        jw_messages_detail(&cli->messages, "no profile of %s is recorded; jitwarm prime --run %s records one",
                           profile, profile);
        err = (struct jw_err){ 0 };
        if (!warm(cli, a, left, NULL, &settled, &err))
            jw_messages_warn(&cli->messages, "%s; starting the command anyway", err.msg);
    }
    jw_free(profile);
    if (jw_exec(a->command.items, &code, &err))
        return code;
    jw_messages_error(&cli->messages, "%s", err.msg);
    return code;
}

static const struct example run_examples[] = {
    { "jitwarm run -- python serve.py", "the entrypoint of a container" },
    { "jitwarm run --pull oci://reg.example/team/jit -- python serve.py",
      "the same where another machine has compiled already" },
    { "jitwarm run --time-box 30s -- ./server -p 80", "wait half a minute at most" },
    { 0 },
};

const struct cmd jw_cmd_run = {
    .name = "run",
    .summary = "prime what a command loads, then run the command",
    .synopsis_args = "-- CMD...",
    .details = "Warms what the command loads, as jitwarm prime --run CMD recorded it with the same words. "
               "If that is warm already, this takes milliseconds. For an unknown command it warms again "
               "what was primed before, if that is stale, and does not search. A command that is known to "
               "use a cache of its own has that one warmed. --pull first fetches what "
               "another machine compiled. Then the command replaces jitwarm, with its own standard streams, "
               "signals and exit code.\n\n"
               "run asks nothing, however long it takes; --time-box limits that. The command starts even if "
               "warming fails. The exit code is that of the command; 127 when there is no such command, 126 "
               "when it cannot be run.",
    .examples = run_examples,
    .opts = run_opts,
    .args_size = sizeof(struct run_args),
    .positional_at = offsetof(struct run_args, command),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .command = true,
    .run = run_run,
};
