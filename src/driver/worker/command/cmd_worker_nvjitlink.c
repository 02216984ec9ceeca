#include "cli/cli.h"
#include "cli/commands.h"
#include "driver/worker/nvjitlink_child.h"

struct worker_nvjitlink_args {
    struct texts given;
};

enum { MOST_SAID = 2 << 20, OWN_WORDS = 3 };

/* The parent reads standard output alone: what cannot be done is said there, too. */
static int worker_nvjitlink_run(struct cli *cli, const void *args)
{
    const struct worker_nvjitlink_args *a = args;
    bool job = a->given.n >= OWN_WORDS;
    const struct jw_nvjitlink_child o = { a->given.items[0], job ? a->given.items[1] : NULL,
                                          job ? a->given.items[2] : NULL,
                                          a->given.items + (job ? OWN_WORDS : 0),
                                          job ? a->given.n - OWN_WORDS : 0 };
    struct jw_buf said = JW_BUF(MOST_SAID);
    struct jw_err err = { 0 };
    bool ok = jw_nvjitlink_serve(&o, &said, &err);

    if (ok)
        jw_answer_text(&cli->answer, jw_buf_cstr(&said));
    else
        jw_answer_printf(&cli->answer, JW_NVJITLINK_MARK "refused %s\n", err.msg);
    jw_buf_free(&said);
    return ok ? EXIT_DONE : EXIT_PARTLY;
}

/* Started by this program, for itself: the only process that loads an nvJitLink. */
const struct cmd jw_cmd_worker_nvjitlink = {
    .name = JW_NVJITLINK_VERB,
    .summary = "serve another jitwarm that started this one to compile",
    .synopsis_args = "LIBRARY [IN OUT OPTION...]",
    .args_size = sizeof(struct worker_nvjitlink_args),
    .positional_at = offsetof(struct worker_nvjitlink_args, given),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .hidden = true,
    .run = worker_nvjitlink_run,
};
