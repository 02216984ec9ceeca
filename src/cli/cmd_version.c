#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/commands.h"

static int version_run(struct cli *cli, const void *args)
{
    struct jw_json j;
    struct jw_err err = { 0 };

    (void)args;
    if (!cli->common.json) {
        jw_answer_text(&cli->answer, "jitwarm " JITWARM_VERSION "\n");
        return EXIT_DONE;
    }
    jw_json_begin(&j, jw_answer_sink(&cli->answer), true, &err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.version/1");
    jw_json_text(&j, "version", JITWARM_VERSION);
    jw_json_close(&j);
    return jw_json_end(&j) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

const struct cmd jw_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .synopsis_args = "",
    .report = true,
    .run = version_run,
};
