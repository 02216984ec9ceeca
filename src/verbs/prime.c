#include "verbs/prime.h"
#include "cli/cli.h"
#include "cli/commands.h"

static const struct opt prime_opts[] = {
    PRIME_OPTS_WHICH,
    { "run", 0, OPT_REST, offsetof(struct prime_args, run), "CMD...",
      "run this command once, warm everything it loads, and remember that as its profile (jitwarm run)", NULL,
      HINT_FILES },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct prime_args, dry_run), NULL,
      "compile nothing: show how many modules, how much time and room", NULL, HINT_NONE },
    { "check", 0, OPT_FLAG, offsetof(struct prime_args, check), NULL,
      "the same, and exit with 1 unless all of it is warm", NULL, HINT_NONE },
    { "jobs", 'j', OPT_UINT, offsetof(struct prime_args, jobs), "N",
      "number of parallel workers (default: half the CPUs)", NULL, HINT_NONE },
    { "time-box", 0, OPT_DURATION, offsetof(struct prime_args, time_box_s), "TIME",
      "stop after this time, and exit with 7 if something is left; the next run goes on from there. So long "
      "it "
      "also waits for another prime",
      NULL, HINT_NONE },
    { "if-stale", 0, OPT_FLAG, offsetof(struct prime_args, if_stale), NULL,
      "do not search: warm again what was primed before, if a file, the driver or a setting changed", NULL,
      HINT_NONE },
    { "background", 0, OPT_FLAG, offsetof(struct prime_args, background), NULL,
      "run with idle priority; with --if-stale also wait for mains power, and for the reboot "
      "that a driver update needs",
      NULL, HINT_NONE },
    { "post-install", 0, OPT_FLAG, offsetof(struct prime_args, post_install), NULL,
      "for a package's script: prime in the background for the user who installs, and always succeed", NULL,
      HINT_NONE },
    { "pack", 0, OPT_TEXT, offsetof(struct prime_args, pack), "FILE",
      "pack what was primed for machines of the same kind, into this file or folder (jitwarm export)", NULL,
      HINT_FILES },
    { "driver-files", 0, OPT_TEXT, offsetof(struct prime_args, driver_files), "DIR",
      "make packs for machines that are not here, on this one without a GPU: with NVIDIA's driver, unpacked "
      "(sh NVIDIA-Linux-x86_64-VERSION.run --extract-only); needs --gpu and --pack DIR",
      NULL, HINT_DIRS },
    { "output", 'o', OPT_TEXT, offsetof(struct prime_args, output), "FILE",
      "also write the PTX of the .cu file to this file", NULL, HINT_FILES },
    { "yes", 'y', OPT_MAYBE_CHOICE, offsetof(struct prime_args, yes), "limit",
      "do not ask; --yes=limit also raises a cache limit that is too small", "- yes limit", HINT_NONE },
    { 0 },
};

static int run_prime(struct cli *cli, const void *args)
{
    const struct prime_args *a = args;

    return prime_run(cli, args, a->dry_run || a->check ? PRIME_PLAN : PRIME_PRIME);
}

static const struct example prime_examples[] = {
    { "jitwarm prime", "warm the CUDA software of this machine for its GPUs" },
    { "jitwarm prime /opt/app", "one application, with all that is in its folder" },
    { "jitwarm prime --jobs 4", "leave processors for other work" },
    { "jitwarm prime --dry-run", "what would it do here, and how long would it take?" },
    { "jitwarm prime --check", "in a script: exit 1 if the next start would compile anything" },
    { "jitwarm prime --yes --time-box 10m", "in a script: no questions, ten minutes at most" },
    { "jitwarm prime --run python serve.py --check", "exactly what this program loads" },
    { "jitwarm prime --if-stale --background", "at logon: milliseconds, unless there is something to do" },
    { 0 },
};

static const struct opt_group prime_groups[] = {
    { "What to prime", "gpu exclude all output run if-stale" },
    { "How", "dry-run check yes post-install" },
    { "Scheduling", "jobs time-box background" },
    { "Sharing", "pack driver-files" },
    { 0 },
};

const struct cmd jw_cmd_prime = {
    .name = "prime",
    .summary = "compile CUDA code now, so that the next start is fast",
    .synopsis_args = "[PATH...]",
    .details =
        "Gives the driver the modules that CUDA programs will load, in parallel worker processes, so "
        "that they are in the driver's cache before a program starts. Then fresh processes load all "
        "of them again, to prove that nothing is compiled any more.\n\n"
        "PATH is a file or folder, as for scan. Without PATH, prime takes what it primed before and "
        "the CUDA software that it finds now (jitwarm scan -v lists the places). It skips NVIDIA's "
        "own libraries and modules that are loaded on demand only, and forgets removed software.\n\n"
        "A .cu file as PATH is compiled to PTX by an NVRTC that is found here, for the oldest chosen GPU, "
        "and "
        "this PTX is primed. It is kept, so an unchanged file without headers is not compiled again. Only a "
        "program that loads the same PTX gains from it: give it the file of --output.\n\n"
        "If a module crashes or hangs the driver, prime skips it until the driver changes, or until its "
        "file itself is named. Ctrl-C "
        "stops cleanly: compiled modules stay, and the next run continues from there.\n\n"
        "prime asks before more than 15 minutes of computing (all workers together), and when the "
        "cache is too small; then it compiles what is expected to fit. Without a terminal and "
        "without --yes it prints the plan and compiles nothing.\n\n"
        "--dry-run looks for the same software and shows what prime would do. The time is a prediction "
        "from earlier primes on this machine; before the first one it is that of an ordinary processor. "
        "Its exit code is 0 where prime would have something to do, too; --check is for scripts.\n\n"
        "--driver-files makes packs for other machines without any GPU here: NVIDIA's driver, unpacked, "
        "compiles "
        "on an emulated one. Nothing is primed on this machine. With --dry-run it shows what would be "
        "compiled, "
        "and takes no --pack.\n\n"
        "--run comes last: everything after it is the command. jitwarm run knows the command by its "
        "words, so use the same words there.\n\n"
        "The exit code is 0 when all is warm, also when it was so before; 1 when a module is not "
        "warm, or was not found again, or a setting makes warming useless; 2 for a wrong option or "
        "path; 3 without a usable driver, GPU or NVRTC; 4 when the cache cannot be written; 6 when a .cu "
        "file does not compile; 7 when a "
        "confirmation (--yes) or time is missing or another prime is at work; 130 after Ctrl-C.",
    .examples = prime_examples,
    .opts = prime_opts,
    .groups = prime_groups,
    .often = "gpu exclude all run dry-run jobs time-box yes pack",
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .cache = true,
    .run = run_prime,
};
