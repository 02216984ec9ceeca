#include "cli/cli.h"
#include "cli/commands.h"

#include <cjson/cJSON.h>
#include <commit.h>
#include <isa-l.h>
#include <lz4.h>
#include <sodium.h>
#include <zstd.h>

#define V struct version

/* For bug reports. */
struct version {
    const char *version, *commit, *build, *compiler, *platform;
    const char *isal, *cjson, *sodium, *lz4, *zstd;
};

#define ISAL_TEXT(x) #x
#define ISAL_NUMBER(major, minor, patch) ISAL_TEXT(major) "." ISAL_TEXT(minor) "." ISAL_TEXT(patch)

static const struct jw_row library_rows[] = {
    { JW_ROW("ISA-L", V, isal) }, { JW_ROW("cJSON", V, cjson) }, { JW_ROW("libsodium", V, sodium) },
    { JW_ROW("lz4", V, lz4) },    { JW_ROW("zstd", V, zstd) },   { 0 },
};

static const struct jw_row rows[] = {
    { JW_ROW("version", V, version) },
    { JW_ROW("commit", V, commit) },
    { JW_ROW("build", V, build) },
    { JW_ROW("compiler", V, compiler) },
    { JW_ROW("platform", V, platform) },
    { JW_SUB_OF("libraries", library_rows) },
    { 0 },
};

const struct jw_form version_form = { "version", "This build, for bug reports.", rows };

static void print_text(struct cli *cli, const struct version *v)
{
    cli->out.muted = false; /* --quiet still prints the version */
    jw_output_printf(&cli->out, "jitwarm %s\n", v->version);
    if (cli->common.verbose)
        jw_output_printf(&cli->out,
                         "commit    %s\nbuild     %s\ncompiler  %s\nplatform  %s\n"
                         "libraries ISA-L %s, cJSON %s, libsodium %s, lz4 %s, zstd %s\n",
                         v->commit, v->build, v->compiler, v->platform, v->isal, v->cjson, v->sodium, v->lz4,
                         v->zstd);
}

static int version_run(struct cli *cli, const void *args)
{
    const struct version v = { .version = JITWARM_VERSION,
                               .commit = JITWARM_COMMIT,
                               .build = JITWARM_BUILD,
                               .compiler = JITWARM_COMPILER,
                               .platform = JITWARM_PLATFORM,
                               .isal =
                                   ISAL_NUMBER(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION),
                               .cjson = cJSON_Version(),
                               .sodium = sodium_version_string(),
                               .lz4 = LZ4_versionString(),
                               .zstd = ZSTD_versionString() };
    struct jw_err err = { 0 };

    (void)args;
    if (cli->common.json)
        return jw_output_report(&cli->out, &version_form, &v, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
    print_text(cli, &v);
    return EXIT_DONE;
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
