/* forget: paths and commands that prime shall not look at any more. */
#include "base/command.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "os/machine/env.h"
#include "prime/remember.h"

static int run_forget(struct cli *cli, const void *args)
{
    struct jw_texts words = *(const struct jw_texts *)args;
    struct jw_roots gone;
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    if (!jw_forget(&run, &words, &gone, &err))
        return jw_cli_fail(cli, &err);

    struct rep *r = rep_open(cli, "forget");

    rep_head(r, words.n ? JW_END_EMPTY : JW_END_DONE, NULL, "%s%s",
             words.n ? "This is not remembered: " : "Forgotten, and nothing was deleted.",
             (cli->shared.verbose ? jw_command_text : jw_command_shown)(r->a, words.v, jw_os_is_windows()));
    rep_table(r, "forgotten", 0);
    for (const struct jw_root *e = gone.v; !words.n && e < gone.v + gone.n; e++) {
        rep_row(r);
        rep_fact(r, "type", NULL, rep_text(e->kind == JW_ROOT_COMMAND ? "command" : "path"));
        rep_fact(r, "what", NULL, rep_path(jw_root_line(e, r->a)));
        rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, e->kind == JW_ROOT_COMMAND ? "Command" : "Path", "%s",
                 jw_root_line(e, r->a));
    }
    rep_end(r);
    if (words.n)
        rep_note(r, "nothing was forgotten; jitwarm status lists what is remembered");
    return rep_close(r);
}

static const struct example examples[] = {
    { "jitwarm forget /opt/old", "this path" },
    { "jitwarm forget python serve.py --model tiny", "this recorded command" },
    { 0 },
};

const struct cmd jw_cmd_forget = {
    .name = "forget",
    .summary = "forget a path or command that was primed",
    .synopsis_args = "WHAT...",
    .details =
        "WHAT is one path or more, or one command, in its words or as one line, as jitwarm status lists "
        "them; a path before a command of this name. prime and status no longer look at it. The cache keeps "
        "what is compiled: others may use it.\n\nExit code 1: a part is not remembered; nothing is "
        "forgotten.",
    .examples = examples,
    .order = "cache json" JW_OF_ALL,
    .args_size = sizeof(struct jw_texts),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .command = true,
    .run = run_forget,
};
