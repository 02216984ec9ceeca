#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include <cjson/cJSON.h>
#include <commit.h>
#include <lz4.h>
#include <sodium.h>
#include <zstd.h>

/* For bug reports. */
static const struct named facts[] = {
    { "commit", JITWARM_COMMIT },
    { "build", JITWARM_BUILD },
    { "compiler", JITWARM_COMPILER },
    { "platform", JITWARM_PLATFORM },
};

static const struct {
    const char *name;
    const char *(*version)(void);
} libraries[] = {
    { "cJSON", cJSON_Version },
    { "libsodium", sodium_version_string },
    { "lz4", LZ4_versionString },
    { "zstd", ZSTD_versionString },
};

static int write_text(struct cli *cli)
{
    cli->out.muted = false; /* --quiet still prints the version */
    jw_output_text(&cli->out, "jitwarm " JITWARM_VERSION "\n");
    if (!cli->common.verbose)
        return EXIT_DONE;
    for (size_t i = 0; i < JW_COUNT(facts); i++)
        jw_output_printf(&cli->out, "%-10s%s\n", facts[i].name, facts[i].what);
    jw_output_printf(&cli->out, "%-10s", "libraries");
    for (size_t i = 0; i < JW_COUNT(libraries); i++)
        jw_output_printf(&cli->out, "%s%s %s", i ? ", " : "", libraries[i].name, libraries[i].version());
    jw_output_text(&cli->out, "\n");
    return EXIT_DONE;
}

static int write_json(struct cli *cli)
{
    struct jw_json j;
    struct jw_err err = { 0 };

    jw_json_begin(&j, jw_output_sink(&cli->out), true, &err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.version/1");
    jw_json_text(&j, "version", JITWARM_VERSION);
    for (size_t i = 0; i < JW_COUNT(facts); i++)
        jw_json_text(&j, facts[i].name, facts[i].what);
    jw_json_object(&j, "libraries");
    for (size_t i = 0; i < JW_COUNT(libraries); i++)
        jw_json_text(&j, libraries[i].name, libraries[i].version());
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

static int version_run(struct cli *cli, const void *args)
{
    (void)args;
    return cli->common.json ? write_json(cli) : write_text(cli);
}

static const struct example version_examples[] = {
    { "jitwarm version -v", "also commit, build, compiler, platform and libraries, for a bug report" },
    { 0 },
};

const struct cmd jw_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .synopsis_args = "",
    .examples = version_examples,
    .report = true,
    .run = version_run,
};
