/* Started by this program, for itself: the only processes that load a driver or an NVRTC. */
#include "cli/cli.h"
#include "driver/worker/child.h"

#include <string.h>

static enum jw_priority priority_of(const char *word)
{
    if (strcmp(word, JW_WORKER_BEHIND) == 0)
        return JW_PRIORITY_BEHIND;
    return strcmp(word, JW_WORKER_IDLE) == 0 ? JW_PRIORITY_IDLE : JW_PRIORITY_NORMAL;
}

static int worker_run(struct cli *cli, const void *args)
{
    const struct jw_texts *given = args;
    const struct jw_worker_child o = {given->v[0], given->v[1],
                                      priority_of(given->n == 3 ? given->v[2] : "")};
    struct jw_err err = {0};

    return jw_worker_serve(&o, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

const struct cmd jw_cmd_worker = {
    .name = JW_WORKER_VERB,
    .summary = "serve another jitwarm that started this one",
    .synopsis_args = "DRIVER DEVICE [behind|idle]",
    .args_size = sizeof(struct jw_texts),
    .min_pos = 2,
    .max_pos = 3,
    .hidden = true,
    .run = worker_run,
};

static int worker_nvrtc_run(struct cli *cli, const void *args)
{
    const char **v = ((const struct jw_texts *)args)->v;

    (void)cli;
    jw_nvrtc_serve(&(struct jw_nvrtc_child){v[0], v[1], v[2], v[3], v[4]});
    return EXIT_DONE;
}

const struct cmd jw_cmd_worker_nvrtc = {
    .name = JW_NVRTC_VERB,
    .summary = "serve another jitwarm that started this one to compile",
    .synopsis_args = "LIBRARY SOURCE SM CUDA PTX",
    .args_size = sizeof(struct jw_texts),
    .min_pos = 5,
    .max_pos = 5,
    .hidden = true,
    .run = worker_nvrtc_run,
};
