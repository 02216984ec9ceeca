#include "base/limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/complete.h"

struct completions_args {
    struct texts shells;
};

static int completions_run(struct cli *cli, const void *args)
{
    static void (*const make[])(struct jw_buf * out) = { jw_complete_bash, jw_complete_zsh,
                                                         jw_complete_fish };
    const struct completions_args *a = args;
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);
    struct jw_err err = { 0 };
    unsigned shell;

    if (!jw_opt_choice(cli->cmd->pos_choices, a->shells.items[0], &shell)) {
        (void)jw_fail(&err, JW_E_USAGE, "SHELL is bash, zsh or fish, not '%s'", a->shells.items[0]);
        return jw_cli_usage(cli, &err);
    }
    make[shell](&out);
    return jw_cli_page(cli, &out);
}

static const struct example completions_examples[] = {
    { "source <(jitwarm completions bash)", "completes in this bash; as a line of ~/.bashrc, in every one" },
    { "jitwarm completions fish >~/.config/fish/completions/jitwarm.fish",
      "completes in every fish of this user" },
    { NULL, NULL },
};

const struct cmd jw_cmd_completions = {
    .name = "completions",
    .summary = "print shell completions for bash, zsh or fish",
    .synopsis_args = "SHELL",
    .details =
        "An installed jitwarm has put these scripts where the shells look for them; this is for the others.",
    .examples = completions_examples,
    .args_size = sizeof(struct completions_args),
    .positional_at = offsetof(struct completions_args, shells),
    .min_pos = 1,
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = "bash zsh fish",
    .run = completions_run,
};
