/* version: this build, for bug reports. */
#include "cli/cli.h"
#include "cli/report.h"

#include <cjson/cJSON.h>
#include <commit.h>
#include <isa-l.h>
#include <lz4.h>
#include <sodium.h>
#include <zstd.h>

#define TEXT_OF(x) #x
#define NUMBERS(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static int run(struct cli *cli, const void *args)
{
    struct rep *r = rep_open(cli, "version");

    (void)args;
    cli->messages.quiet = false; /* --quiet still prints the version */
    rep_head(r, JW_END_LISTED, "done", "jitwarm %s", JITWARM_VERSION);
    rep_fact(r, "commit", "Commit", REP_TEXT | REP_DETAIL, JITWARM_COMMIT);
    rep_fact(r, NULL, "Build", REP_TEXT | REP_DETAIL, JITWARM_BUILD);
    rep_fact(r, NULL, "Compiler", REP_TEXT | REP_DETAIL, JITWARM_COMPILER);
    rep_fact(r, "platform", "Platform", REP_TEXT | REP_DETAIL, JITWARM_PLATFORM);
    rep_fact(r, NULL, "ISA-L", REP_TEXT | REP_DETAIL,
             NUMBERS(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION));
    rep_fact(r, NULL, "cJSON", REP_TEXT | REP_DETAIL, cJSON_Version());
    rep_fact(r, NULL, "libsodium", REP_TEXT | REP_DETAIL, sodium_version_string());
    rep_fact(r, NULL, "lz4", REP_TEXT | REP_DETAIL, LZ4_versionString());
    rep_fact(r, NULL, "zstd", REP_TEXT | REP_DETAIL, ZSTD_versionString());
    return rep_close(r);
}

static const struct example examples[] = {
    { "jitwarm version -v", "also commit, build, compiler, platform and libraries, for a bug report" },
    { 0 },
};

const struct cmd jw_cmd_version = {
    .name = "version",
    .summary = "show the version",
    .synopsis_args = "",
    .examples = examples,
    .shared = "json",
    .run = run,
};
