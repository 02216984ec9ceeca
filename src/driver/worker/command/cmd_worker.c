/* Started by this program, for itself: the only processes that load a driver, an nvJitLink or an NVRTC. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "driver/worker/child.h"

#include <string.h>

struct worker_args {
    struct texts given;
};

static int worker_run(struct cli *cli, const void *args)
{
    const struct worker_args *a = args;
    const char **pipes = a->given.items + a->given.n - 2;
    const struct jw_worker_child o = { a->given.items[0], a->given.items[1], pipes[0], pipes[1],
                                       a->given.n == 5 && strcmp(a->given.items[2], JW_WORKER_IDLE) == 0 };
    struct jw_err err = { 0 };

    return jw_worker_serve(&o, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

const struct cmd jw_cmd_worker = {
    .name = JW_WORKER_VERB,
    .summary = "serve another jitwarm that started this one",
    .synopsis_args = "DRIVER DEVICE [idle] IN OUT",
    .args_size = sizeof(struct worker_args),
    .positional_at = offsetof(struct worker_args, given),
    .min_pos = 4,
    .max_pos = 5,
    .hidden = true,
    .run = worker_run,
};

enum { MOST_SAID = 2 << 20, OWN_WORDS = 3 };

/* The parent reads standard output alone: what cannot be done is said there, too. */
static int worker_nvjitlink_run(struct cli *cli, const void *args)
{
    const struct worker_args *a = args;
    bool job = a->given.n >= OWN_WORDS;
    const struct jw_nvjitlink_child o = { a->given.items[0], job ? a->given.items[1] : NULL,
                                          job ? a->given.items[2] : NULL,
                                          a->given.items + (job ? OWN_WORDS : 0),
                                          job ? a->given.n - OWN_WORDS : 0 };
    struct jw_buf said = JW_BUF(MOST_SAID);
    struct jw_err err = { 0 };
    bool ok = jw_nvjitlink_serve(&o, &said, &err);

    if (ok)
        jw_output_text(&cli->out, jw_buf_cstr(&said));
    else
        jw_output_printf(&cli->out, JW_NVJITLINK_MARK "refused %s\n", err.msg);
    jw_buf_free(&said);
    return ok ? EXIT_DONE : EXIT_PARTLY;
}

const struct cmd jw_cmd_worker_nvjitlink = {
    .name = JW_NVJITLINK_VERB,
    .summary = "serve another jitwarm that started this one to compile",
    .synopsis_args = "LIBRARY [IN OUT OPTION...]",
    .args_size = sizeof(struct worker_args),
    .positional_at = offsetof(struct worker_args, given),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .hidden = true,
    .run = worker_nvjitlink_run,
};

static int worker_nvrtc_run(struct cli *cli, const void *args)
{
    const struct worker_args *a = args;
    const struct jw_nvrtc_child o = { a->given.items[0], a->given.items[1], a->given.items[2] };
    struct jw_err err = { 0 };

    return jw_nvrtc_serve(&o, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

const struct cmd jw_cmd_worker_nvrtc = {
    .name = JW_NVRTC_VERB,
    .summary = "serve another jitwarm that started this one to compile",
    .synopsis_args = "LIBRARY IN OUT",
    .args_size = sizeof(struct worker_args),
    .positional_at = offsetof(struct worker_args, given),
    .min_pos = 3,
    .max_pos = 3,
    .hidden = true,
    .run = worker_nvrtc_run,
};
