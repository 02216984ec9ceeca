#include "cli/cli.h"
#include "cli/help.h"
#include "os/process/work_log.h"

/* Stands for the verb if there is none, so that --json makes the error JSON, too. */
static const struct cmd no_verb = {
    .name = "jitwarm", .synopsis_args = "VERB", .order = "json" JW_OF_ALL};

static int run(struct cli *cli, int argc, char **argv, struct jw_err *err)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    const struct cmd *cmd = jw_verb_find(jw_choice_of("--version -V", word) ? "version" : word);
    char *const *words = argv + (argc > 0) + (cmd != NULL);
    void *args = NULL;
    bool ok = err->code == JW_OK
              && jw_opt_parse(cmd ? cmd : &no_verb, words, &args, &cli->shared, cli->arena, err);

    jw_cli_open(cli);
    cli->cmd = cmd;
    if (!cmd)
        return jw_help_print(
            cli, jw_choice_of("--help -h", word) ? NULL : (const char *const *)words, false);
    if (ok && cli->shared.help)
        return jw_help_print(cli, &cmd->name, false);
    ok = ok && jw_cache_path_check("--cache", cli->session.cache, err);
    return ok ? cmd->run(cli, args) : jw_cli_fail(cli, err);
}

int main(int argc, char **argv)
{
    struct jw_arena arena = {0};
    struct cli cli = {.arena = &arena, .argv = argv};
    struct jw_err err = {0};
    int code;

    (void)jw_env_begin(&err); /* run says so */
    cli.login = jw_env_take(&arena, "JITWARM_LOGIN");
    code = jw_cli_close(&cli, run(&cli, argc, argv, &err));
    jw_work_log();
    jw_arena_free(&arena);
    return code;
}
