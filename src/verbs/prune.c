/* prune: entries that no driver here can use. */
#include "cli/cli.h"
#include "verbs/prime_parts.h"

static void list_groups(struct rep *r, const struct jw_prune_report *p)
{
    if (r->cli->shared.json) /* JSON has the sum */
        return;
    rep_table(r, "groups", 12);
    for (const struct jw_prune_group *g = p->groups; g < p->groups + p->n_groups; g++) {
        rep_row(r);
        rep_fact(r, NULL, "WHY", rep_text(jw_prune_why_names[g->why]));
        jw_show_build(r, g);
        rep_fact(r, NULL, "SIZE", rep_bytes(g->sum.bytes));
        rep_detail(r, NULL, "BUILT", rep_text(jw_stamp_text(g->stamp).text));
    }
    rep_end(r);
}

static const char *head_of_prune(enum jw_end end, const struct jw_prune_report *p)
{
    switch (end) {
    case JW_END_DONE: return "Deleted.";
    case JW_END_NOTHING:
        return p->young ? "Nothing can be deleted now." : "There is nothing to delete.";
    case JW_END_LISTED: return "This can be deleted.";
    case JW_END_CONSENT: return "Nothing was deleted: confirm with --yes.";
    case JW_END_PARTLY: return "Deleted, but not all of it.";
    default: return "Nothing was deleted.";
    }
}

static int show_prune(struct cli *cli, const struct jw_run *run, const struct jw_prune_report *p)
{
    struct rep *r = rep_open(cli, "prune");
    struct jw_texts packs = {0};
    bool listed = run->end == JW_END_LISTED;
    enum jw_end end = listed ? jw_end_of_list(cli, run) : run->end;
    const struct jw_prune_sum *sum = listed ? &p->plan : &p->removed;

    rep_head(r, end, NULL, "%s", head_of_prune(end, p));
    rep_cache(r, p->cache);
    if (sum->entries)
        rep_say(r, REP_PLAIN, "Entries", "%s of %s (%s)", JW_NUM(sum->entries),
                JW_NUM(p->before.entries), JW_SIZE(sum->bytes));
    list_groups(r, p);
    rep_fact(r, "removable", NULL, rep_count(p->plan.entries));
    rep_fact(r, "removable_bytes", NULL, rep_bytes(p->plan.bytes));
    rep_fact(r, "removed", NULL, rep_count(p->removed.entries));
    rep_fact(r, "removed_bytes", NULL, rep_bytes(p->removed.bytes));
    rep_fact(r, NULL, "Records without a file", rep_count(p->stale));
    for (size_t i = 0; i < p->saved.n_packs; i++)
        jw_texts_add(&packs, r->a, p->saved.packs[i].path);
    rep_texts(r, "saved", "Saved", packs.v, packs.n);
    if (cli->shared.whole_cache && packs.n)
        rep_note(r, "prime takes these entries from there again (--no-pack: it compiles them)");
    rep_fact(r, "not_saved", "Not saved", rep_count(p->not_saved));
    jw_show_again(r, cli, end);
    rep_run(r, run);
    return rep_close_with(r, end);
}

static int run_prune(struct cli *cli, const void *args)
{
    const bool *no_pack = args;
    struct jw_prune_options o = {.all = cli->shared.whole_cache,
                                 .act = cli->shared.yes && !cli->shared.dry_run,
                                 .save = !*no_pack};

    for (;; o.act = true) {
        struct jw_run run = jw_cli_run(cli);
        struct jw_prune_report report = {0};
        struct jw_err err = {0};

        int code = jw_prune(&run, &o, &report, &err) ? show_prune(cli, &run, &report)
                                                     : jw_cli_fail(cli, &err);

        if (run.end != JW_END_LISTED || !jw_may_confirm(cli, &run))
            return code;
        if (!jw_run_ask(&run, "Delete all of this?", false))
            return JW_CLI_REFUSE(cli, &err, JW_E_BUSY, "nothing was deleted");
    }
}

const struct cmd jw_cmd_prune = {
    .name = "prune",
    .summary = "delete old entries of the cache",
    .synopsis_args = "",
    .details = "Lists entries (pieces of compiled code) that are damaged, or of a driver build "
               "which is not on this machine, asks, and deletes them. Before, it saves them as "
               "packs in ~/.local/share/jitwarm/packs "
               "(%LOCALAPPDATA%\\jitwarm\\packs): when that driver comes back, prime takes them "
               "from there.\n\nCUDA programs can keep running. What NVRTC, nvJitLink or OpenCL "
               "stored counts as in use.\n\nExit code 1: something stayed; 7: the answer was no, "
               "or there is no terminal to ask on (--yes).",
    .examples = {{"jitwarm prune", "list what can be deleted, ask, and delete it"},
                 {"jitwarm prune --yes", "delete it; save it as a pack first"},
                 {"jitwarm prune --whole-cache --no-pack --yes", "start from nothing"}},
    .opts = {{"no-pack", 0, OPT_FLAG, 0 /* the bool itself */,
              .help = "do not save what is deleted as a pack first"}},
    .order = "yes dry-run whole-cache no-pack cache json" JW_OF_ALL,
    .args_size = sizeof(bool),
    .instead = "jitwarm forget",
    .run = run_prune,
};
