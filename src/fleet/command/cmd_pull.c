#include "base/text.h"
#include "cli/commands.h"
#include "fleet/command/fleet_view.h"
#include "prime/command/prime_args.h"
#include "verbs/import.h"

static const struct opt pull_opts[] = {
    { "dry-run", 'n', OPT_FLAG, offsetof(struct pull_args, dry_run), NULL,
      "print which layers would be fetched, and change nothing", NULL, HINT_NONE },
    { "or-prime", 0, OPT_FLAG, offsetof(struct pull_args, or_prime), NULL,
      "then compile what no pack had (jitwarm prime --yes), also if the remote cannot be reached", NULL,
      HINT_NONE },
    { "everything", 0, OPT_FLAG, offsetof(struct pull_args, everything), NULL,
      "also import entries of software that is not installed here", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct pull_args, allow_unsigned), NULL,
      "accept unsigned packs", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, offsetof(struct pull_args, trust), "KEY",
      "trust this public key (a file, or its text) for this pull; may be repeated", NULL, HINT_FILES },
    { "no-verify", 0, OPT_FLAG, offsetof(struct pull_args, no_verify), NULL,
      "load no entry afterwards (default: load a sample of the new entries in a new process)", NULL,
      HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct pull_args, cache), "DIR",
      "into this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "as-root", 0, OPT_FLAG, offsetof(struct pull_args, as_root), NULL,
      "as root: for root itself, which is refused otherwise", NULL, HINT_NONE },
    FLEET_NET_OPTS(pull_args),
    { 0 },
};

static int exit_of(const struct jw_pull_report *r)
{
    int code = jw_pull_fits_none(r) ? EXIT_UNFIT_PACK : jw_cli_exit(r->end);

    return code == EXIT_DONE && r->missing ? EXIT_PARTLY : code;
}

/* Another jitwarm at work on the cache is waited for. */
static unsigned wait_of(const struct pull_args *a)
{
    enum { USUAL_WAIT_S = 60 };

    return a->net.deadline_s ? a->net.deadline_s : USUAL_WAIT_S;
}

static bool pull_once(struct cli *cli, const struct pull_args *a, const struct jw_ref *ref, bool same_login,
                      struct jw_pull_report *report, struct jw_err *err)
{
    const struct jw_import_options import = { .paths = a->words.items + 1,
                                              .n_paths = a->words.n - 1,
                                              .trust = a->trust.items,
                                              .n_trust = a->trust.n,
                                              .allow_unsigned = a->allow_unsigned,
                                              .everything = a->everything,
                                              .dry_run = a->dry_run,
                                              .no_verify = a->no_verify,
                                              .wait_s = wait_of(a),
                                              .as_root = a->as_root };
    struct jw_run run = jw_cli_run(cli);
    const struct jw_pull_options o = { .net = fleet_net(cli, &a->net, ref),
                                       .ref = ref,
                                       .import = &import,
                                       .run = &run,
                                       .same_login = same_login };

    cli->session.cache = a->cache;
    run.ask = NULL; /* a download does not wait for an answer */
    bool ok = jw_pull(&o, cli->arena, report, err);

    jw_messages_progress_end(&cli->messages);
    return ok;
}

static int pull_and_show(struct cli *cli, const struct pull_args *a, const struct jw_ref *ref, bool to_stderr)
{
    struct jw_pull_report report;
    struct jw_err err = { 0 };
    bool ok = pull_once(cli, a, ref, false, &report, &err);

    ok = ok
         && (cli->common.json && !to_stderr ? fleet_pull_json(cli, &report, ref, a->dry_run, &err)
                                            : fleet_pull_text(cli, &report, ref, to_stderr, &err));
    return ok ? exit_of(&report) : jw_cli_fail(cli, &err);
}

/* Compiles what no pack had. Its exit code counts. */
static int or_prime(struct cli *cli, const struct pull_args *a, int code)
{
    struct texts paths = { a->words.items + 1, a->words.n - 1 };
    const struct prime_args args = {
        .paths = paths, .cache = a->cache, .wait_s = wait_of(a), .as_root = a->as_root, .yes = true
    };

    if (code == EXIT_INTERRUPTED || code == EXIT_USAGE || code == EXIT_BUG || a->dry_run)
        return code;
    if (code == EXIT_DONE)
        jw_messages_detail(&cli->messages, "looking for modules that no pack had");
    return prime_run(cli, &args, PRIME_PRIME);
}

static int run(struct cli *cli, const void *given)
{
    const struct pull_args *args = given;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };
    int code;

    if ((args->cache && !*args->cache && !jw_fail(&err, JW_E_USAGE, "--cache: the name is empty"))
        || !jw_ref_parse(args->words.items[0], cli->arena, &ref, &err))
        return jw_cli_usage(cli, &err);
    code = pull_and_show(cli, args, &ref, args->or_prime);
    return args->or_prime ? or_prime(cli, args, code) : code;
}

void fleet_pull_before(struct cli *cli, const struct pull_args *a)
{
    struct jw_pull_report report;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };

    if (!jw_ref_parse(a->words.items[0], cli->arena, &ref, &err)
        || !pull_once(cli, a, &ref, true, &report, &err)) {
        jw_messages_warn(&cli->messages, "%s; nothing was pulled", err.msg);
        return;
    }
    const uint64_t imported = report.counts[JW_IMPORT_IMPORTED];
    const char *why = jw_pull_fits_none(&report)                                  ? report.kinds[0].missing
                      : report.end == JW_END_DONE || report.end == JW_END_NOTHING ? NULL
                                                                                  : report.why;

    if (imported)
        jw_messages_say(&cli->messages, "pulled %llu %s from %.200s", (unsigned long long)imported,
                        imported == 1 ? "entry" : "entries", a->words.items[0]);
    if (why)
        jw_messages_warn(&cli->messages, "%.200s: %s", a->words.items[0], why);
    else if (!imported)
        jw_messages_detail(&cli->messages, "the cache has all packs of %.200s for this machine",
                           a->words.items[0]);
}

static const struct example pull_examples[] = {
    { "jitwarm pull /srv/jit", "pull what fits this machine from a shared folder" },
    { "jitwarm pull oci://reg.example/team/jit --deadline 2m",
      "pull from a registry, for at most two minutes" },
    { "jitwarm pull /srv/jit --or-prime", "and compile what no pack has" },
    { "jitwarm pull /srv/jit /opt/app", "for software that jitwarm does not find by itself" },
    { "jitwarm pull --dry-run /srv/jit", "show which layers would be downloaded" },
    { 0 },
};

const struct cmd jw_cmd_pull = {
    .name = "pull",
    .summary = "fetch and import what another machine pushed",
    .synopsis_args = "REF [PATH...]",
    .details =
        "Looks up this machine's driver build and GPUs in the index at REF and imports the packs that fit, "
        "as "
        "jitwarm import does: digest, signature and key are checked before anything is written. Packs that "
        "an "
        "earlier pull imported are not downloaded again.\n\n"
        "REF is as in jitwarm push. The default tag is the line of jitwarm key. A folder can be "
        "read-only. If another jitwarm uses the cache, pull waits for it, for a minute or for --deadline.\n\n"
        "Imports only entries of CUDA software that is found here: in PATH, or without PATH in what was "
        "primed "
        "and in what is installed. --everything imports all.\n\n"
        "Exit codes: 0 the cache has everything for this machine; 1 some entries are not in the cache; 2 "
        "wrong "
        "option or REF; 3 unknown driver or GPU; 4 the cache cannot be written; 5 no pack fits this machine; "
        "6 "
        "a pack is damaged or not signed by a trusted key; 7 another jitwarm is running; 8 the remote cannot "
        "be "
        "reached or sent wrong data; 130 Ctrl-C. With --or-prime it is the exit code of jitwarm prime.",
    .examples = pull_examples,
    .opts = pull_opts,
    .often = "or-prime trust allow-unsigned everything no-verify cache cacert deadline dry-run",
    .args_size = sizeof(struct pull_args),
    .positional_at = offsetof(struct pull_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
