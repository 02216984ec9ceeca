#include "cli/cli.h"
#include "cli/commands.h"
#include "driver/worker/nvrtc_child.h"

struct worker_nvrtc_args {
    struct texts given;
};

static int worker_nvrtc_run(struct cli *cli, const void *args)
{
    const struct worker_nvrtc_args *a = args;
    const struct jw_nvrtc_child o = { a->given.items[0], a->given.items[1], a->given.items[2] };
    struct jw_err err = { 0 };

    return jw_nvrtc_serve(&o, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

/* Started by this program, for itself: the only process that loads an NVRTC. */
const struct cmd jw_cmd_worker_nvrtc = {
    .name = JW_NVRTC_VERB,
    .summary = "serve another jitwarm that started this one to compile",
    .synopsis_args = "LIBRARY IN OUT",
    .args_size = sizeof(struct worker_nvrtc_args),
    .positional_at = offsetof(struct worker_nvrtc_args, given),
    .min_pos = 3,
    .max_pos = 3,
    .hidden = true,
    .run = worker_nvrtc_run,
};
