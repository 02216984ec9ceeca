#include "cli/cli.h"
#include "cli/help.h"
#include "os/machine/env.h"
#include "os/process/work_log.h"

#include <string.h>

static int run_verb(struct cli *cli, const struct cmd *cmd, int argc, char **argv)
{
    struct jw_err err = { 0 };
    struct jw_texts rest = { 0 };
    void *args = jw_arena_alloc(cli->arena, cmd->args_size);
    bool ok;

    cli->cmd = cmd;
    ok = jw_opt_parse(cmd, args, &cli->shared, argc, argv, &rest, cli->arena, &err);
    jw_cli_apply_shared(cli);
    if (ok && cli->shared.help)
        return jw_help_print(cli, cmd, false);
    if (!ok || !jw_opt_check_count(cmd, &rest, &err))
        return jw_cli_usage(cli, &err);
    if (cmd->max_pos)
        memcpy((char *)args + cmd->positional_at, &rest, sizeof rest);
    return cmd->run(cli, args);
}

static int dispatch(struct cli *cli, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct cmd *cmd;

    if (!word)
        return jw_cmd_home.run(cli, NULL);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return jw_help_print(cli, NULL, true);
    cmd = jw_verb_find(strcmp(word, "--version") == 0 ? "version" : word);
    return cmd ? run_verb(cli, cmd, argc - 2, argv + 2) : jw_help_unknown(cli, word);
}

int main(int argc, char **argv)
{
    struct jw_arena arena = { 0 };
    struct cli cli = { .arena = &arena };
    struct jw_err err = { 0 };
    bool ok = jw_env_begin(&err);

    cli.argv = argv;
    jw_cli_open(&cli);

    int code = jw_cli_close(&cli, ok ? dispatch(&cli, argc, argv) : jw_cli_fail(&cli, &err));

    jw_work_log();
    jw_arena_free(&arena);
    return code;
}
