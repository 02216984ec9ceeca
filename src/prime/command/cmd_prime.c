#include "cli/cli.h"
#include "cli/commands.h"
#include "prime/command/prime_args.h"

static const struct opt prime_opts[] = {
    PRIME_OPTS_WHICH,
    PRIME_OPTS_WORKERS,
    { "time-box", 0, OPT_DURATION, offsetof(struct prime_args, time_box_s), "TIME",
      "stop after this time, and exit with 7 if something is left; the next run goes on from there", NULL,
      HINT_NONE },
    { "wait", 0, OPT_MAYBE_DURATION, offsetof(struct prime_args, wait_s), "TIME",
      "if another prime uses this cache, wait until it ends, or this long (default: exit with 7 at "
      "once)",
      NULL, HINT_NONE },
    { "no-verify", 0, OPT_FLAG, offsetof(struct prime_args, no_verify), NULL,
      "skip the check in a fresh process", NULL, HINT_NONE },
    { "retry", 0, OPT_FLAG, offsetof(struct prime_args, retry), NULL,
      "also modules on which this driver crashed or hung before", NULL, HINT_NONE },
    { "if-stale", 0, OPT_FLAG, offsetof(struct prime_args, if_stale), NULL,
      "do not search: warm again what was primed before, if a file, the driver or a setting changed", NULL,
      HINT_NONE },
    { "background", 0, OPT_FLAG, offsetof(struct prime_args, background), NULL,
      "run with idle priority and write a log; with --if-stale also wait for mains power, until "
      "the machine is not busy, and for the reboot that a driver update needs",
      NULL, HINT_NONE },
    { "packs", 0, OPT_TEXT, offsetof(struct prime_args, packs), "DIR",
      "first import what fits from the packs in this folder, if the folder or the driver changed", NULL,
      HINT_DIRS },
    { "prune", 0, OPT_FLAG, offsetof(struct prime_args, prune), NULL,
      "afterwards, if something was compiled and all is warm: run jitwarm prune --yes", NULL, HINT_NONE },
    { "run", 0, OPT_REST, offsetof(struct prime_args, run), "CMD...",
      "run this command once, warm everything it loads, and remember that as its profile (jitwarm "
      "run)",
      NULL, HINT_FILES },
    PRIME_OPTS_PROGRESS,
    { "pack", 0, OPT_TEXT, offsetof(struct prime_args, pack), "FILE",
      "pack what was primed for machines of the same kind, into this file or folder (jitwarm export)", NULL,
      HINT_FILES },
    { "push", 0, OPT_TEXT, offsetof(struct prime_args, push), "REF",
      "afterwards share what was primed through this registry or folder (jitwarm push)", NULL, HINT_NONE },
    { "sign", 0, OPT_TEXT, offsetof(struct prime_args, sign), "KEY",
      "with --pack or --push: sign with this secret key (jitwarm keygen)", NULL, HINT_FILES },
    { "stop", 0, OPT_FLAG, offsetof(struct prime_args, stop), NULL,
      "stop the prime that runs on this cache, and wait for its end", NULL, HINT_NONE },
    { "profile", 0, OPT_CHOICE, offsetof(struct prime_args, caller), "NAME",
      "behave as this caller expects: slurm-prolog (a minute at most, never a failure), slurm-task "
      "(the same, and prints export lines as TaskProlog reads them), intune (its exit codes, no "
      "output), container (no questions), postinst (queue it for the invoking user), everybody "
      "(skip files that other users can change, except in the roots of jitwarm.conf)",
      PRIME_CALLERS, HINT_NONE },
    { "yes", 'y', OPT_MAYBE_CHOICE, offsetof(struct prime_args, yes), "limit",
      "do not ask; --yes=limit also raises a cache limit that is too small, as jitwarm env apply "
      "does",
      "- yes limit", HINT_NONE },
    { 0 },
};

static int run_prime(struct cli *cli, const void *args)
{
    return prime_run(cli, args, PRIME_PRIME);
}

static const struct example prime_examples[] = {
    { "jitwarm prime", "warm the CUDA software of this machine for its GPUs" },
    { "jitwarm prime /opt/app", "one application, with all that is in its folder" },
    { "jitwarm prime --jobs 4", "leave processors for other work" },
    { "jitwarm prime --yes --time-box 10m --wait=5m", "in a script: no questions, ten minutes at most" },
    { "jitwarm prime --run python serve.py --check", "exactly what this program loads" },
    { "jitwarm prime --if-stale --background", "at logon: milliseconds, unless there is something to do" },
    { 0 },
};

static const struct opt_group prime_groups[] = {
    { "What to prime", "gpu only exclude all if-stale retry run" },
    { "How", "cache timeout no-verify profile yes as-root prune progress" },
    { "Scheduling", "jobs time-box wait background stop" },
    { "Sharing", "pack packs push sign" },
    { 0 },
};

const struct cmd jw_cmd_prime = {
    .name = "prime",
    .summary = "compile CUDA code now, so that the next start is fast",
    .synopsis_args = "[PATH...]",
    .details = "Gives the driver the modules that CUDA programs will load, in parallel worker processes, so "
               "that they are in the driver's cache before a program starts. Then fresh processes load all "
               "of them again, to prove that nothing is compiled any more.\n\n"
               "PATH is a file or folder, as for scan. Without PATH, prime takes what it primed before and "
               "the CUDA software that it finds now (jitwarm scan -v lists the places). It skips NVIDIA's "
               "own libraries and modules that are loaded on demand only, and forgets removed software.\n\n"
               "If a module crashes or hangs the driver, prime skips it until the driver changes. Ctrl-C "
               "stops cleanly: compiled modules stay, and the next run continues from there.\n\n"
               "prime asks before more than 15 minutes of computing (all workers together), and when the "
               "cache is too small; then it compiles what is expected to fit. Without a terminal and "
               "without --yes it prints the plan and compiles nothing.\n\n"
               "--run comes last: everything after it is the command. jitwarm run knows the command by its "
               "words, so use the same words there.\n\n"
               "The exit code is 0 when all is warm, also when it was so before; 1 when a module is not "
               "warm, or was not found again, or a setting makes warming useless; 2 for a wrong option or "
               "path; 3 without a usable driver or GPU; 4 when the cache cannot be written; 7 when a "
               "confirmation (--yes) or time is missing or another prime is at work; 130 after Ctrl-C.",
    .examples = prime_examples,
    .opts = prime_opts,
    .groups = prime_groups,
    .often = "gpu only exclude all jobs time-box yes run pack profile",
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run_prime,
};
