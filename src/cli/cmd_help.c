#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"

struct help_args {
    struct texts verbs;
};

static int help_run(struct cli *cli, const void *args)
{
    const struct help_args *a = args;
    const struct cmd *cmd = a->verbs.n ? jw_cmd_find(a->verbs.items[0]) : NULL;

    if (a->verbs.n && !cmd)
        return jw_help_unknown(cli, a->verbs.items[0]);
    return jw_help_print(cli, cmd, true);
}

const struct cmd jw_cmd_help = {
    .name = "help",
    .summary = "show help, or the help of one verb",
    .synopsis_args = "[VERB]",
    .args_size = sizeof(struct help_args),
    .positional_at = offsetof(struct help_args, verbs),
    .max_pos = 1,
    .pos_hint = HINT_VERBS,
    .run = help_run,
};
