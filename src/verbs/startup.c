/* startup: prime after each login and after updates of the driver. */
#include "base/command.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "setup/setup.h"
#include "verbs/post_install.h"

#include <string.h>

struct startup_args {
    struct jw_texts words, sources;
};

static void install(struct rep *r, const struct jw_startup *s)
{
    const char *whom = s->everybody ? "every user" : "you", *says;

    if (s->dry_run && s->run->end == JW_END_DONE) {
        rep_head(r, JW_END_LISTED, NULL, "startup install would write this, for %s.", whom);
        return;
    }
    if (s->run->end == JW_END_PARTLY)
        rep_head(r, JW_END_PARTLY, NULL, "Installed, but: %s", s->run->why);
    else if (s->run->end == JW_END_NOTHING)
        rep_head(r, JW_END_NOTHING, NULL, "Already installed for %s.", whom);
    else
        rep_head(r, JW_END_DONE, NULL, "Installed for %s: prime runs 45 seconds after login.",
                 whom);
    if (!s->sources.n || s->run->end == JW_END_PARTLY || jw_os_is_windows())
        return;
    /* The timer may start with the next login alone: a prime starts now. */
    (void)!jw_post_install(&r->cli->session, (struct jw_texts){0}, &says);
    rep_note(r, "%s", says);
}

static void take(struct rep *r, const struct jw_startup *s)
{
    if (s->run->end == JW_END_NOTHING)
        rep_head(r, JW_END_NOTHING, NULL,
                 s->line ? "Installed for every user, not for you."
                         : "Not installed: nothing to remove.");
    else if (s->run->end == JW_END_PARTLY)
        rep_head(r, JW_END_PARTLY, NULL, "Removed, but: %s", s->run->why);
    else if (s->dry_run)
        rep_head(r, JW_END_LISTED, NULL, "startup remove would remove this.");
    else
        rep_head(r, JW_END_DONE, NULL, "Removed.");
}

static void status(struct rep *r, const struct jw_startup *s)
{
    const char *why = s->line ? "" : jw_arena_printf(r->a, ": %s", s->run->why);

    if (!s->installed)
        rep_head(r, JW_END_PARTLY, "not-installed", "Not installed%s", why);
    else if (s->run->end == JW_END_PARTLY)
        rep_head_in(r, REP_BAD, JW_END_PARTLY, "not-working", "Not working: %s", s->run->why);
    else
        rep_head(r, JW_END_DONE, "installed", "Installed for %s.",
                 s->everybody ? "every user" : "you");
    rep_given(r, "log", "Log", rep_path(s->log));
}

/* Where primes take packs from, after this; also without the task. */
static void show_sources(struct rep *r)
{
    r->cli->session.config = NULL; /* it may be changed */
    const struct jw_conf_list *list = &jw_session_config(&r->cli->session)->source;

    for (size_t i = 0; i < list->n; i++) {
        const char *value = list->v[i].value;
        const char *why = list->v[i].doubt;
        const char *label = i ? "" : "Packs from";

        if (!why && jw_path_absolute(value) && !jw_is_folder(value))
            why = jw_why_no_folder(value);
        if (why)
            rep_say(r, REP_WARN, label, "%s (%s)", value, why);
        else
            rep_say(r, REP_PLAIN, label, "%s", value);
    }
}

/* Without systemd a line in the start file of the login shell primes. */
struct shell_line {
    const char *file; /* NULL: there is none, or it is about every user */
    const char *text;
    bool there; /* the file has the line */
};

static struct shell_line find_line(struct rep *r, const struct jw_startup *s)
{
    const char *word = JW_COMMAND(r->a, false, s->exe); /* quoted: found by PATH */
    struct shell_line l = {
        .text = jw_arena_printf(r->a, "sh -c \"%s prime --background >/dev/null 2>&1 &\"",
                                strcmp(word, s->exe) == 0 ? word : "jitwarm")};

    if (!r->cli->shared.system)
        l.there = jw_env_start_has(jw_arena_printf(r->a, "\n%s\n", l.text), r->a, &l.file);
    return l;
}

/* Where the line counts instead of a task. False: the task is what is said. */
static bool say_line(struct rep *r, const struct jw_startup *s, const struct shell_line *l,
                     bool removes)
{
    static const char has[] = "has the line that primes at a login.";
    const char *what = s->sources.n ? "Packs are taken, but no task is installed" : "Not installed";
    const char *below = l->file ? "; the line below primes at a login" : "";
    bool stopped = s->run->end == JW_END_STOPPED;

    if (l->there && removes && s->run->end == JW_END_NOTHING)
        rep_head(r, JW_END_PARTLY, NULL, "Not removed: %s %s", l->file, has);
    else if (l->there && stopped)
        rep_head(r, JW_END_NOTHING, "installed", "Already installed: %s %s", l->file, has);
    else if (stopped)
        rep_head(r, JW_END_STOPPED, "not-installed", "%s: %s%s", what, s->run->why, below);
    else
        return false;
    return true;
}

static void show_todos(struct rep *r, const struct jw_startup *s, const struct shell_line *l,
                       bool removes)
{
    bool stopped = s->run->end == JW_END_STOPPED;

    if (s->line)
        rep_todo_line(r, "%s", s->line);
    if (l->there && removes)
        rep_todo_say(r, "take this line out of %s: %s", l->file, l->text);
    else if (stopped && l->file && !l->there)
        rep_todo_line(r, "grep -qs 'prime --background' %s || echo '%s' >>%s", l->file, l->text,
                      l->file);
    else if (stopped && !l->file)
        rep_todo_say(r, "each user: jitwarm startup install shows the line that primes at a login");
}

static int startup_run(struct cli *cli, const void *p)
{
    const struct startup_args *args = p;
    struct jw_startup s = {.everybody = cli->shared.system,
                           .as_root = cli->shared.as_root,
                           .dry_run = cli->shared.dry_run,
                           .sources = args->sources,
                           .trust = cli->shared.trust};
    bool installs = args->words.n && strcmp(args->words.v[0], "install") == 0;
    bool removes = args->words.n && !installs;
    bool (*act)(struct jw_run *, struct jw_startup *, struct jw_err *) = jw_startup_status;
    void (*say)(struct rep *, const struct jw_startup *) = status;
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = {0};

    if (!installs && (s.sources.n || s.trust.n))
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "--source and --trust belong to jitwarm startup install");
    if (args->words.n) {
        act = installs ? jw_startup_install : jw_startup_remove;
        say = installs ? install : take;
    }
    if (!act(&run, &s, &err))
        return jw_cli_fail(cli, &err);

    struct rep *r = rep_open(cli, "startup");
    const struct shell_line l = find_line(r, &s);

    if (!say_line(r, &s, &l, removes))
        say(r, &s);
    rep_steps(r, s.dry_run, &s.steps);
    show_sources(r);
    show_todos(r, &s, &l, removes);
    return rep_close(r);
}

const struct cmd jw_cmd_startup = {
    .name = "startup",
    .summary = "prime at login and after driver updates",
    .synopsis_args = "[install|remove]",
    .details = "install makes this system run jitwarm prime --background 45 seconds after each "
               "login, by a systemd timer or a Windows task, and when NVIDIA's driver is updated. "
               "The run starts through the user's login shell, so it has the settings that "
               "programs have.\n\n--source and --trust write jitwarm/startup.conf beside "
               "jitwarm.conf: prime takes what is missing from REF first.",
    .examples = {{"jitwarm startup install", "prime after driver updates, from the next login on"},
                 {"jitwarm startup", "show whether it works, and where its log is"},
                 {"sudo jitwarm startup install --system --source oci://lab/jit --trust RWQ...",
                  "a team's laptop: take what the team compiled"},
                 {"jitwarm startup remove", "remove what install wrote"}},
    .opts =
        {{"source", 0, OPT_LIST, offsetof(struct startup_args, sources), .arg = "REF",
          .help =
              "prime then takes from there what others compiled: oci://HOST/NAME or a folder (with "
              "--trust KEY)",
          .hint = HINT_FILES}},
    .order = "source trust system dry-run json" JW_OF_ALL " as-root",
    .args_size = sizeof(struct startup_args),
    .positional_at = offsetof(struct startup_args, words),
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = "install remove",
    .run = startup_run,
};
