#include "cli/cli.h"
#include "cli/commands.h"
#include "verbs/prime.h"

static const struct opt verify_opts[] = {
    PRIME_OPT_GPU,
    PRIME_OPT_EXCLUDE,
    PRIME_OPT_ALL,
    { "run", 0, OPT_REST, offsetof(struct prime_args, run), "CMD...",
      "run this command, and count what is compiled for it; a single word with blanks goes to the shell",
      NULL, HINT_FILES },
    { 0 },
};

static int run_verify(struct cli *cli, const void *args)
{
    return prime_run(cli, args, PRIME_VERIFY);
}

static const struct example verify_examples[] = {
    { "jitwarm verify", "is what was primed still found by programs that start now?" },
    { "jitwarm verify --run 'python serve.py --once'", "does this program still compile anything?" },
    { 0 },
};

const struct cmd jw_cmd_verify = {
    .name = "verify",
    .summary = "check that the next start compiles nothing",
    .synopsis_args = "[PATH...]",
    .details = "Fresh processes load every module that should be warm: one with the environment of this "
               "shell and, if that differs, one with the environment of a fresh login. The check passes when "
               "every module is found and no file appears in the cache. Otherwise verify shows what is "
               "missing, and why. It compiles nothing that it knows to be missing.\n\n"
               "Without PATH it checks the same software as prime. Where all of it was found, that is "
               "remembered: status says that it is warm, and the next prime has nothing to do. So is that "
               "packs were imported and none of their software is here.\n\n"
               "The exit code is 0 when nothing was missing, 1 when something was, 3 without a usable driver "
               "or GPU, 6 when the file that is named is damaged or cut off. With --run it is 1 when the "
               "driver compiled anything for the command, when that is "
               "not known, or when the command failed.",
    .examples = verify_examples,
    .opts = verify_opts,
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, o.paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .cache = true,
    .run = run_verify,
};
