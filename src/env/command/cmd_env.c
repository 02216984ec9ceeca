/* jitwarm env: text and JSON. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "env/env_apply.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

/* The report of apply or undo. */
struct env_done {
    const struct jw_env_report *report;
    const char *home;
    bool undo, dry_run;
};

enum { LABEL = 14 };

/* Appends "~/.profile" for paths below the home. */
static void env_say_path(struct jw_buf *out, const char *path, const char *home)
{
    size_t n = home ? strlen(home) : 0;

    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/') {
        jw_buf_text(out, "~");
        path += n;
    }
    jw_text_clean(out, path);
}

/* "4294967296 (4 GiB)" */
static void say_value(struct jw_buf *out, const char *name, const char *value)
{
    uint64_t n;

    jw_text_clean(out, value);
    if (strcmp(name, "CUDA_CACHE_MAXSIZE") == 0 && jw_text_u64(value, &n) && n >= 1000)
        jw_say(out, " (%s)", JW_SIZE(n));
}

static void show_now(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!v->here)
        jw_say(&text, "not set here");
    else if (!*v->here)
        jw_say(&text, "set, but empty");
    else
        say_value(&text, v->name, v->here);
    if (!v->here && strcmp(v->name, "CUDA_CACHE_PATH") == 0 && s->facts.dir->root) {
        jw_say(&text, ": the cache is ");
        env_say_path(&text, s->facts.dir->root, NULL);
    }
    jw_page_line(p, TINT_NONE, "  now", &text);
    if (v->from) {
        env_say_path(&text, v->from, s->home);
        jw_page_line(p, TINT_NONE, "  from", &text);
    }
}

/* Only if a new login has another value. */
static void show_login(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!s->look.login.known || jw_text_same(v->login, v->here))
        return;
    if (v->login) {
        say_value(&text, v->name, *v->login ? v->login : "empty");
        if (v->login_from) {
            jw_say(&text, ", set by ");
            env_say_path(&text, v->login_from, s->home);
        }
    } else {
        jw_say(&text, "not set");
    }
    jw_page_line(p, TINT_WARN, "  new logins", &text);
}

static void show_sources(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    for (size_t i = 0; i < v->n_sources; i++) {
        const struct jw_env_source *o = &v->sources[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        env_say_path(&text, o->origin, s->home);
        if (o->line)
            jw_say(&text, ":%u", o->line);
        jw_say(&text, o->value ? " sets " : " unsets it");
        if (o->value)
            say_value(&text, v->name, *o->value ? o->value : "nothing");
        if (o->value && !o->exact)
            jw_say(&text, " (before a shell expands it)");
        if (o->ours)
            jw_say(&text, ", by jitwarm env apply");
        jw_page_line(p, TINT_NONE, i ? "" : "  set in", &text);
    }
}

static void show_recommended(struct jw_page *p, const struct jw_env_advice *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (a->value)
        say_value(&text, a->name, a->value);
    else
        jw_say(&text, a->wrong ? "your decision" : "no change");
    jw_page_line(p, a->wrong ? TINT_WARN : TINT_GOOD, "  recommended", &text);
    jw_page_say(p, TINT_NONE, "  why", "%s", a->why);
}

/* For variables that env does not write. */
static void show_opinion(struct jw_page *p, const struct jw_env_var *v)
{
    if (v->meant)
        jw_page_say(p, TINT_WARN, "  misspelt", "no driver reads this name; use %s", v->meant->name);
    else if (v->known && v->known->kind == JW_ENV_SWITCH && v->here && strcmp(v->here, "0") != 0)
        jw_page_say(p, TINT_WARN, "  recommended", "unset it where it is set, unless you are testing");
}

static void show_variable(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    jw_page_whole(p, TINT_STRONG, NULL, "%s", v->name);
    if (v->known)
        jw_page_say(p, TINT_NONE, "  what", "%s", v->known->what);
    show_now(p, s, v);
    show_login(p, s, v);
    show_sources(p, s, v);
    if (v->advice)
        show_recommended(p, v->advice);
    else
        show_opinion(p, v);
    jw_page_put(p, "\n");
}

static void show_env_notes(struct jw_page *p, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_page_say(p, TINT_FAINT, "note", "%s", notes->v[i]);
}

static void show_commands(struct jw_page *p, const struct jw_env_state *s)
{
    struct jw_env_setting settings[JW_ENV_ADVICES];

    if (!jw_env_settings(s, settings)) {
        jw_page_put(p, "No changes needed.\n");
        return;
    }
    jw_page_whole(p, TINT_NONE, "this shell", "%s",
                  jw_os_is_windows() ? "jitwarm env --shell powershell | Out-String | Invoke-Expression"
                                     : "eval \"$(jitwarm env --shell sh)\"");
    jw_page_whole(p, TINT_NONE, "permanently",
                  "jitwarm env apply   (--dry-run only shows it; jitwarm env undo restores everything)");
}

static bool env_write_show_text(struct cli *cli, const struct jw_env_state *s, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    for (size_t i = 0; i < s->look.n; i++)
        show_variable(&page, s, &s->look.v[i]);
    show_env_notes(&page, &s->facts.dir->notes);
    show_env_notes(&page, &s->look.notes);
    if (s->look.login.why)
        jw_page_say(&page, TINT_FAINT, "note", "the settings of a new login are unknown: %s",
                    s->look.login.why);
    show_env_notes(&page, &s->look.login.notes);
    show_commands(&page, s);
    return !page.bad;
}

/* The settings as lines of `form`, and nothing else. */
static bool env_write_lines(struct cli *cli, const struct jw_env_state *s, enum jw_env_form form,
                            struct jw_err *err)
{
    struct jw_env_setting settings[JW_ENV_ADVICES];
    size_t n = jw_env_settings(s, settings);
    struct jw_buf text = JW_BUF(JW_MAX_PAGE);
    bool ok = true;

    cli->out.muted = false; /* --quiet does not apply to data */
    if (form == JW_ENV_SYSTEMD && n)
        jw_buf_text(&text, "[Service]\n");
    for (size_t i = 0; ok && i < n; i++)
        ok = jw_env_put(form, settings[i].name, settings[i].value, &text, err);
    ok = ok && jw_buf_ok(&text, err);
    if (ok)
        jw_output_text(&cli->out, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return ok;
}

enum { DONE_LABEL = 12, MOST_NAMED = 6 };

static const char *label_of(enum jw_env_done done)
{
    switch (done) {
    case JW_ENV_SAME: return "  unchanged";
    case JW_ENV_MADE: return "  new";
    case JW_ENV_ADDED: return "  added to";
    case JW_ENV_CHANGED: return "  changed";
    case JW_ENV_TAKEN: return "  restored";
    case JW_ENV_REMOVED: return "  removed";
    default: return "  kept";
    }
}

static void show_step(struct jw_page *p, const struct env_done *d, const struct jw_env_step *s)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = s->done == JW_ENV_SAME ? TINT_FAINT : s->done == JW_ENV_LEFT ? TINT_WARN : TINT_GOOD;

    env_say_path(&text, s->path, d->home);
    jw_buf_text(&text, s->kind != JW_ENV_FOLDER ? "" : jw_os_is_windows() ? "\\" : "/");
    jw_page_whole(p, tint, label_of(s->done), "%s", jw_buf_cstr(&text));
    if (s->why)
        jw_page_say(p, TINT_NONE, "", "%s", s->why);
    else if (s->text && s->done != JW_ENV_SAME && (!d->undo || s->kind == JW_ENV_REGISTRY))
        jw_page_lines(p, DONE_LABEL + 2, s->text);
    jw_buf_free(&text);
}

static void show_settings(struct jw_page *p, const struct jw_env_report *r)
{
    for (size_t i = 0; i < r->n_settings; i++) {
        jw_page_put(p, "%s=%s\n", r->settings[i].name, r->settings[i].value);
        jw_page_say(p, TINT_NONE, "", "%s", r->settings[i].why);
    }
}

/* "bash (4711), zsh (4712) and 3 more" */
static bool say_runs(struct jw_buf *out, const struct jw_env_runnings *list, enum jw_env_run_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].kind != kind)
            continue;
        if (n < MOST_NAMED) {
            jw_say(out, "%s%s", n ? ", " : "", list->v[i].name);
            if (kind != JW_ENV_RUN_SERVICE)
                jw_say(out, " (%lu)", list->v[i].pid);
        }
        n++;
    }
    if (n > MOST_NAMED)
        jw_say(out, " and %zu more", n - MOST_NAMED);
    return n > 0;
}

static void show_running(struct jw_page *p, const struct jw_env_report *r)
{
    static const struct {
        enum jw_env_run_kind kind;
        const char *label, *what;
    } kinds[] = { { JW_ENV_RUN_SERVICE, "services", "restart them" },
                  { JW_ENV_RUN_CUDA, "programs", "start them again" },
                  { JW_ENV_RUN_SHELL, "shells", "log in again and open new ones" } };

    bool shown = false;

    for (size_t i = 0; i < JW_COUNT(kinds); i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (say_runs(&text, &r->running, kinds[i].kind)) {
            if (!shown)
                jw_page_put(p, "\nThese programs are running, and still have the old values:\n");
            shown = true;
            jw_page_say(p, TINT_WARN, kinds[i].label, "%s: %s", jw_buf_cstr(&text), kinds[i].what);
        }
        jw_buf_free(&text);
    }
}

static void show_after(struct jw_page *p, const struct env_done *d)
{
    const struct jw_env_report *r = d->report;

    if (r->checked)
        jw_page_put(p, "\nChecked: a new login has these values.\n");
    if (jw_os_is_windows() && !d->dry_run && !r->nothing)
        jw_page_put(
            p, d->undo ? "\nPrograms that Explorer starts from now on have the old values again.\n"
                       : "\nPrograms that Explorer starts from now on have these values; running ones keep "
                         "the old values.\n");
    show_running(p, r);
    if (d->undo)
        return;
    if (d->dry_run) {
        jw_page_put(p, "\nNothing was written (--dry-run).\n");
    } else {
        jw_page_put(p, "\n");
        jw_page_whole(p, TINT_NONE, "to undo", "jitwarm env undo%s",
                      r->scope == JW_ENV_SYSTEM ? " --system" : "");
    }
}

static bool env_write_done_text(struct cli *cli, const struct env_done *d, struct jw_err *err)
{
    const struct jw_env_report *r = d->report;
    struct jw_page page;

    jw_page_open(&page, cli, DONE_LABEL, err);
    if (d->undo && !r->n) {
        jw_page_put(&page,
                    r->scope == JW_ENV_SYSTEM
                        ? "Nothing to undo: jitwarm env apply --system has not written anything here.\n"
                        : "Nothing to undo: jitwarm env apply has not written anything for this user.\n");
        return !page.bad;
    }
    if (!d->undo && !r->n_settings) {
        jw_page_put(&page, "No changes needed.\n");
        show_env_notes(&page, &r->notes);
        return !page.bad;
    }
    show_settings(&page, r);
    if (!d->undo)
        jw_page_put(&page, "\n");
    if (!d->undo && r->nothing)
        jw_page_put(&page, "Already written:\n");
    for (size_t i = 0; i < r->n; i++)
        show_step(&page, d, &r->steps[i]);
    show_env_notes(&page, &r->notes);
    show_after(&page, d);
    return !page.bad;
}

/* ---- JSON ---- */

enum action { SHOW, APPLY, UNDO };

struct env_view {
    enum action action;
    const struct jw_env_state *show;
    const struct env_done *change;
    const struct jw_notes *notes[3];
};

#define V struct jw_env_var
#define O struct jw_env_source
#define S struct jw_env_state
#define D struct env_done
#define R struct jw_env_report
#define P struct jw_env_step
#define W struct jw_env_running

/* A variable may be set and empty. */
static void write_value(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const char *value;

    memcpy(&value, (const char *)of + row->at, sizeof value);
    jw_json_text(j, row->key, value);
}

#define VALUE(k, T, m) JW_ROW(k, T, m), JW_MAY, .write = write_value

static const struct jw_row source_rows[] = {
    { JW_ROW("origin", O, origin), JW_ABOUT("the file or registry key that sets it") },
    { JW_ROW("line", O, line), JW_MAY },
    { VALUE("value", O, value), JW_ABOUT("null: it unsets the variable") },
    { JW_ROW("exact", O, exact), JW_ABOUT("false: as written, with what a shell would expand") },
    { JW_ROW("by_jitwarm", O, ours) },
    { 0 },
};

static const struct jw_row known_rows[] = {
    { JW_ROW("what", struct jw_env_known, what), JW_MAY,
      JW_ABOUT("what it does; null: no driver reads this name") },
    { 0 },
};

static const struct jw_row meant_rows[] = {
    { JW_ROW("meant", struct jw_env_known, name), JW_MAY, JW_ABOUT("for a misspelt name: the right one") },
    { 0 },
};

static const struct jw_row advice_rows[] = {
    { VALUE("recommended", struct jw_env_advice, value), JW_ABOUT("null: as it is") },
    { JW_ROW("why", struct jw_env_advice, why) },
    { JW_ROW("wrong", struct jw_env_advice, wrong), JW_ABOUT("the present value costs time") },
    { 0 },
};

static const struct jw_row variable_rows[] = {
    { JW_ROW("name", V, name) },
    { JW_PART_AT(V, known, known_rows) },
    { JW_PART_AT(V, meant, meant_rows) },
    { VALUE("value", V, here), JW_ABOUT("in this process; null: not set") },
    { JW_ROW("from", V, from), JW_MAY },
    { VALUE("login_value", V, login), JW_ABOUT("in a new login; null: not set, or unknown") },
    { JW_ROW("login_from", V, login_from), JW_MAY },
    { JW_LIST("sources", V, sources, n_sources, source_rows) },
    { JW_PART_AT(V, advice, advice_rows), JW_IF(V, advice) },
    { 0 },
};

static const struct jw_row cache_rows[] = {
    { JW_ROW("cache", struct jw_cachedir, root), JW_MAY, JW_ABOUT("the folder in use; null: none") },
    { 0 },
};

static const struct jw_row show_rows[] = {
    { JW_PART_AT(S, facts.dir, cache_rows) },
    { JW_ROW("need_bytes", S, facts.need), JW_MAY, JW_IF(S, facts.need_known),
      JW_ABOUT("null: not measured yet") },
    { JW_ROW("login_known", S, look.login.known) },
    { JW_ROW("login_why", S, look.login.why), JW_MAY },
    { JW_LIST("variables", S, look.v, look.n, variable_rows) },
    { 0 },
};

static const char *kind_name(unsigned k)
{
    static const char *const names[] = { "folder", "file", "registry" };

    return names[k];
}

static const char *done_name(unsigned d)
{
    static const char *const names[] = { "same", "made", "added", "changed", "taken", "removed", "left" };

    return names[d];
}

static const char *run_name(unsigned k)
{
    static const char *const names[] = { "service", "cuda", "shell" };

    return names[k];
}

static const char *scope_name(unsigned system)
{
    return system ? "system" : "user";
}

static const char *action_name(unsigned a)
{
    static const char *const names[] = { "show", "apply", "undo" };

    return names[a];
}

static const struct jw_row setting_rows[] = {
    { JW_ROW("name", struct jw_env_setting, name) },
    { JW_ROW("value", struct jw_env_setting, value) },
    { JW_ROW("why", struct jw_env_setting, why) },
    { 0 },
};

static const struct jw_row step_rows[] = {
    { JW_NAMED("kind", P, kind, kind_name, JW_ENV_REGISTRY + 1) },
    { JW_ROW("path", P, path) },
    { JW_NAMED("done", P, done, done_name, JW_ENV_LEFT + 1) },
    { JW_ROW("text", P, text), JW_MAY, JW_ABOUT("what jitwarm writes there") },
    { JW_ROW("why", P, why), JW_MAY },
    { 0 },
};

static const struct jw_row running_rows[] = {
    { JW_NAMED("kind", W, kind, run_name, JW_ENV_RUN_SHELL + 1) },
    { JW_ROW("pid", W, pid) },
    { JW_ROW("name", W, name) },
    { JW_ROW("variable", W, variable) },
    { VALUE("value", W, value) },
    { 0 },
};

static const struct jw_row scope_rows[] = { { JW_NAMED("scope", R, scope, scope_name, JW_ENV_SYSTEM + 1) },
                                            { 0 } };

static const struct jw_row report_rows[] = {
    { JW_ROW("nothing", R, nothing), JW_ABOUT("there was nothing to change") },
    { JW_ARRAY("settings", R, settings, n_settings, setting_rows) },
    { JW_LIST("steps", R, steps, n, step_rows) },
    { JW_ROW("checked_in_new_login", R, checked), JW_ABOUT("a new login was asked, and has these settings") },
    { JW_LIST("running", R, running.v, running.n, running_rows),
      JW_ABOUT("processes that keep the values with which they started") },
    { 0 },
};

static const struct jw_row change_rows[] = {
    { JW_PART_AT(D, report, scope_rows) },
    { JW_ROW("dry_run", D, dry_run), JW_ABOUT("nothing was written") },
    { JW_PART_AT(D, report, report_rows) },
    { 0 },
};

static void write_env_notes(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const struct env_view *v = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < JW_COUNT(v->notes); i++)
        for (size_t k = 0; v->notes[i] && k < v->notes[i]->n; k++)
            jw_json_text(j, NULL, v->notes[i]->v[k]);
    jw_json_close(j);
}

static const struct jw_row rows[] = {
    { JW_NAMED("action", struct env_view, action, action_name, UNDO + 1) },
    { JW_EITHER(struct env_view, show, show_rows) },
    { JW_EITHER(struct env_view, change, change_rows) },
    { JW_CALL("notes", JW_ROW_LIST, write_env_notes) },
    { 0 },
};

const struct jw_form env_form = {
    "env", "The variables of the driver's cache: what they are, or what apply and undo changed.", rows
};

static bool env_write_show_json(struct cli *cli, const S *s, struct jw_err *err)
{
    const struct env_view v = { .action = SHOW,
                                .show = s,
                                .notes = { &s->facts.dir->notes, &s->look.notes, &s->look.login.notes } };

    return jw_output_report(&cli->out, &env_form, &v, err);
}

static bool env_write_done_json(struct cli *cli, const D *d, struct jw_err *err)
{
    const struct env_view v = { .action = d->undo ? UNDO : APPLY,
                                .change = d,
                                .notes = { &d->report->notes } };

    return jw_output_report(&cli->out, &env_form, &v, err);
}

struct env_args {
    struct texts words;
    unsigned shell; /* an index into SHELLS: 0 is none */
    uint64_t size;
    const char *place;
    bool user, system, dry_run;
};

#define SHELLS "- " JW_ENV_FORM_WORDS
#define ACTIONS "show apply undo"

static const struct opt env_opts[] = {
    { "shell", 0, OPT_CHOICE, offsetof(struct env_args, shell), "SHELL",
      "print only the recommended settings, in this form: sh, fish, powershell, cmd (a batch "
      "file), docker (a Dockerfile), systemd (a unit) or conda",
      SHELLS, HINT_WORDS },
    { "maxsize", 0, OPT_SIZE, offsetof(struct env_args, size), "SIZE",
      "limit for the cache, at most 4GiB (default: what programs need and a quarter more)", NULL, HINT_NONE },
    { "path", 0, OPT_TEXT, offsetof(struct env_args, place), "DIR",
      "folder for the cache (default: where it is, unless that is unsuitable)", NULL, HINT_DIRS },
    { "user", 0, OPT_FLAG, offsetof(struct env_args, user), NULL, "apply, undo: for this user (the default)",
      NULL, HINT_NONE },
    { "system", 0, OPT_FLAG, offsetof(struct env_args, system), NULL,
      "apply, undo: for all users of this machine; needs root, or an administrator", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct env_args, dry_run), NULL,
      "apply, undo: show what would be written, and write nothing", NULL, HINT_NONE },
    { 0 },
};

static bool check_action(const struct env_args *a, unsigned action, struct jw_err *err)
{
    if (action == SHOW && (a->user || a->system || a->dry_run))
        return jw_fail(err, JW_E_USAGE, "--user, --system and --dry-run need apply or undo");
    if (action != SHOW && a->shell)
        return jw_fail(err, JW_E_USAGE, "--shell cannot be combined with apply or undo");
    if (a->user && a->system)
        return jw_fail(err, JW_E_USAGE, "--user and --system cannot be combined");
    if (action == UNDO && (a->size || a->place))
        return jw_fail(err, JW_E_USAGE, "--maxsize and --path cannot be combined with undo");
    return !a->system || !a->place
           || jw_fail(
               err, JW_E_USAGE,
               "--path cannot be combined with --system: in a shared cache users could replace each other's "
               "GPU code. Each user runs jitwarm env apply --path DIR");
}

static bool check_env_args(const struct env_args *a, unsigned *action, struct jw_err *err)
{
    uint64_t most = jw_cache_limits().most;

    *action = SHOW;
    if (a->words.n && !jw_opt_choice(ACTIONS, a->words.items[0], action))
        return jw_fail(err, JW_E_USAGE, "\"%.60s\" is not an action: use show, apply or undo",
                       a->words.items[0]);
    if (a->size > most)
        return jw_fail(err, JW_E_USAGE, "--maxsize: %llu is too large; drivers accept at most %llu",
                       (unsigned long long)a->size, (unsigned long long)most);
    if (a->place && !jw_path_absolute(a->place))
        return jw_fail(err, JW_E_USAGE, "--path: %.200s is not an absolute path", a->place);
    return check_action(a, *action, err);
}

static int run_show(struct cli *cli, const struct env_args *a)
{
    struct jw_env_ask ask = {
        .size = a->size, .place = a->place, .no_login = a->shell > 0, .interrupted = cli->interrupted
    };
    struct jw_env_state s = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_env_state(&ask, cli->arena, &s, &err);

    if (ok && a->shell)
        ok = env_write_lines(cli, &s, (enum jw_env_form)(a->shell - 1), &err);
    else if (ok)
        ok = cli->common.json ? env_write_show_json(cli, &s, &err) : env_write_show_text(cli, &s, &err);
    jw_env_state_free(&s);
    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}

static int change(struct cli *cli, const struct env_args *a, bool undo)
{
    struct jw_env_ask ask = { .size = a->size, .place = a->place, .interrupted = cli->interrupted };
    struct jw_env_apply_options o = { .scope = a->system ? JW_ENV_SYSTEM : JW_ENV_USER,
                                      .size_asked = a->size > 0,
                                      .place_asked = a->place != NULL,
                                      .dry_run = a->dry_run,
                                      .sysroot = "" };
    struct jw_env_state s = { .home = jw_env_home(cli->arena) };
    struct jw_env_report r = { 0 };
    struct env_done d = { &r, s.home, undo, a->dry_run };
    struct jw_err err = { 0 };
    bool ok = undo ? jw_env_undo(&o, cli->arena, &r, &err)
                   : jw_env_state(&ask, cli->arena, &s, &err) && jw_env_apply(&o, &s, cli->arena, &r, &err);

    ok = ok && (cli->common.json ? env_write_done_json(cli, &d, &err) : env_write_done_text(cli, &d, &err));
    jw_env_state_free(&s);
    if (ok)
        return EXIT_DONE;

    int code = jw_cli_fail(cli, &err);

    if (r.begun)
        jw_messages_say(&cli->messages, "some settings were written before; jitwarm env undo removes them");
    return code;
}

static int env_run(struct cli *cli, const void *p)
{
    const struct env_args *a = p;
    struct jw_err err = { 0 };
    unsigned action;

    if (!check_env_args(a, &action, &err))
        return jw_cli_usage(cli, &err);
    return action == SHOW ? run_show(cli, a) : change(cli, a, action == UNDO);
}

static const struct example env_examples[] = {
    { "jitwarm env", "show the settings, the files that set them, and recommended values" },
    { "eval \"$(jitwarm env --shell sh)\"", "the recommended settings, for this shell" },
    { "jitwarm env apply --dry-run", "show what apply would write" },
    { "jitwarm env apply --maxsize 2GiB", "set this limit for new logins of this user" },
    { "jitwarm env undo", "restore every file as it was" },
    { 0 },
};

const struct cmd jw_cmd_env = {
    .name = "env",
    .summary = "show and set the variables that control the driver's cache",
    .synopsis_args = "[show|apply|undo]",
    .details = "Environment variables control the size and the folder of the driver's cache. The default "
               "size is too "
               "small for some frameworks, which then compile again at every start.\n\n"
               "show (the default) prints each variable's value, the file that sets it, the value in a new "
               "login, and "
               "the recommended value with the reason. It changes nothing.",

    .examples = env_examples,
    .opts = env_opts,
    .args_size = sizeof(struct env_args),
    .positional_at = offsetof(struct env_args, words),
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = ACTIONS,
    .report = true,
    .run = env_run,
};
