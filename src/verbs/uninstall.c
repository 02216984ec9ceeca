/* uninstall: all that jitwarm has set up and remembers, removed. */
#include "base/path.h"
#include "cli/cli.h"
#include "setup/setup.h"
#include "verbs/prime_parts.h"

/* Shows what is the user's to delete. */
static void show_kept(struct rep *r)
{
    const char *config = jw_env_config_user(r->a);
    const char *own = config ? jw_path_join(r->a, config, "jitwarm") : NULL;
    const char *also = "";
    const char *start;

    if (own && jw_is_folder(own))
        also = jw_arena_printf(r->a, ", your settings and keys in %s", own);
    rep_say(r, REP_PLAIN, "Stays",
            "the driver's cache (jitwarm prune --whole-cache --no-pack --yes empties it; "
            "type it before uninstall), the program%s",
            also);
    if (jw_env_start_has("jitwarm", r->a, &start))
        rep_todo_say(r, "take the lines of jitwarm out of %s (grep -n jitwarm %s)", start, start);
}

/* `list`: only lists it. */
static int uninstall(struct cli *cli, bool packs, bool list, struct jw_run *run)
{
    static const char *const heads[JW_ENDS] = {
        [JW_END_NOTHING] = "Nothing is left that jitwarm can remove.",
        [JW_END_DONE] = "Removed.",
        [JW_END_LISTED] = "This can be removed.",
        [JW_END_PARTLY] = "Not all is removed.",
        [JW_END_CONSENT] = "Nothing was removed: confirm with --yes.",
        [JW_END_BUSY] = "Another jitwarm is at work."};
    struct jw_step_list steps = {0};
    struct jw_err err = {0};
    struct rep *r;

    if (!jw_uninstall(run, packs, list, &steps, &err)) {
        run->end = JW_END_STOPPED;
        return jw_cli_fail(cli, &err);
    }
    r = rep_open(cli, "uninstall");
    if (list && run->end == JW_END_DONE)
        run->end = jw_end_of_list(cli, run);
    rep_head(r, run->end, NULL, "%s", heads[run->end]);
    rep_steps(r, list, &steps);
    jw_show_again(r, cli, run->end);
    rep_run(r, run);
    show_kept(r);
    return rep_close_with(r, run->end);
}

static int uninstall_run(struct cli *cli, const void *p)
{
    const bool *packs = p;
    struct jw_run run = jw_cli_run(cli);
    bool list = !cli->shared.yes || cli->shared.dry_run;
    struct jw_err err = {0};
    int code = uninstall(cli, *packs, list, &run);

    if (run.end != JW_END_LISTED || !jw_may_confirm(cli, &run))
        return code;
    if (!jw_run_ask(&run, "Remove all of this?", false))
        return JW_CLI_REFUSE(cli, &err, JW_E_BUSY, "nothing was removed");
    jw_run_begin(&run);
    return uninstall(cli, *packs, false, &run);
}

const struct cmd jw_cmd_uninstall = {
    .name = "uninstall",
    .summary = "remove all that jitwarm set up and remembers",
    .synopsis_args = "",
    .details =
        "Removes the file of `env apply`, the startup task and startup.conf, and the state folder; "
        "as root also what is set up for the whole machine. Compiled code stays in the driver's "
        "cache.\n\nIt shows the list first and asks. Without a terminal and without --yes nothing "
        "is removed, and the exit code is 7.",
    .examples = {{"jitwarm uninstall", "list all of it, ask, and remove it"},
                 {"jitwarm prune --whole-cache --no-pack --yes && jitwarm uninstall --yes",
                  "the driver's cache, too"}},
    .opts = {{"packs", 0, OPT_FLAG, 0 /* the bool itself */,
              .help = "also delete the packs that prune saved, and the key that signed them"}},
    .order = "packs yes dry-run json" JW_OF_ALL,
    .args_size = sizeof(bool),
    .run = uninstall_run,
};
