/* forget: paths and commands that prime shall not look at any more. */
#include "base/command.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "os/machine/env.h"
#include "prime/remember.h"
#include "verbs/prime_parts.h"

struct forget_args {
    struct jw_texts command, paths;
};

static const struct opt forget_opts[] = {
    { "run", 0, OPT_REST, offsetof(struct forget_args, command), "CMD...",
      "a command, in the words of its prime --run", NULL, HINT_FILES },
    { 0 },
};

static int run_forget(struct cli *cli, const void *args)
{
    const struct forget_args *what = args;
    struct jw_forgotten done;
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    if ((!what->command.n && !what->paths.n && !jw_fail(&err, JW_E_USAGE, "PATH or --run CMD is missing"))
        || !jw_forget(&run, what->paths, what->command, &done, &err))
        return jw_cli_fail(cli, &err);

    bool all = !done.missing.n, windows = jw_os_is_windows();
    const struct jw_roots *roots = all ? &done.left : &done.all;
    bool folders = jw_roots_differ_by_folder(roots);
    struct rep *r = rep_open(cli, "forget");

    rep_head(r, all ? JW_END_DONE : JW_END_EMPTY, NULL, "%s%s",
             all        ? "Forgotten, and nothing was deleted."
             : roots->n ? "Nothing was forgotten. This is not remembered: "
                        : "Nothing is remembered for this cache.",
             roots->n ? jw_command_text(r->a, done.missing.v, windows) : "");
    if (all && what->paths.n)
        rep_fact(r, NULL, "Forgotten", rep_path(jw_command_text(r->a, what->paths.v, windows)));
    if (all && what->command.n)
        rep_fact(
            r, NULL, "Forgotten",
            rep_path(jw_arena_printf(r->a, "--run %s", jw_command_text(r->a, what->command.v, windows))));
    if (all && !roots->n)
        rep_say(r, REP_PLAIN, "Remembered", "nothing");
    rep_table(r, "remembered", 10);
    for (size_t i = roots->n; i-- > 0;) { /* the latest first, as status has them */
        rep_row(r);
        jw_show_root(r, &roots->v[i], "REMEMBERED", folders);
    }
    rep_end(r);
    return rep_close(r);
}

static const struct example examples[] = {
    { "jitwarm forget /opt/old", "this path" },
    { "jitwarm forget --run python serve.py --model tiny", "this recorded command" },
    { 0 },
};

const struct cmd jw_cmd_forget = {
    .name = "forget",
    .summary = "forget a path or command that was primed",
    .synopsis_args = "[PATH...]",
    .details =
        "prime and status no longer look at it. The cache keeps what is compiled: others may use it. Where "
        "several folders have a command of these words, those that are gone are forgotten first, else this "
        "folder's, else all.\n\nExit code 1: a part is not remembered; nothing is forgotten, and the answer "
        "lists what is remembered.",
    .examples = examples,
    .opts = forget_opts,
    .order = "run cache json" JW_OF_ALL,
    .alone = { { "run", "cache json ARGUMENTS" } },
    .args_size = sizeof(struct forget_args),
    .positional_at = offsetof(struct forget_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_forget,
};
