/* forget: paths and commands that prime shall not look at any more. */
#include "base/command.h"
#include "cli/cli.h"
#include "prime/remember.h"
#include "verbs/prime_parts.h"

/* The latest first, as status has them. */
static void list(struct rep *r, const char *key, const char *title, const struct jw_roots *roots)
{
    rep_table(r, key, 10);
    for (size_t i = roots->n; i-- > 0;) {
        rep_row(r);
        jw_show_root(r, &roots->v[i], title, roots->here);
    }
    rep_end(r);
}

static void say_missing(struct rep *r, const struct jw_forgotten *f)
{
    if (f->all.n)
        rep_head(r, JW_END_EMPTY, NULL, "Nothing was forgotten. This is not remembered here: %s",
                 jw_command_text(r->a, f->missing.v, jw_os_is_windows()));
    else
        rep_head(r, JW_END_EMPTY, NULL, "Nothing is remembered for this cache.");
}

static int run_forget(struct cli *cli, const void *args)
{
    const struct jw_texts *paths = args;
    const struct jw_texts *command = &cli->shared.run;
    struct jw_forgotten done;
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = {0};

    if (!command->n && !paths->n)
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "PATH or --run CMD is missing");
    if (!jw_forget(&run, *paths, *command, cli->shared.dry_run, &done, &err))
        return jw_cli_fail(cli, &err);

    bool all = !done.missing.n;
    const struct jw_roots *roots = all ? &done.left : &done.all;
    const char *cache = cli->session.cache; /* in another folder --cache has to be the whole path */
    struct rep *r = rep_open(cli, "forget");

    if (!all)
        say_missing(r, &done);
    else if (cli->shared.dry_run)
        rep_head(r, JW_END_LISTED, NULL, "This would be forgotten, and nothing deleted.");
    else
        rep_head(r, JW_END_DONE, NULL, "Forgotten, and nothing was deleted.");
    if (all)
        list(r, "forgotten", "FORGOTTEN", &done.gone);
    else if (done.meant)
        rep_todo(r, &(struct jw_remedy){
                        .kind = JW_REMEDY_RUN,
                        .words = {"jitwarm", "forget", cache ? "--cache" : "--run", cache, "--run"},
                        .more = (command->n ? command : paths)->v,
                        .folder = done.folder});
    list(r, "remembered", all ? NULL : "REMEMBERED", roots);
    return rep_close(r);
}

const struct cmd jw_cmd_forget = {
    .name = "forget",
    .summary = "forget a path or command that was primed",
    .synopsis_args = "[PATH...]",
    .details =
        "prime and status no longer look at it. The cache keeps what is compiled: others may use "
        "it.\n\nExit code 1: a part is not remembered; nothing is forgotten, and the answer lists "
        "what is.",
    .examples = {{"jitwarm forget /opt/old", "this path"},
                 {"jitwarm forget --run python serve.py --model tiny", "this recorded command"}},
    .order = "run dry-run cache json" JW_OF_ALL,
    .alone = {{"run", "dry-run cache json"}},
    .args_size = sizeof(struct jw_texts),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_forget,
};
