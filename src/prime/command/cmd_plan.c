#include "cli/cli.h"
#include "cli/commands.h"
#include "prime/command/prime_args.h"

static const struct opt plan_opts[] = {
    PRIME_OPTS_WHICH,
    PRIME_OPTS_WORKERS,
    { "check", 0, OPT_FLAG, offsetof(struct prime_args, check), NULL,
      "exit with 1 unless all of it is warm already", NULL, HINT_NONE },
    { 0 },
};

static int run_plan(struct cli *cli, const void *args)
{
    return prime_run(cli, args, PRIME_PLAN);
}

static const struct example plan_examples[] = {
    { "jitwarm plan", "what would prime do here, and how long would it take?" },
    { "jitwarm plan --gpu 0 /opt/app/lib", "for the first GPU, and this folder" },
    { "jitwarm plan --check", "in a script: exit 1 if the next start would compile anything" },
    { 0 },
};

const struct cmd jw_cmd_plan = {
    .name = "plan",
    .summary = "show what prime would compile, and how long it takes",
    .synopsis_args = "[PATH...]",
    .details = "Looks for the same software as prime. For each file it shows how many modules the driver "
               "would compile, how much PTX that is, the time, the room in the cache, and what is warm "
               "already. It compiles nothing and does not change the cache.\n\n"
               "The time is a prediction from earlier primes on this machine. Before the first one it is "
               "that of an ordinary processor.\n\n"
               "The exit code is 0. With --check it is 1 unless everything is known to be warm; so also "
               "without a driver, or if a setting forbids compiling.",
    .examples = plan_examples,
    .opts = plan_opts,
    .often = "gpu only exclude all cache jobs",
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run_plan,
};
