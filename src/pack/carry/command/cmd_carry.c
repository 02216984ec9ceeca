#include "base/limits.h"
#include "base/text.h"
#include "cli/commands.h"
#include "os/process/child.h"
#include "os/process/process.h"
#include "pack/carry/command/carry_view.h"
#include "prime/command/prime_args.h"

#include <string.h>

struct carry_args {
    struct texts gpus;
    const char *cache;
    unsigned wait_s;
    bool carry_only, compile, renew, undo, dry_run, as_root;
};

static const struct opt carry_opts[] = {
    { "carry-only", 0, OPT_FLAG, offsetof(struct carry_args, carry_only), NULL,
      "do not compile again in the background; if carrying is not possible, do nothing", NULL, HINT_NONE },
    { "compile", 0, OPT_FLAG, offsetof(struct carry_args, compile), NULL,
      "carry nothing: compile the modules of older drivers' entries again", NULL, HINT_NONE },
    { "renew", 0, OPT_FLAG, offsetof(struct carry_args, renew), NULL,
      "compile carried entries again and replace them", NULL, HINT_NONE },
    { "undo", 0, OPT_FLAG, offsetof(struct carry_args, undo), NULL,
      "delete carried entries that were not compiled again", NULL, HINT_NONE },
    { "gpu", 0, OPT_LIST, offsetof(struct carry_args, gpus), "GPU",
      "only entries for this GPU of the machine; may be repeated (default: all GPUs)", NULL, HINT_GPUS },
    { "cache", 0, OPT_TEXT, offsetof(struct carry_args, cache), "DIR",
      "use this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "wait", 0, OPT_MAYBE_DURATION, offsetof(struct carry_args, wait_s), "TIME",
      "if a prime uses this cache, wait until it ends, or this long (default: exit with 7 at once)", NULL,
      HINT_NONE },
    { "as-root", 0, OPT_FLAG, offsetof(struct carry_args, as_root), NULL, "as root: use root's own cache",
      NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct carry_args, dry_run), NULL,
      "show what would be carried, and change nothing", NULL, HINT_NONE },
    { 0 },
};

/* Starts a prime in the background. */
static bool renew(struct cli *cli, const struct carry_args *a, const char *root)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    struct jw_err err = { 0 };
    const char *argv[] = { "jitwarm", "carry", "--renew", "--quiet", "--wait=1m", NULL, NULL, NULL, NULL };
    size_t n = 5;

    if (a->cache) {
        argv[n++] = "--cache";
        argv[n++] = root;
    }
    if (a->as_root)
        argv[n++] = "--as-root";
    bool ok = jw_process_self(&self, &err) && jw_detach(jw_buf_cstr(&self), argv, NULL, &err);

    if (!ok)
        jw_messages_warn(&cli->messages, "%s; run jitwarm carry --renew yourself", err.msg);
    jw_buf_free(&self);
    return ok;
}

/* Lets the driver compile, without carrying; --renew in the background. */
static int compile(struct cli *cli, const struct carry_args *a)
{
    struct prime_args prime = { .gpus = a->gpus,
                                .cache = a->cache,
                                .wait_s = a->wait_s,
                                .as_root = a->as_root,
                                .yes = a->renew && cli->common.quiet,
                                .background = a->renew && cli->common.quiet,
                                .renew = a->renew,
                                .from_cache = !a->renew };

    return prime_run(cli, &prime, a->dry_run ? PRIME_PLAN : PRIME_PRIME);
}

static int fall_back(struct cli *cli, const struct carry_args *a, const struct jw_carry_report *r)
{
    jw_messages_say(&cli->messages, "%s; compiling instead (jitwarm carry --compile)", r->run->why);
    return compile(cli, a);
}

static int print_carry(struct cli *cli, const struct carry_args *a, const struct jw_carry_report *r)
{
    struct carry_view v = { .report = r, .dry_run = a->dry_run, .undo = a->undo };
    struct jw_err err = { 0 };

    v.renewing = r->counts[JW_CARRY_CARRIED] && !a->carry_only && !a->dry_run
                 && r->run->end != JW_END_INTERRUPTED && renew(cli, a, r->cache.root);
    if (!(cli->common.json ? jw_output_report(&cli->out, &carry_form, &v, &err)
                           : carry_write_text(cli, &v, &err)))
        return jw_cli_fail(cli, &err);
    return prime_exit(PRIME_PRIME, r->run->end);
}

static int carry_run(struct cli *cli, const void *args)
{
    const struct carry_args *a = args;
    struct jw_carry_options o = { .cache = a->cache,
                                  .gpus = a->gpus.items,
                                  .n_gpus = a->gpus.n,
                                  .dry_run = a->dry_run,
                                  .undo = a->undo,
                                  .as_root = a->as_root,
                                  .wait_s = a->wait_s };
    struct jw_run run = jw_cli_run(cli);
    struct jw_carry_report report = { 0 };
    struct jw_err err = { 0 };
    int code;

    if (a->cache && !*a->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    else if (a->compile + a->renew + a->undo + a->carry_only > 1)
        (void)jw_fail(&err, JW_E_USAGE, "--carry-only, --compile, --renew and --undo cannot be combined");
    if (err.code)
        return jw_cli_usage(cli, &err);
    if (a->compile || a->renew)
        return compile(cli, a);
    bool ok = jw_carry(&run, &o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    if (!ok)
        code = jw_cli_fail(cli, &err);
    else if (report.unproven && !a->carry_only && !a->dry_run)
        code = fall_back(cli, a, &report);
    else
        code = print_carry(cli, a, &report);
    return code;
}

static const struct example carry_examples[] = {
    { "jitwarm carry", "after a driver update: use the old code, and compile it again in the background" },
    { "jitwarm carry --dry-run", "show what would be carried" },
    { "jitwarm carry --undo", "delete the carried entries" },
    { 0 },
};

const struct cmd jw_cmd_carry = {
    .name = "carry",
    .summary = "after a driver update: keep using what the old driver compiled",
    .synopsis_args = "",
    .details =
        "After a driver update the driver ignores all entries of the old build, although most of their code "
        "is "
        "still good. carry copies the entries of older builds, for the GPUs here, to the names that the "
        "current build looks for. Only the build's name changes, not the code. This takes as long as copying "
        "the files. The old entries stay.\n\n"
        "The driver cannot distinguish such an entry from its own, and fixes in the newer compiler do not "
        "reach "
        "it. So carry first needs a proof that this driver build runs such code correctly on this machine "
        "(jitwarm doctor --probe shows it). Without the proof it compiles the entries' PTX again, like "
        "--compile. It never carries from a newer build to an older one. jitwarm status shows carried "
        "entries, "
        "and export skips them. Unless --carry-only is given, a prime in the background compiles them again "
        "and "
        "replaces them.\n\n"
        "The exit code is 0 when everything is carried or there was nothing to do; 1 when something was not "
        "carried; 3 without a usable driver or GPU; 4 when the cache cannot be written; 7 when another "
        "jitwarm "
        "uses the cache.",
    .examples = carry_examples,
    .opts = carry_opts,
    .args_size = sizeof(struct carry_args),
    .report = true,
    .run = carry_run,
};
