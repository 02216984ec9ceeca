#include "cli/commands.h"

#include "base/text.h"
#include "cache/prune/command/prune_view.h"

#include <stdint.h>

struct prune_args {
    const char *cache;
    bool dead, damaged, no_pack, yes, dry_run;
    const char *older, *max_size;
};

static const struct opt prune_opts[] = {
    { "dead", 0, OPT_FLAG, offsetof(struct prune_args, dead), NULL,
      "every driver build but this machine's is dead now, not only those that were not alive here for 90 "
      "days",
      NULL, HINT_NONE },
    { "damaged", 0, OPT_FLAG, offsetof(struct prune_args, damaged), NULL,
      "read every byte, and remove also what only that shows to be damaged", NULL, HINT_NONE },
    { "older-than", 0, OPT_TEXT, offsetof(struct prune_args, older), "AGE",
      "delete entries that were compiled longer ago, even if they are still used: 90d", NULL, HINT_NONE },
    { "max-size", 0, OPT_TEXT, offsetof(struct prune_args, max_size), "SIZE",
      "delete until at most this much is left: other builds first, then what no prime needs, the "
      "oldest first",
      NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct prune_args, cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "no-pack", 0, OPT_FLAG, offsetof(struct prune_args, no_pack), NULL,
      "do not save what a dead driver made as a pack first", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct prune_args, yes), NULL,
      "delete the entries; without this they are only listed", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct prune_args, dry_run), NULL,
      "show the list and change nothing", NULL, HINT_NONE },
    { 0 },
};

struct run {
    struct cli *cli;
    struct jw_err err;
    bool told; /* the plan is on the page already */
};

static void on_progress(void *ctx, const char *at)
{
    jw_messages_progress(&((struct run *)ctx)->cli->messages, "%s", at);
}

static void on_plan(void *ctx, const struct jw_prune_report *r)
{
    struct run *run = ctx;

    run->told = true;
    jw_messages_progress_end(&run->cli->messages);
    (void)!prune_write_plan(run->cli, r, &run->err);
}

static bool write_answer(struct run *run, const struct jw_prune_report *r)
{
    struct cli *cli = run->cli;
    struct prune_view v = { r, cli->common.stats };

    if (cli->common.json)
        return jw_answer_report(&cli->answer, &prune_form, &v, &run->err);
    return run->err.code == JW_OK && (run->told || prune_write_plan(cli, r, &run->err))
           && prune_write_end(cli, &v, &run->err);
}

/* Texts, because 0 is not the same as nothing: it would be everything. */
static bool read_limits(const struct prune_args *args, struct jw_prune_options *o, struct jw_err *err)
{
    o->max_size = UINT64_MAX;
    if (args->older && !jw_text_seconds(args->older, &o->older_s))
        return jw_fail(err, JW_E_USAGE, "--older-than wants a time such as 24h or 90d, not '%.64s'",
                       args->older);
    if (args->max_size && !jw_text_size(args->max_size, &o->max_size))
        return jw_fail(err, JW_E_USAGE, "--max-size wants a size such as 512M or 4GiB, not '%.64s'",
                       args->max_size);
    if ((args->older && !o->older_s) || !o->max_size)
        return jw_fail(err, JW_E_USAGE, "--%s 0 would be all of it: jitwarm clear --cache-too removes that",
                       o->max_size ? "older-than" : "max-size");
    return true;
}

static int prune_run(struct cli *cli, const void *p)
{
    const struct prune_args *args = p;
    struct run run = { .cli = cli };
    struct jw_prune_options o = { .cache = args->cache,
                                  .dead = args->dead,
                                  .damaged = args->damaged,
                                  .act = args->yes && !args->dry_run,
                                  .no_pack = args->no_pack,
                                  .interrupted = cli->interrupted,
                                  .progress = on_progress,
                                  .planned = cli->common.json ? NULL : on_plan,
                                  .ctx = &run };
    struct jw_prune_report r;

    if (args->cache && !*args->cache)
        (void)jw_fail(&run.err, JW_E_USAGE, "--cache: the name is empty");
    else
        (void)!read_limits(args, &o, &run.err);
    if (run.err.code != JW_OK)
        return jw_cli_usage(cli, &run.err);
    if (!jw_prune(&o, cli->arena, &r, &run.err) || !write_answer(&run, &r))
        return jw_cli_fail(cli, &run.err);
    jw_messages_progress_end(&cli->messages);
    if (r.why)
        jw_messages_error(&cli->messages, "%s", r.why);
    return jw_cli_exit(r.end);
}

static const struct example prune_examples[] = {
    { "jitwarm prune", "list what is of no use, and delete nothing" },
    { "jitwarm prune --yes", "delete it; what an old driver build made is kept as a pack" },
    { "jitwarm prune --dead --yes", "after a driver update that is final" },
    { "jitwarm prune --max-size 1GiB --yes", "make room, the least useful first" },
    { 0 },
};

const struct cmd jw_cmd_prune = {
    .name = "prune",
    .summary = "delete cache entries that no driver here can use",
    .synopsis_args = "",
    .details = "Lists the entries of the driver's cache that are of no use, and deletes them with --yes:\n\n"
               "dead: made by a driver build that is not this machine's, and that was not alive here (met "
               "by jitwarm, or compiling) for 90 days. A driver reads nothing that another build made, but "
               "its entries count against the limit. Before they go they are saved as a pack in jitwarm's "
               "store, for the day when that driver comes back. On a disk that other machines share no "
               "build is called dead.\n\n"
               "damaged: what does not fit its own header; with --damaged, its checksums, too.\n\n"
               "lost: files of which the cache's index has had no record for a day, and which no prime "
               "remembers. Records without a file go as well.\n\n"
               "prune keeps entries of other builds in use, unless --older-than or --max-size covers them. "
               "CUDA programs may run meanwhile. If a program needs a deleted entry, the driver compiles it "
               "again.",
    .examples = prune_examples,
    .opts = prune_opts,
    .args_size = sizeof(struct prune_args),
    .report = true,
    .run = prune_run,
};
