#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "startup/startup.h"

#include <stdio.h>
#include <string.h>

enum startup_verb { STARTUP_STATUS, STARTUP_INSTALL, STARTUP_REMOVE, STARTUP_RUN };

struct startup_view {
    enum startup_verb verb;
    bool dry_run, is_install, is_status;
    const struct jw_startup_report *report;
};

static const char *verb_name(unsigned v)
{
    static const char *const names[] = { "status", "install", "remove", "run" };

    return names[v];
}

static const char *whom(unsigned everybody)
{
    return everybody ? "everybody" : "user";
}

enum { LABEL = 12 };

struct showing {
    struct jw_page page;
    struct cli *cli;
    const struct startup_view *v;
    const struct jw_startup_report *r;
    const char *home;
};

/* Appends "~/.config/..." for paths below the home; on Windows with backslashes. */
static void say_path(struct jw_buf *out, const struct showing *t, const char *path)
{
    size_t n = t->home ? strlen(t->home) : 0;
    char *own = jw_os_is_windows() ? jw_arena_str(t->cli->arena, path) : NULL;

    for (char *at = own; at && *at; at++)
        if (*at == '/')
            *at = '\\';
    path = own ? own : path;

    if (n > 1 && strncmp(path, t->home, n) == 0 && (path[n] == '/' || path[n] == '\\')
        && !jw_os_is_windows()) {
        jw_buf_text(out, "~");
        path += n;
    }
    jw_text_clean(out, path);
}

static void sentence(struct showing *t, enum jw_tint tint, const char *text)
{
    jw_page_say(&t->page, tint, NULL, "%s", text);
}

static void show_path(struct showing *t, const char *label, const char *path)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    say_path(&b, t, path);
    jw_page_whole(&t->page, TINT_NONE, label, "%s", jw_buf_cstr(&b));
    jw_buf_free(&b);
}

/* ---- steps ---- */

static const char *word_of(const struct showing *t, const struct jw_startup_step *s)
{
    bool taken = t->v->verb == STARTUP_REMOVE;

    if (s->act == JW_STARTUP_COMMAND)
        return t->v->dry_run ? "runs" : s->done ? "ran" : "failed";
    if (!taken && s->found == JW_FOUND_SAME)
        return "unchanged";
    if (taken && s->found == JW_FOUND_NOTHING)
        return NULL;
    if (taken)
        return t->v->dry_run ? "removes" : "removed";
    switch (s->act) {
    case JW_STARTUP_LINK: return t->v->dry_run ? "links" : "linked";
    case JW_STARTUP_JOB: return t->v->dry_run ? "registers" : "registered";
    default: return t->v->dry_run ? "writes" : "wrote";
    }
}

static void show_steps(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];
        const char *word = word_of(t, s);

        if (word)
            show_path(t, word, s->path);
    }
}

/* The exact content, without control characters. */
static void show_content(struct showing *t, const struct jw_startup_step *s)
{
    jw_page_put(&t->page, "\n");
    show_path(t, "", s->path);
    jw_page_lines(&t->page, 4, s->text);
}

static void show_contents(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];

        if (s->text && (s->act == JW_STARTUP_FILE || s->act == JW_STARTUP_JOB) && s->found != JW_FOUND_SAME)
            show_content(t, s);
    }
}

static void show_notes(struct showing *t)
{
    for (size_t i = 0; i < t->r->run->notes.n; i++)
        jw_page_say(&t->page, TINT_NONE, "Note", "%s", t->r->run->notes.v[i]);
}

static void show_install(struct showing *t)
{
    const struct jw_startup_report *r = t->r;

    if (r->run->end == JW_END_CONSENT) {
        sentence(t, TINT_BAD, r->run->why);
        return;
    }
    jw_page_say(&t->page, TINT_GOOD, NULL, "%s for %s: runs 45 seconds after login",
                r->run->end == JW_END_NOTHING ? "Already installed"
                : t->v->dry_run               ? "Would be installed"
                                              : "Installed",
                r->everybody ? "every user" : "you");
    show_steps(t);
    show_path(t, "Command", r->command);
    if (r->packs)
        show_path(t, "Packs", r->packs);
    if (r->log && !r->everybody)
        show_path(t, "Log", r->log);
    show_notes(t);
    if (r->run->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, r->run->why);
    if (t->v->dry_run)
        show_contents(t);
    else if (r->run->end != JW_END_PARTLY)
        sentence(t, TINT_NONE,
                 r->everybody
                     ? "After each login it warms what the user primed before, and imports packs that fit. "
                       "jitwarm "
                       "startup status shows whether it works; jitwarm startup remove --system undoes it."
                     : "jitwarm startup status shows whether it works; jitwarm startup remove undoes it.");
}

static void show_remove(struct showing *t)
{
    const struct jw_startup_report *r = t->r;

    if (r->run->end == JW_END_CONSENT) {
        sentence(t, TINT_BAD, r->run->why);
        return;
    }
    if (r->run->end == JW_END_NOTHING)
        sentence(t, TINT_NONE, "Nothing to remove: not installed");
    else
        sentence(t, TINT_GOOD, t->v->dry_run ? "Would be removed" : "Removed");
    show_steps(t);
    if (r->run->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, r->run->why);
}

static void show_run(struct showing *t)
{
    if (t->r->run->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, t->r->run->why);
    else
        sentence(t, TINT_GOOD,
                 t->v->dry_run ? "Would be started" : "Started; jitwarm startup status shows the result");
}

/* ---- status ---- */

static void say_status(struct jw_buf *out, const struct showing *t)
{
    const struct jw_startup_report *r = t->r;
    const struct jw_startup_run *last = &r->last;
    int64_t ago = jw_time_unix() - last->when;
    double seconds = ago > 0 ? (double)ago : 0;

    if (!r->installed)
        jw_say(out, "%s", r->run->why);
    else if (r->run->end == JW_END_NOTHING)
        jw_say(out, r->everybody ? "it runs 45 seconds after each user's login"
                                 : "it has not run yet. It runs 45 seconds after the next login, or now "
                                   "with jitwarm startup run");
    else if (r->run->end == JW_END_PARTLY && (!r->ran || r->run->why != last->what)
             && strcmp(r->run->why, last->what ? last->what : "") != 0)
        jw_say(out, "%s", r->run->why);
    else if (last->began)
        jw_say(out, "running; it began %s ago (jitwarm status shows its progress)", JW_CLOCK(seconds));
    else
        jw_say(out, "last run %s ago, exit %u, %s: %s", JW_CLOCK(seconds), last->exit,
               last->milliseconds < 1000 ? JW_PHRASE("%llu ms", (unsigned long long)last->milliseconds)
                                         : JW_CLOCK((double)last->milliseconds / 1000),
               last->what);
}

/* One line, for scripts and for copying. */
static void show_status(struct showing *t)
{
    const struct jw_startup_report *r = t->r;
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_say(&b, !r->installed                   ? "Not installed: "
               : r->run->end == JW_END_PARTLY  ? "Not working: "
               : r->run->end == JW_END_NOTHING ? "Installed: "
                                               : "Working: ");
    if (!r->installed && jw_text_starts(r->run->why, "it is not installed: "))
        jw_say(&b, "%s", r->run->why + strlen("it is not installed: "));
    else
        say_status(&b, t);
    if (r->log && (r->installed || r->ran)) {
        jw_say(&b, "; log ");
        say_path(&b, t, r->log);
    }
    jw_page_put(&t->page, "%s\n", jw_buf_cstr(&b));
    jw_buf_free(&b);
    if (t->cli->messages.level != MESSAGES_VERBOSE)
        return;
    for (size_t i = 0; i < r->n_steps; i++)
        show_path(t, jw_startup_act_name(r->steps[i].act), r->steps[i].path);
    if (r->program)
        show_path(t, "program", r->program);
    show_notes(t);
}

static bool startup_write_text(struct cli *cli, const struct startup_view *v, struct jw_err *err)
{
    static void (*const show[])(struct showing * t) = { show_status, show_install, show_remove, show_run };
    struct showing t = { .cli = cli, .v = v, .r = v->report, .home = jw_env_home(cli->arena) };

    jw_page_open(&t.page, cli, LABEL, err);
    show[v->verb](&t);
    return !t.page.bad;
}

/* ---- JSON ---- */

#define V struct startup_view
#define R struct jw_startup_report
#define S struct jw_startup_step
#define L struct jw_startup_run

static void write_found(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const S *s = of;

    jw_json_text(j, row->key, s->act == JW_STARTUP_COMMAND ? NULL : jw_startup_found_name(s->found));
}

static void write_words(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const S *s = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; s->argv && s->argv[i]; i++)
        jw_json_text(j, NULL, s->argv[i]);
    jw_json_close(j);
}

static const struct jw_row step_rows[] = {
    { JW_NAMED("kind", S, act, jw_startup_act_name, JW_STARTUP_COMMAND + 1) },
    { JW_ROW("path", S, path), JW_ABOUT("of a command: its words in one line") },
    { JW_NAMED("found", S, found, jw_startup_found_name, JW_FOUND_OTHERS + 1), JW_MAY, .write = write_found },
    { JW_ROW("done", S, done) },
    { JW_ROW("why", S, why), JW_MAY },
    { JW_CALL("words", JW_ROW_LIST, write_words) },
    { JW_ROW("content", S, text), JW_MAY, JW_ABOUT("with --dry-run") },
    { 0 },
};

static const char *spell_time(const void *at, char out[80])
{
    struct jw_buf text = JW_BUF(64);

    jw_text_time(&text, *(const int64_t *)at);
    (void)snprintf(out, 80, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return out;
}

static const struct jw_spelling time_spelling = { "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
                                                  spell_time };

static void write_end(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const L *l = of;

    jw_json_text(j, row->key, l->began ? NULL : l->end);
}

static void write_exit(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const L *l = of;

    jw_json_maybe(j, row->key, !l->began, l->exit);
}

static const struct jw_row last_rows[] = {
    { JW_SPELT("when", L, when, &time_spelling) },
    { JW_ROW("running", L, began) },
    { JW_ROW("end", L, end), JW_MAY, .write = write_end },
    { JW_ROW("exit", L, exit), JW_MAY, .write = write_exit },
    { JW_ROW("milliseconds", L, milliseconds) },
    { JW_ROW("what", L, what) },
    { 0 },
};

static const struct jw_row ending[] = {
    { JW_ENDING(struct jw_run, end, JW_CAN(DONE) | JW_CAN(NOTHING) | JW_CAN(PARTLY) | JW_CAN(CONSENT)),
      JW_ABOUT(
          "done; nothing: there was nothing to do, or (status) it has not run yet; partly: why names the "
          "problem; consent: it needs --yes") },
    { JW_ROW("why", struct jw_run, why), JW_MAY },
    { 0 },
};

static const struct jw_row notes[] = { { JW_TEXTS("notes", struct jw_run, notes.v, notes.n) }, { 0 } };

static const struct jw_row head_rows[] = {
    { JW_PART_AT(R, run, ending) },
    { JW_NAMED("with", R, with, jw_startup_with_name, JW_STARTUP_TASK + 1) },
    { JW_NAMED("for", R, everybody, whom, 2) },
    { JW_ROW("command", R, command), JW_MAY, JW_ABOUT("of install: what is started, as one line to copy") },
    { JW_ROW("program", R, program), JW_MAY },
    { 0 },
};

static const struct jw_row install_rows[] = {
    { JW_ROW("packs", R, packs), JW_MAY, JW_ABOUT("each run imports from this folder") },
    { 0 },
};

static const struct jw_row log_rows[] = { { JW_ROW("log", R, log), JW_MAY }, { 0 } };

static const struct jw_row status_rows[] = {
    { JW_ROW("installed", R, installed) },
    { JW_ROW("enabled", R, enabled) },
    { JW_ROW("working", R, working), JW_ABOUT("it has run, and the last run succeeded") },
    { JW_SUB("last", R, last, last_rows), JW_IF(R, ran), JW_MAY },
    { 0 },
};

static const struct jw_row tail_rows[] = {
    { JW_LIST("steps", R, steps, n_steps, step_rows) },
    { JW_PART_AT(R, run, notes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_NAMED("action", V, verb, verb_name, STARTUP_RUN + 1) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_PART_AT(V, report, head_rows) },
    { JW_PART_AT(V, report, install_rows), JW_IF(V, is_install) },
    { JW_PART_AT(V, report, log_rows) },
    { JW_PART_AT(V, report, status_rows), JW_IF(V, is_status) },
    { JW_PART_AT(V, report, tail_rows) },
    { 0 },
};

const struct jw_form startup_form = { "startup",
                                      "What was installed, removed or started, or whether it works.", rows };

#define ACTIONS "status install remove run"

struct startup_args {
    struct texts words;
    const char *cache, *root, *packs;
    unsigned with;
    bool everybody, prune, as_root, dry_run, yes;
};

static const struct opt startup_opts[] = {
    { "system", 0, OPT_FLAG, offsetof(struct startup_args, everybody), NULL,
      "for every user of this machine, with that user's rights", NULL, HINT_NONE },
    { "prune", 0, OPT_FLAG, offsetof(struct startup_args, prune), NULL,
      "with install: after a driver update, once all is warm again, delete entries of earlier drivers", NULL,
      HINT_NONE },
    { "packs", 0, OPT_TEXT, offsetof(struct startup_args, packs), "DIR",
      "with install: each run first imports packs that fit from this folder (with --system: "
      "/var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs)",
      NULL, HINT_DIRS },
    { "cache", 0, OPT_TEXT, offsetof(struct startup_args, cache), "DIR",
      "with install: use this cache (default: the one that CUDA programs use)", NULL, HINT_DIRS },
    { "with", 0, OPT_CHOICE, offsetof(struct startup_args, with), "WHAT",
      "start it with systemd, or a task on Windows (default: what this system has)", "auto systemd task",
      HINT_WORDS },
    { "root", 0, OPT_TEXT, offsetof(struct startup_args, root), "DIR",
      "with --system: install into the system image in this folder", NULL, HINT_DIRS },
    { "as-root", 0, OPT_FLAG, offsetof(struct startup_args, as_root), NULL,
      "allow root to install it for root's own programs", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct startup_args, yes), NULL,
      "overwrite or remove files that were edited by hand", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct startup_args, dry_run), NULL,
      "print the exact files, and change nothing", NULL, HINT_NONE },
    { 0 },
};

static bool run_action(const struct startup_args *args, struct jw_run *run, struct startup_view *v,
                       struct jw_startup_report *r, struct jw_err *err)
{
    static bool (*const act[])(
        struct jw_run * run, const struct jw_startup_options *o, struct jw_startup_report *out,
        struct jw_err *err) = { jw_startup_status, jw_startup_install, jw_startup_remove, jw_startup_run };
    const struct jw_startup_options o = { .with = (enum jw_startup_with)args->with,
                                          .everybody = args->everybody,
                                          .prune = args->prune,
                                          .packs = args->packs,
                                          .as_root = args->as_root,
                                          .dry_run = args->dry_run,
                                          .yes = args->yes,
                                          .cache = args->cache,
                                          .root = args->root };
    unsigned verb = STARTUP_STATUS;

    if (args->words.n && !jw_opt_choice(ACTIONS, args->words.items[0], &verb))
        return jw_fail(err, JW_E_USAGE, "'%s' is not an action: use install, remove, run or status",
                       args->words.items[0]);
    v->verb = (enum startup_verb)verb;
    v->is_install = verb == STARTUP_INSTALL;
    v->is_status = verb == STARTUP_STATUS;
    if (args->prune && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--prune needs install");
    if (args->packs && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--packs needs install");
    if (args->cache && verb != STARTUP_INSTALL)
        return jw_fail(err, JW_E_USAGE, "--cache needs install");
    bool ok = act[verb](run, &o, r, err);

    for (size_t i = 0; !args->dry_run && i < r->n_steps; i++)
        r->steps[i].text = NULL; /* only a dry run shows it */
    return ok;
}

static int startup_run(struct cli *cli, const void *p)
{
    const struct startup_args *args = p;
    struct jw_startup_report r = { 0 };
    struct startup_view v = { .dry_run = args->dry_run, .report = &r };
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    if (!run_action(args, &run, &v, &r, &err))
        return jw_cli_fail(cli, &err);
    bool ok = cli->common.json ? jw_output_report(&cli->out, &startup_form, &v, &err)
                               : startup_write_text(cli, &v, &err);

    return ok ? jw_cli_exit(run.end) : jw_cli_fail(cli, &err);
}

static const struct example startup_examples[] = {
    { "jitwarm startup install", "prime again after driver updates, from the next login on" },
    { "jitwarm startup", "show whether it works, its last run, and its log" },
    { "jitwarm startup install --dry-run", "print every file first" },
    { "sudo jitwarm startup install --system", "for every user of this machine" },
    { "jitwarm startup remove", "restore everything" },
    { 0 },
};

const struct cmd jw_cmd_startup = {
    .name = "startup",
    .summary = "prime at login and after driver updates",
    .synopsis_args = "[install|remove|run|status]",
    .details =
        "install makes this system run jitwarm prime --if-stale --background --quiet with two workers, 45 "
        "seconds after each login, by a systemd timer or a Windows task. If nothing changed since the last "
        "prime, that takes milliseconds, and neither loads the driver nor wakes a GPU. After a driver or "
        "software update it warms again what was primed before.\n\n"
        "It waits for mains power, runs at the lowest priority, and stops while memory is short. After a "
        "driver "
        "update that needs a reboot it waits for the reboot.\n\n"
        "With --system each user's run also imports packs that fit from /var/lib/jitwarm/packs "
        "(%ProgramData%\\jitwarm\\packs). A key in /etc/jitwarm/keys must have signed them. So one machine "
        "can compile for all machines of the same kind.\n\n"
        "install never overwrites another program's files. remove deletes the files and the folders that "
        "install "
        "created.\n\n"
        "`jitwarm startup` alone prints a one-line status. The exit code is 0 if it works, and 1 if it does "
        "not "
        "or is not installed. install and remove exit with 0 also if there was nothing to do, with 4 if a "
        "file "
        "of another program is in the way or a file cannot be written, and with 7 if files were edited by "
        "hand "
        "(use --yes to overwrite).",
    .examples = startup_examples,
    .opts = startup_opts,
    .args_size = sizeof(struct startup_args),
    .positional_at = offsetof(struct startup_args, words),
    .min_pos = 0,
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = ACTIONS,
    .report = true,
    .run = startup_run,
};
