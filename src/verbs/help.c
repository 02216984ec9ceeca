/* help: the overview, or the whole help of one verb. */
#include "cli/help.h"

#include "cli/cli.h"

static int run(struct cli *cli, const void *args)
{
    const struct jw_texts *verbs = args;

    return jw_help_print(cli, verbs->v, true);
}

const struct cmd jw_cmd_help = {
    .name = "help",
    .summary = "show these verbs, or one of them in full",
    .synopsis_args = "[VERB]",
    .args_size = sizeof(struct jw_texts),
    .max_pos = 1,
    .pos_hint = HINT_VERBS,
    .run = run,
};
