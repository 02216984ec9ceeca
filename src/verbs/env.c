/* env: the settings of the driver's cache, here and in a fresh login; one file that sets them. */
#include "base/command.h"
#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "machine/login.h"
#include "memory/roots.h"
#include "setup/setup.h"

#include <string.h>

struct env_args {
    struct jw_texts words;
    const char *path;
    uint64_t size;
};

/* ---- show ---- */

static const char *or_unset(const char *value) { return value ? value : "unset"; }

/* The text has a variable that is set here, or differs. Returns true if it differs. */
static bool show_variable(struct rep *r, enum jw_driver_variable variable, const char *here,
                          const struct jw_login *login, const char *driver)
{
    const char *name = jw_driver_variables[variable];
    const char *there = login->values[variable];
    bool differ = login->known && !jw_setting_same(variable, here, there, driver);

    rep_row(r);
    rep_fact(r, "name", NULL, rep_text(name));
    rep_fact(r, "here", NULL, rep_text(here));
    rep_fact(r, "login", NULL, rep_text(there));
    if (differ)
        rep_say(r, REP_WARN, name, "%s; in a fresh login %s", or_unset(here), or_unset(there));
    else if (here)
        rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, name, "%s", here);
    return differ;
}

/* Does what `apply` wrote hold just these values? */
static bool holds(const char *const *values, struct jw_arena *a)
{
    bool same = true;

    for (enum jw_driver_variable i = JW_VAR_CACHE_PATH; i <= JW_VAR_CACHE_MAXSIZE; i++)
        same &= jw_text_same(jw_env_written(jw_driver_variables[i], a), values[i]);
    return same;
}

/* Shows the file that `apply` wrote. True: it is in force for desktops alone. */
static bool show_own(struct rep *r, const char *const *here, const struct jw_login *login)
{
    struct jw_step_list steps = {0};
    bool listed = jw_env_change(NULL, 0, true, r->a, &steps, JW_IGNORED);
    const struct jw_step *found = listed ? jw_steps_found(&steps) : NULL;
    const char *word = "desktop";
    const char *says = "for desktops alone";
    const char *ignored;

    if (!found)
        return false;
    const char *line = jw_env_line(r->a, &ignored);
    bool now = holds(here, r->a);
    bool then = holds(login->values, r->a);

    if (now) {
        word = "here";
        says = "in force here";
    } else if (then) {
        word = "login";
        says = "from the next login on";
    }
    rep_fact(r, "file", NULL, rep_path(found->path));
    rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, "File", "%s (%s)", found->path, says);
    rep_fact(r, "in_force", NULL, rep_text(word));
    if (!then && line && (login->known || !now))
        rep_todo_line(r, "%s", line);
    return !now && !then;
}

/* `idle`: the file of `apply` is in force for desktops alone. */
static void say_difference(struct rep *r, bool idle, bool differ, bool known)
{
    enum rep_tone tone = idle || differ || !known ? REP_WARN : rep_tones[JW_END_DONE];
    const char *word = "same";
    const char *says = "This process and a fresh login have the same settings.";

    if (!known) {
        word = "unknown";
        says = "Settings of this process; those of a fresh login are not known.";
    } else if (differ) {
        word = "differ";
        says = "This process and a fresh login have different settings.";
    }
    if (idle)
        says = "Neither this process nor a fresh login has the settings of env apply.";
    rep_head_in(r, tone, JW_END_DONE, word, "%s", says);
}

static int show_settings(struct cli *cli)
{
    struct jw_login login;
    const char *here[JW_ALL_VARIABLES];
    struct jw_err err = {0};
    const struct jw_facts *f = jw_session_facts(&cli->session);
    bool differ = false;

    if (!jw_login_variables(jw_driver_variables, JW_ALL_VARIABLES, cli->session.interrupted,
                            cli->arena, &login, &err))
        return jw_cli_fail(cli, &err);

    struct rep *r = rep_open(cli, "env");

    rep_begin(r, "scope");
    rep_given(r, "cache", "Cache", rep_path(f->cache.folder));
    if (f->scope.limit != JW_CACHE_UNKNOWN)
        rep_fact(r, "limit_bytes", "Limit", rep_bytes(f->scope.limit));
    rep_end(r);
    rep_table(r, "variables", 0);
    for (enum jw_driver_variable i = 0; i < JW_ALL_VARIABLES; i++) {
        here[i] = jw_env(cli->arena, jw_driver_variables[i]);
        differ |= show_variable(r, i, here[i], &login, f->scope.version);
    }
    rep_end(r);
    bool idle = show_own(r, here, &login);

    say_difference(r, idle, differ, login.known);
    if (!login.known)
        rep_note(r, "%s", login.why);
    return rep_close(r);
}

/* ---- apply, undo ---- */

/* The settings, of which those that are not named stay as they were. */
static bool settings_of(struct cli *cli, const struct env_args *args, struct jw_env_setting s[2],
                        size_t *n, struct jw_err *err)
{
    const char *limit;
    const char *path = args->path;
    const char *behind = jw_session_user(&cli->session)->behind;
    uint64_t size = args->size;
    struct jw_cache_disk place;

    if (jw_session_is_root(&cli->session) && behind && !cli->shared.as_root)
        return jw_fail(
            err, JW_E_USAGE,
            "%.100s called sudo, and these would be root's settings: leave it out, or add "
            "--as-root",
            behind);
    path = path ? path : jw_env_written(jw_driver_variables[JW_VAR_CACHE_PATH], cli->arena);
    limit = size ? NULL : jw_env_written(jw_driver_variables[JW_VAR_CACHE_MAXSIZE], cli->arena);
    (void)(limit && jw_text_u64(limit, &size));
    if (!jw_env_settings(path, size, cli->arena, s, n, err))
        return false;
    if (args->path)
        jw_cache_disk(args->path, cli->arena, &place);
    return !args->path || place.may_write
           || jw_fail(err, JW_E_USAGE, "--path: this user can make no folder in %.250s",
                      place.nearest);
}

static int show_plan(struct cli *cli, const char *says, const struct jw_step_list *steps)
{
    struct rep *r = rep_open(cli, "env");

    rep_head(r, JW_END_LISTED, NULL, "%s", says);
    rep_steps(r, true, steps);
    return rep_close(r);
}

/* Takes along what the cache of this shell holds, and the paths that are remembered for it. */
static void say_move(struct rep *r, const char *to)
{
    struct jw_session *s = &r->cli->session;
    const char *from = jw_session_facts(s)->cache.folder;
    bool windows = jw_os_is_windows();
    struct jw_roots roots = {0};
    struct jw_remedy prime = {.kind = JW_REMEDY_RUN, .words = {"jitwarm", "prime", "--cache", to}};
    struct jw_texts paths = {0};

    if (!to || !from || jw_is_absent(from) || !jw_is_absent(jw_path_join(r->a, to, "index")))
        return;
    if (windows)
        rep_todo_line(r, "%s", JW_COMMAND(r->a, windows, "xcopy", "/e", "/i", "/q", from, to));
    else
        rep_todo_line(r, "%s && %s", JW_COMMAND(r->a, windows, "mkdir", "-p", to),
                      JW_COMMAND(r->a, windows, "cp", "-a", jw_path_join(r->a, from, "."), to));
    jw_roots_load(jw_session_memory(s), r->a, &roots);
    for (size_t i = 0; i < roots.n; i++)
        if (roots.v[i].kind == JW_ROOT_NAMED)
            jw_texts_add(&paths, r->a, roots.v[i].path);
    prime.more = paths.v;
    if (paths.n)
        rep_todo(r, &prime);
}

static int apply(struct cli *cli, const struct env_args *args)
{
    struct jw_env_setting s[2];
    struct jw_step_list steps = {0};
    struct jw_err err = {0};
    size_t n;

    if (!settings_of(cli, args, s, &n, &err)
        || !jw_env_change(s, n, cli->shared.dry_run, cli->arena, &steps, &err))
        return jw_cli_fail(cli, &err);
    if (cli->shared.dry_run)
        return show_plan(cli, "env apply would write this.", &steps);
    if (jw_steps_same(&steps)) /* a login may have the line already */
        return show_settings(cli);

    struct rep *r = rep_open(cli, "env");
    const char *start, *line = jw_env_line(cli->arena, &start);

    rep_head(r, JW_END_DONE, NULL, "%s",
             line ? "Login shells do not have these settings yet."
                  : "Programs have these settings from the next login on.");
    rep_fact(r, "file", NULL, rep_path(steps.v->path));
    rep_steps(r, false, &steps);
    say_move(r, args->path);
    for (size_t i = 0; i < n; i++) /* for this shell */
        rep_todo(
            r, &(struct jw_remedy){.kind = JW_REMEDY_SET, .what = s[i].name, .value = s[i].value});
    if (line) {
        rep_note(
            r,
            "Desktops and systemd --user read this file. A login shell such as bash (ssh, a text "
            "console) needs the last line; fish and csh need another (docs/setup.md).");
        rep_todo_line(r, "%s", line);
    }
    return rep_close(r);
}

static int undo(struct cli *cli)
{
    struct jw_step_list steps = {0};
    struct jw_err err = {0};

    if (!jw_env_change(NULL, 0, cli->shared.dry_run, cli->arena, &steps, &err))
        return jw_cli_fail(cli, &err);
    if (cli->shared.dry_run && jw_steps_found(&steps))
        return show_plan(cli, "env undo would remove this.", &steps);

    const struct jw_step *found = jw_steps_found(&steps);
    const struct jw_step *first = found ? found : steps.v;
    const char *start;

    if (first && first->why)
        return JW_CLI_REFUSE(cli, &err, JW_E_IO, "%s", first->why);

    struct rep *r = rep_open(cli, "env");

    if (found)
        rep_head(r, JW_END_DONE, NULL, "The settings are removed, from the next login on.");
    else
        rep_head(r, JW_END_NOTHING, NULL, "Nothing to undo.");
    rep_steps(r, false, &steps);
    if (found && jw_env_start_has("environment.d/jitwarm.conf", cli->arena, &start))
        rep_todo_say(r, "take its line out of %s", start);
    return rep_close(r);
}

static int run(struct cli *cli, const void *p)
{
    const struct env_args *args = p;
    const char *action = args->words.n ? args->words.v[0] : "";
    struct jw_err err = {0};

    if (strcmp(action, "apply") == 0)
        return apply(cli, args);
    if (args->path || args->size)
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "--path and --size belong to jitwarm env apply");
    return *action ? undo(cli) : show_settings(cli);
}

const struct cmd jw_cmd_env = {
    .name = "env",
    .summary = "show or set the settings of the driver's cache",
    .synopsis_args = "[apply|undo]",
    .details =
        "Shows the settings of this process, and those of a fresh login, whose shell it runs "
        "once.\n\napply writes one file, ~/.config/environment.d/jitwarm.conf (Windows: values of "
        "the user's environment), and prints the line with which a login shell reads it. undo "
        "removes it.",
    .examples = {{"jitwarm env", "show the settings of this shell and of a fresh login"},
                 {"jitwarm env apply --path /scratch/$USER/cuda",
                  "put the cache there, for all programs of this user"},
                 {"jitwarm env undo", "remove the file that apply wrote"}},
    .opts = {{"path", 0, OPT_TEXT, offsetof(struct env_args, path), .arg = "DIR",
              .help = "the cache's folder (CUDA_CACHE_PATH)", .hint = HINT_DIRS},
             {"size", 0, OPT_SIZE, offsetof(struct env_args, size), .arg = "SIZE",
              .help = "the most that the cache may hold (CUDA_CACHE_MAXSIZE; default: 4GiB, the "
                      "most that the driver heeds)"}},
    .order = "path size dry-run json" JW_OF_ALL " as-root",
    .args_size = sizeof(struct env_args),
    .positional_at = offsetof(struct env_args, words),
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = "apply undo",
    .run = run,
};
