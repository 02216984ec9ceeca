#include "base/limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/man.h"

static int man_run(struct cli *cli, const void *args)
{
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);

    (void)args;
    jw_man_page(&out);
    return jw_cli_page(cli, &out);
}

/* For the build, which installs the page. */
const struct cmd jw_cmd_man = {
    .name = "man",
    .summary = "print the man page jitwarm(1)",
    .synopsis_args = "",
    .hidden = true,
    .run = man_run,
};
