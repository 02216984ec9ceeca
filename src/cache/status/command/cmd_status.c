#include "cache/prune/repair.h"
#include "cache/status/command/status_view.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include <string.h>

struct status_args {
    const char *cache;
    bool check, metrics, repair;
};

static const struct opt status_opts[] = {
    { "cache", 0, OPT_TEXT, offsetof(struct status_args, cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "check", 0, OPT_FLAG, offsetof(struct status_args, check), NULL,
      "read every byte of every entry, and exit with 6 if one is damaged", NULL, HINT_NONE },
    { "repair", 0, OPT_FLAG, offsetof(struct status_args, repair), NULL,
      "rebuild the cache's index first, if it is missing or damaged; no entry is removed", NULL, HINT_NONE },
    { "metrics", 0, OPT_FLAG, offsetof(struct status_args, metrics), NULL, "print in Prometheus' text format",
      NULL, HINT_NONE },
    { 0 },
};

static bool tell(struct cli *cli, const struct status_args *args, const struct jw_status_report *r,
                 struct jw_err *err)
{
    const struct status_view v = { .report = r, .check = args->check, .stats = cli->common.stats };

    return cli->common.json ? jw_answer_report(&cli->answer, &status_form, &v, err)
           : args->metrics  ? status_write_metrics(cli, &v, err)
                            : status_write_text(cli, &v, err);
}

/* What is done goes to stderr, before and after it: the answer is that of status. */
static bool repair(struct cli *cli, const char *cache, int *code, struct jw_err *err)
{
    struct jw_repair r;

    jw_messages_progress(&cli->messages,
                         "looking at the cache's index, to rebuild it if it is missing or damaged");
    if (!jw_cache_repair(cache, cli->interrupted, cli->arena, &r, err))
        return false;
    jw_messages_progress_end(&cli->messages);
    if (r.end == JW_REPAIR_SOUND)
        jw_messages_say(&cli->messages, "The index is sound: nothing was repaired.");
    else if (r.end == JW_REPAIR_DONE)
        jw_messages_say(
            &cli->messages,
            "The index was damaged (%s). It was rebuilt from %llu whole entries; %llu damaged files "
            "got no record.",
            r.healed.damage, (unsigned long long)r.healed.records, (unsigned long long)r.healed.not_whole);
    else
        jw_messages_error(&cli->messages, "%s/index: %s", r.root, r.why);
    *code = r.end == JW_REPAIR_BUSY ? EXIT_BUSY : r.end == JW_REPAIR_CANNOT ? EXIT_CANNOT_WRITE : EXIT_DONE;
    return true;
}

static int status_run(struct cli *cli, const void *p)
{
    const struct status_args *args = p;
    struct jw_status_options o = {
        .cache = args->cache, .check = args->check, .look = true, .interrupted = cli->interrupted
    };
    struct jw_status_report r = { 0 };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (args->repair && args->metrics)
        (void)jw_fail(&err, JW_E_USAGE, "--repair and --metrics do not go together");
    else if (args->metrics && cli->common.json)
        (void)jw_fail(&err, JW_E_USAGE, "--metrics and --json do not go together");
    else if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    if (args->repair && !repair(cli, args->cache, &code, &err))
        return jw_cli_fail(cli, &err);
    if (code != EXIT_DONE)
        return code;
    if (!jw_status(&o, cli->arena, &r, &err) || !tell(cli, args, &r, &err))
        code = jw_cli_fail(cli, &err);
    else if (args->check
             && (r.damaged.entries || r.list.index_lost || (r.list.index_damage && !r.list.index_unread)))
        code = EXIT_INTEGRITY;
    else if (!jw_status_whole(&r))
        code = EXIT_PARTLY;
    jw_status_free(&r);
    return code;
}

static const struct example status_examples[] = {
    { "jitwarm status", "what the driver keeps for CUDA programs that you start from this shell" },
    { "jitwarm status --check --cache /srv/cache/ComputeCache", "is every entry of that cache whole?" },
    { "jitwarm status --metrics > /var/lib/node_exporter/jitwarm.prom",
      "for the node exporter's text collector" },
    { 0 },
};

const struct cmd jw_cmd_status = {
    .name = "status",
    .summary = "show what the driver's cache holds",
    .synopsis_args = "",
    .details = "Shows where the NVIDIA driver keeps the code that it compiled for this user (its JIT cache, "
               "\"ComputeCache\"), how large that may grow, and what is in it: entries by the driver build "
               "that made them and by GPU architecture, those of OpenCL and NVRTC, the largest, and what is "
               "damaged or lost. An entry serves only the driver build that made it; which build is this "
               "machine's is known once it was probed.\n\n"
               "status compares what prime recorded with what is there: entries that are gone, whether "
               "everything fits under the limit, and which software the entries belong to. It also shows a "
               "running prime.\n\n"
               "The environment of this shell decides: a service or another login may have another cache. "
               "Without --repair nothing is changed or locked, and the driver is not loaded. Caches of "
               "other programs (shader caches, PyTorch's, Triton's, CuPy's) are not looked at.\n\n"
               "--repair: a cache whose index is missing or damaged loses all other entries when the next "
               "program compiles something. The index is rebuilt from the records that are left and from "
               "whole entries.\n\n"
               "The exit code is 1 when part of the cache could not be read.",
    .examples = status_examples,
    .opts = status_opts,
    .args_size = sizeof(struct status_args),
    .report = true,
    .run = status_run,
};
