#include "cli/cli.h"
#include "cli/commands.h"
#include "pack/export/command/export_view.h"

static const struct opt export_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct export_args, output), "FILE",
      "write the pack to this file or folder; - is standard output (default: this folder)", NULL,
      HINT_FILES },
    { "gpu", 0, OPT_LIST, offsetof(struct export_args, gpus), "GPU",
      "only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\", or all, which "
      "includes every GPU in the cache; may be repeated (default: the GPUs here)",
      NULL, HINT_GPUS },
    { "everything", 0, OPT_FLAG, offsetof(struct export_args, everything), NULL,
      "all entries of this driver in the cache, of any program; asks first", NULL, HINT_NONE },
    { "run", 0, OPT_REST, offsetof(struct export_args, run), "CMD...",
      "exactly what this command loads, as jitwarm prime --run CMD recorded it, also what is made while it "
      "runs; comes last",
      NULL, HINT_FILES },
    { "sign", 0, OPT_TEXT, offsetof(struct export_args, sign), "KEY",
      "sign with this secret key (jitwarm key --new, minisign); its passphrase is asked for on the terminal",
      NULL, HINT_FILES },
    { "cache", 0, OPT_TEXT, offsetof(struct export_args, cache), "DIR",
      "use this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "yes", 'y', OPT_FLAG, offsetof(struct export_args, yes), NULL,
      "do not ask: pack --everything, replace a file that is not a pack, sign entries of others", NULL,
      HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct export_args, dry_run), NULL,
      "show what would be packed, and write nothing", NULL, HINT_NONE },
    { 0 },
};

static int run(struct cli *cli, const void *args)
{
    return export_run(cli, args, false);
}

static const struct example export_examples[] = {
    { "jitwarm export", "a pack of what was primed here, into this folder" },
    { "jitwarm export /opt/app -o app.tar.zst", "only the entries of one application" },
    { "jitwarm export --sign ~/.minisign/minisign.key", "signed, for many machines" },
    { "jitwarm export -o - | ssh node7 jitwarm import - --allow-unsigned", "directly to another machine" },
    { "jitwarm export -o serve.tar.zst --run python serve.py", "what a command loads (jitwarm prime --run)" },
    { "jitwarm export --everything --dry-run", "list what such a pack would disclose" },
    { 0 },
};

const struct cmd jw_cmd_export = {
    .name = "export",
    .summary = "pack compiled code for machines of the same kind",
    .synopsis_args = "[PATH...]",
    .details =
        "Packs entries of the driver's cache. A machine with the same driver build and the same GPU "
        "architecture takes them over with jitwarm import and does not compile them. A pack is a "
        ".tar.zst; tar --zstd -tf lists it.\n\n"
        "With PATH (a file or folder, as for scan) export packs the entries of these files; without "
        "PATH, of what was primed. An entry holds the source (PTX) of its kernels, so export packs "
        "nothing else. --run CMD packs the entries that this command used or made when jitwarm prime "
        "--run CMD ran it, of any compiler; import takes all of them. --everything first shows what it "
        "would disclose. The pack names packages and "
        "files, but no path, host, user or variable.\n\n"
        "export skips and reports a damaged entry, or one that a running program is writing. It "
        "replaces FILE in one step. A file that is not a pack is only replaced with --yes.\n\n"
        "--sign writes a minisign signature beside the pack, as FILE.minisig, and into it. export asks "
        "before it signs entries of imported packs that no trusted key signed.\n\n"
        "The exit code is 0 when everything you asked for is in the pack; 1 when something was skipped "
        "or there was nothing to pack; 2 for a wrong option or path; 3 when the driver is unknown or "
        "its cache format is; 4 when the pack cannot be written; 6 for a key that cannot be used; 7 "
        "when --yes or a passphrase is missing; 130 after Ctrl-C.",
    .examples = export_examples,
    .opts = export_opts,
    .often = "output gpu sign run everything cache yes dry-run",
    .args_size = sizeof(struct export_args),
    .positional_at = offsetof(struct export_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
