/* uninstall: all that jitwarm has set up and remembers, removed. */
#include "setup/uninstall.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/steps.h"
#include "os/machine/env.h"

struct uninstall_args {
    bool packs;
};

static const struct opt uninstall_opts[] = {
    { "packs", 0, OPT_FLAG, offsetof(struct uninstall_args, packs), NULL,
      "also delete the packs in your own folder of packs", NULL, HINT_NONE },
    { 0 },
};

static int report_removal(struct cli *cli, const struct jw_uninstall_report *u, bool dry)
{
    struct rep *r = rep_open(cli, "uninstall");
    enum jw_end end = u->run->end;

    if (end == JW_END_BUSY)
        rep_head(r, REP_BAD, "busy", "%s", u->run->why);
    else if (end == JW_END_NOTHING)
        rep_head(r, REP_PLAIN, "nothing", "Nothing to remove");
    else if (end == JW_END_PARTLY)
        rep_head(r, REP_WARN, "partly", "Not all is removed: %s", u->run->why);
    else
        rep_head(r, REP_GOOD, dry ? "dry-run" : "done", dry ? "jitwarm uninstall removes this" : "Removed");
    steps_report(r, STEPS_TAKEN, dry, &u->steps);
    for (size_t i = 0; i < u->run->notes.n; i++)
        rep_note(r, "%s", u->run->notes.v[i]);
    rep_say(r, REP_PLAIN, "Stays",
            "the driver's cache (jitwarm prune --all deletes it), jitwarm.conf, keys, and the program");
    return rep_close(r, jw_cli_exit(end));
}

/* False: the list was shown, and nobody agreed; `*code` says how that ends. */
static bool is_agreed(struct cli *cli, const struct jw_uninstall_options *o, int *code)
{
    const struct jw_uninstall_options dry = { .packs = o->packs, .dry_run = true };
    struct jw_run run = jw_cli_run(cli);
    struct jw_uninstall_report u;
    struct jw_err err = { 0 };

    if (!jw_uninstall(&run, &dry, &u, &err)) {
        *code = jw_cli_fail(cli, &err);
        return false;
    }
    *code = report_removal(cli, &u, true);
    if (o->dry_run || run.end == JW_END_NOTHING || run.end == JW_END_BUSY || *code != EXIT_DONE)
        return false;
    if (jw_term_is(stdin) && jw_term_is(stderr) && !cli->shared.json
        && jw_cli_ask(cli, "Remove all of this?", false))
        return true;
    jw_messages_error(&cli->messages, "nothing was removed: confirm with --yes");
    *code = EXIT_BUSY;
    return false;
}

static int uninstall_run(struct cli *cli, const void *p)
{
    const struct uninstall_args *args = p;
    const struct jw_uninstall_options o = { .packs = args->packs, .dry_run = cli->shared.dry_run };
    struct jw_run run = jw_cli_run(cli);
    struct jw_uninstall_report u;
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if ((o.dry_run || !cli->shared.yes) && !is_agreed(cli, &o, &code))
        return code;
    return jw_uninstall(&run, &o, &u, &err) ? report_removal(cli, &u, false) : jw_cli_fail(cli, &err);
}

static const struct example examples[] = {
    { "jitwarm uninstall", "list all of it, ask, and remove it" },
    { "jitwarm prune --all --yes && jitwarm uninstall --yes", "the driver's cache, too" },
    { "sudo jitwarm uninstall", "what is set up for every user of this machine" },
    { 0 },
};

const struct cmd jw_cmd_uninstall = {
    .name = "uninstall",
    .summary = "remove all that jitwarm has set up and remembers",
    .synopsis_args = "",
    .details = "Removes the file of `env apply`, the startup task and startup.conf, and the "
               "state folder; as root also what is "
               "set up for the whole machine. It shows the list first and asks. Warm software stays warm.\n\n"
               "Without a terminal and without --yes nothing is removed, and the exit code is 7.",
    .examples = examples,
    .opts = uninstall_opts,
    .shared = "yes dry-run json",
    .args_size = sizeof(struct uninstall_args),
    .run = uninstall_run,
};
