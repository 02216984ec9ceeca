/* pull: what a registry or a shared folder has for this machine. */
#include "cli/cli.h"
#include "cli/net.h"

struct pull_args {
    struct jw_texts words;
    const char *cacert;
    bool allow_unsigned;
    unsigned wait_s;
};

static const struct opt pull_opts[] = {
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct pull_args, allow_unsigned), NULL,
      "accept packs that no trusted key signed: everyone who can push there chooses the GPU code that your "
      "programs run",
      NULL, HINT_NONE },
    { "wait", 0, OPT_MAYBE_DURATION, offsetof(struct pull_args, wait_s), "TIME",
      "if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 at once)",
      NULL, HINT_NONE },
    { "cacert", 0, OPT_TEXT, offsetof(struct pull_args, cacert), "FILE",
      "certificates that the server's must lead to", NULL, HINT_FILES },
    { 0 },
};

static int run(struct cli *cli, const void *p)
{
    const struct pull_args *a = p;
    const struct jw_import_options import = { .trust = cli->shared.trust,
                                              .allow_unsigned = a->allow_unsigned,
                                              .dry_run = cli->shared.dry_run,
                                              .yes = cli->shared.yes,
                                              .as_root = cli->shared.as_root,
                                              .wait_s = a->wait_s };

    return jw_cli_pull(cli, "pull", a->words.items[0], a->cacert, &import);
}

static const struct example examples[] = {
    { "jitwarm pull oci://reg.example/team/jit", "what a colleague's machine of the same kind compiled" },
    { "jitwarm pull /mnt/share/jit --trust team.pub", "from a folder that push filled" },
    { "jitwarm pull --dry-run oci://reg.example/team/jit", "what is there for this machine" },
    { 0 },
};

const struct cmd jw_cmd_pull = {
    .name = "pull",
    .summary = "take packs for this machine from a registry or folder",
    .synopsis_args = "REF",
    .details = "REF is oci://HOST/NAME[:TAG], or a folder of packs (/DIR, ./DIR). pull takes what is "
               "under the key of this "
               "machine: system, driver build, GPU architecture. Each pack goes through all checks of "
               "jitwarm import, and a trusted key "
               "must have signed it. Packs whose entries are all in the cache are not downloaded.\n\n"
               "A registry's login is that of docker or podman, or JITWARM_LOGIN=USER:PASSWORD. A line "
               "source = REF in jitwarm.conf makes "
               "prime pull by itself before it compiles.\n\n"
               "The exit code is 5 where nothing there fits this machine, 6 where a pack is damaged or not "
               "trusted, and 8 where the server "
               "failed.",
    .examples = examples,
    .opts = pull_opts,
    .shared = "trust cache yes dry-run as-root json",
    .args_size = sizeof(struct pull_args),
    .positional_at = offsetof(struct pull_args, words),
    .min_pos = 1,
    .max_pos = 1,
    .pos_hint = HINT_DIRS,
    .run = run,
};
