/* version: this build, for bug reports. */
#include "cli/cli.h"
#include "cli/report.h"

#include <commit.h>

static int run(struct cli *cli, const void *args)
{
    struct rep *r = rep_open(cli, "version");

    (void)args;
    cli->messages.quiet = false; /* --quiet still prints the version */
    rep_head(r, JW_END_LISTED, "done", "jitwarm %s", JITWARM_VERSION);
    rep_detail(r, "commit", "Commit", rep_text(JITWARM_COMMIT));
    rep_detail(r, NULL, "Build", rep_text(JITWARM_BUILD));
    rep_detail(r, NULL, "Compiler", rep_text(JITWARM_COMPILER));
    rep_detail(r, "platform", "Platform", rep_text(JITWARM_PLATFORM));
    return rep_close(r);
}

const struct cmd jw_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .synopsis_args = "",
    .examples = {{"jitwarm version -v", "also commit, build and compiler, for a bug report"}},
    .order = "json" JW_OF_ALL,
    .run = run,
};
