#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "os/machine/env.h"
#include "os/process/work_log.h"
#include "session/blocker.h"

#include <string.h>

/* The argument of --cache; NULL: there is none, or the verb has no such option. */
static const char *cache_given(const struct opt_set *sets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (const struct opt *o = sets[i].rows; o && o->name; o++)
            if (strcmp(o->name, "cache") == 0 && o->kind == OPT_TEXT)
                return *(const char *const *)(const void *)((const char *)sets[i].into + o->at);
    return NULL;
}

/* Folders that no verb could use end each of them alike. */
static bool check_folders(struct cli *cli, const struct opt_set *sets, size_t n)
{
    struct jw_err err = { 0 };
    const char *command;

    if ((cli->cmd && cli->cmd->stateless)
        || jw_session_check_folders(cache_given(sets, n), cli->arena, &command, &err))
        return true;
    if (!command) {
        (void)jw_cli_usage(cli, &err);
        return false;
    }
    jw_messages_error(&cli->messages, "%s", err.msg);
    jw_messages_page(&cli->messages, jw_arena_printf(cli->arena, "To do     %s\n", command));
    (void)jw_cli_say_failure(cli, err.msg, command, EXIT_USAGE);
    return false;
}

static int run_verb(struct cli *cli, const struct cmd *cmd, int argc, char **argv)
{
    struct jw_err err = { 0 };
    struct jw_texts rest = { 0 };
    void *args = jw_arena_alloc(cli->arena, cmd->args_size);
    struct opt_set sets[] = { { .rows = cmd->opts, .into = args, .first_ends = cmd->command },
                              { .rows = cmd->report ? jw_report_opts : NULL, .into = &cli->common },
                              { .rows = cmd->cache ? jw_cache_opts : NULL, .into = &cli->common },
                              { .rows = jw_common_opts, .into = &cli->common } };
    bool ok;

    cli->cmd = cmd;
    ok = jw_opt_parse(sets, JW_COUNT(sets), argc, argv, &rest, cli->arena, &err);
    jw_cli_apply_common(cli);
    if (ok && cli->common.help)
        return jw_help_print(cli, cmd, false);
    if (!ok || !jw_opt_check_count(cmd, &rest, &err))
        return jw_cli_usage(cli, &err);
    if (cmd->max_pos)
        memcpy((char *)args + cmd->positional_at, &rest, sizeof rest);
    if (!check_folders(cli, sets, JW_COUNT(sets)))
        return EXIT_USAGE;
    cli->out.muted = cmd->report && cli->common.quiet && !cli->common.json;
    return cmd->run(cli, args);
}

static int dispatch(struct cli *cli, int argc, char **argv)
{
    static const struct {
        const char *word, *verb;
    } also[] = {
        { "--help", "help" },
        { "-h", "help" },
        { "--version", "version" },
    };
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct cmd *cmd;

    if (!word)
        return check_folders(cli, NULL, 0) ? jw_home_print(cli) : EXIT_USAGE;
    for (size_t i = 0; i < JW_COUNT(also); i++)
        if (strcmp(word, also[i].word) == 0)
            word = also[i].verb;
    cmd = jw_cmd_find(word);
    return cmd ? run_verb(cli, cmd, argc - 2, argv + 2) : jw_help_unknown(cli, word);
}

int main(int argc, char **argv)
{
    struct jw_arena arena = { 0 };
    struct cli cli = { .arena = &arena };
    struct jw_err err = { 0 };
    bool ok = jw_env_args(&argc, &argv, &arena, &err);

    cli.argv = argv;
    jw_cli_open(&cli);
    cli.session.argv = (const char *const *)argv;

    int code = jw_cli_close(&cli, ok ? dispatch(&cli, argc, argv) : jw_cli_fail(&cli, &err));

    jw_work_log();
    jw_arena_free(&arena);
    return code;
}
