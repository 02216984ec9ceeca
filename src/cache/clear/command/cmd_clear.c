#include "cli/commands.h"

#include "base/text.h"
#include "cache/clear/command/clear_view.h"
#include "os/machine/ask.h"
#include "os/machine/env.h"

struct clear_args {
    const char *cache;
    bool cache_too, yes, dry_run;
};

static const struct opt clear_opts[] = {
    { "cache-too", 0, OPT_FLAG, offsetof(struct clear_args, cache_too), NULL,
      "also delete everything in the driver's cache, whatever program compiled it", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct clear_args, cache), "DIR",
      "with --cache-too: use this cache (default: the one of CUDA programs started from this shell)", NULL,
      HINT_DIRS },
    { "yes", 'y', OPT_FLAG, offsetof(struct clear_args, yes), NULL, "do not ask", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct clear_args, dry_run), NULL,
      "show the list and change nothing", NULL, HINT_NONE },
    { 0 },
};

int clear_exit(struct cli *cli, const struct jw_clear_report *r)
{
    if (r->why)
        jw_messages_error(&cli->messages, "%s", r->why);
    return jw_cli_exit(r->end);
}

static int show(struct cli *cli, const struct jw_clear_report *r)
{
    struct jw_err err = { 0 };

    if (!(cli->common.json ? jw_answer_report(&cli->answer, &clear_form, r, &err)
                           : clear_write_text(cli, r, &err)))
        return jw_cli_fail(cli, &err);
    return clear_exit(cli, r);
}

bool clear_agreed(struct cli *cli)
{
    char line[16];

    if (cli->common.json || !jw_term_is(stdin) || !jw_term_is(stderr)) {
        jw_messages_error(&cli->messages, "nothing was removed: confirm with --yes");
        return false;
    }
    jw_messages_page(&cli->messages, "Remove all of this? [y/N] ");
    return jw_ask_line(stdin, line, sizeof line, cli->interrupted)
           && (jw_text_equal_nocase(line, "y") || jw_text_equal_nocase(line, "yes"));
}

static int act(struct cli *cli, struct jw_clear_options *o, const struct clear_args *args)
{
    struct jw_clear_report r;
    struct jw_err err = { 0 };

    if (!jw_clear(o, cli->arena, &r, &err))
        return jw_cli_fail(cli, &err);
    if (r.end != JW_END_TOLD || args->dry_run)
        return show(cli, &r);
    if (!args->yes) {
        int code = show(cli, &r);

        if (code != EXIT_DONE)
            return code;
        if (!clear_agreed(cli))
            return EXIT_BUSY;
    }
    o->act = true;
    if (!jw_clear(o, cli->arena, &r, &err))
        return jw_cli_fail(cli, &err);
    return show(cli, &r);
}

static int clear_run(struct cli *cli, const void *p)
{
    const struct clear_args *args = p;
    struct jw_clear_options o = { .cache_too = args->cache_too,
                                  .cache = args->cache,
                                  .interrupted = cli->interrupted };
    struct jw_err err = { 0 };

    if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    else if (args->cache && !args->cache_too)
        (void)jw_fail(&err, JW_E_USAGE, "--cache goes with --cache-too: without it no cache is touched");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    return act(cli, &o, args);
}

static const struct example clear_examples[] = {
    { "jitwarm clear", "show all that jitwarm stores for you, ask, and remove it" },
    { "jitwarm clear --cache-too --yes", "delete the driver's cache as well" },
    { NULL, NULL },
};

const struct cmd jw_cmd_clear = {
    .name = "clear",
    .summary = "delete everything that jitwarm stores for you",
    .synopsis_args = "",
    .details = "Deletes what jitwarm remembers of drivers and caches, its logs, and the packs of its store. "
               "The driver's cache stays as it is, and warm software stays warm. With --cache-too every "
               "entry of that cache goes, too, and CUDA programs compile again what they need.\n\n"
               "Your own files stay: jitwarm.conf, keys, packs outside the store. jitwarm env undo removes "
               "the settings, and jitwarm startup remove the startup task.\n\n"
               "clear asks before it deletes anything. Without a terminal and without --yes it shows the "
               "list and exits with 7. It also exits with 7 while another jitwarm is at work.",
    .examples = clear_examples,
    .opts = clear_opts,
    .args_size = sizeof(struct clear_args),
    .report = true,
    .run = clear_run,
};
