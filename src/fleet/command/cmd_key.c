#include "base/limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "fleet/machine.h"

struct key_args {
    struct texts gpus;
};

static const struct opt key_opts[] = {
    { "gpu", 0, OPT_LIST, offsetof(struct key_args, gpus), "GPU",
      "for this architecture: sm_86, 8.6 or \"RTX 3070\"; may be repeated (default: this machine's GPUs)",
      NULL, HINT_GPUS },
    { 0 },
};

static int run(struct cli *cli, const void *args)
{
    const struct key_args *a = args;
    const struct jw_probe_options probe = { .interrupted = cli->interrupted };
    struct jw_fleet_machine m;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_err err = { 0 };

    if (!jw_fleet_machine(&probe, a->gpus.items, a->gpus.n, cli->arena, &m, &err)
        || !jw_fleet_key(&text, &m, m.sms, m.n_sms, cli->arena, &err)) {
        jw_buf_free(&text);
        return jw_cli_fail(cli, &err);
    }
    jw_buf_text(&text, "\n");
    return jw_cli_page(cli, &text);
}

static const struct example key_examples[] = {
    { "jitwarm key", "this machine's key" },
    { "jitwarm key --gpu sm_90", "the key of a machine with this driver and another GPU" },
    { "docker pull registry/app:$(jitwarm key)", "an image for each kind of machine" },
    { 0 },
};

const struct cmd jw_cmd_key = {
    .name = "key",
    .summary = "show the key that machines of the same kind share",
    .synopsis_args = "",
    .details = "Entries work on machines with the same system, driver build and GPU architecture. The key "
               "names these and "
               "the pack format, as in jitwarm1-linux-x86_64-sm_86-20260107-225146. It has only letters, "
               "digits, - _ and ., "
               "so it can be the key of a CI cache, a tag or a file name. push and pull use it as their "
               "default tag.\n\n"
               "Exit codes: 0; 2 wrong option; 3 unknown driver or GPU; 130 Ctrl-C.",
    .examples = key_examples,
    .opts = key_opts,
    .args_size = sizeof(struct key_args),
    .run = run,
};
