#include "base/limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/man.h"

#include <string.h>

struct man_args {
    struct texts pages;
};

static int man_run(struct cli *cli, const void *p)
{
    const struct man_args *args = p;
    const char *page = args->pages.n ? args->pages.items[0] : NULL;
    const struct cmd *cmd = page ? jw_cmd_find(page) : NULL;
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);

    if (page && strcmp(page, "jitwarm.conf") == 0)
        jw_man_conf(&out);
    else if (page && !cmd)
        return jw_help_unknown(cli, page);
    else if (cmd)
        jw_man_verb(&out, cmd);
    else
        jw_man_page(&out);
    return jw_cli_page(cli, &out);
}

/* For the build, which installs the pages. */
const struct cmd jw_cmd_man = {
    .name = "man",
    .summary = "print a man page: jitwarm(1), jitwarm-VERB(1) or jitwarm.conf(5)",
    .synopsis_args = "[VERB|jitwarm.conf]",
    .args_size = sizeof(struct man_args),
    .positional_at = offsetof(struct man_args, pages),
    .max_pos = 1,
    .hidden = true,
    .run = man_run,
};
