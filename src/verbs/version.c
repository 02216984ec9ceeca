#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"

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

static const struct jw_row build_rows[] = {
    { JW_ROW("commit", V, commit), JW_LABEL("Commit") },
    { JW_ROW("build", V, build), JW_LABEL("Build") },
    { JW_ROW("compiler", V, compiler), JW_LABEL("Compiler") },
    { JW_ROW("platform", V, platform), JW_LABEL("Platform") },
    { JW_SUB_OF("libraries", library_rows), JW_SENTENCE("Libraries") },
    { 0 },
};

static void show_version(struct jw_page *p, const void *of)
{
    jw_page_put(p, "jitwarm %s\n", ((const V *)of)->version);
}

static void show_verbose(struct jw_page *p, const void *of)
{
    if (p->verbose)
        jw_page_rows(p, TINT_STRONG, build_rows, of);
}

static const struct jw_row rows[] = {
    { JW_ROW("version", V, version), JW_SHOW(show_version) },
    { JW_ROWS(build_rows), JW_SHOW(show_verbose) },
    { 0 },
};

const struct jw_form version_form = {
    .verb = "version", .about = "This build, for bug reports.", .rows = rows, .label = 10
};

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
    cli->out.muted = false; /* --quiet still prints the version */
    return jw_cli_report(cli, &version_form, &v, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
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
    .stateless = true,
    .run = version_run,
};
