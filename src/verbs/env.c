/* env: shows and recommends values for the variables of the driver's cache, and makes them permanent. */
#include "os/machine/env.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "facts/env_defaults.h"
#include "machine/whoami.h"
#include "setup/env/env_apply.h"
#include "setup/env/env_container.h"

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

static void show_value(struct jw_page *p, const char *label, const struct jw_env_variable *v,
                       const char *value, const char *from, const char *home)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (value && *value)
        say_value(&text, v->name, value);
    else
        jw_say(&text, value ? "set, but empty" : "not set");
    if (from) {
        jw_say(&text, ", by ");
        env_say_path(&text, from, home);
    }
    jw_page_line(p, TINT_NONE, label, &text);
}

static void show_advice(struct jw_page *p, const struct jw_env_variable *v)
{
    const struct jw_env_advice *a = &v->advice;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (a->value)
        say_value(&text, v->name, a->value);
    else
        jw_say(&text, a->wrong ? "your decision" : "no change");
    jw_page_line(p, a->wrong ? TINT_WARN : TINT_GOOD, "  Advised", &text);
    jw_page_say(p, TINT_NONE, "  Why", "%s", a->why);
}

static void show_variable(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_variable *v)
{
    jw_page_whole(p, TINT_STRONG, NULL, "%s", v->name);
    show_value(p, "  In force", v, v->value, v->from, s->home);
    if (!jw_text_same(v->value, v->current))
        show_value(p, "  This shell", v, v->current, NULL, NULL);
    show_advice(p, v);
    jw_page_put(p, "\n");
}

static const char *words_without_changes(const struct jw_env_state *s)
{
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++)
        if (s->variables[i].advice.wrong && !s->variables[i].advice.value)
            return "A setting of the driver's cache needs your decision";
    return "The settings of the driver's cache are good";
}

static void show_head(struct jw_page *p, const struct jw_env_state *s, size_t changes)
{
    if (changes)
        jw_page_put(p, "%zu of %d settings of the driver's cache should change.\n\n", changes,
                    JW_ENV_VARIABLES);
    else
        jw_page_put(p, "%s.\n\n", words_without_changes(s));
}

static void show_env_notes(struct jw_page *p, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_page_say(p, TINT_FAINT, "Note", "%s", notes->v[i]);
}

static void show_commands(struct jw_page *p, size_t changes)
{
    if (!changes)
        return;
    jw_page_whole(p, TINT_NONE, "This shell", "%s",
                  jw_os_is_windows() ? "jitwarm env --shell powershell | Out-String | Invoke-Expression"
                                     : "eval \"$(jitwarm env --shell sh)\"");
    jw_page_whole(p, TINT_NONE, "For good", "jitwarm env apply");
}

static void show_state(struct jw_page *p, const void *of)
{
    const struct jw_env_state *s = of;
    struct jw_env_setting settings[JW_ENV_VARIABLES];
    size_t changes = jw_env_settings(s, settings);

    show_head(p, s, changes);
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++)
        show_variable(p, s, &s->variables[i]);
    show_env_notes(p, &s->facts.dir->notes);
    if (s->login.why)
        jw_page_say(p, TINT_FAINT, "Note",
                    "these are the values of this shell; those of a fresh login are not known: %s",
                    s->login.why);
    show_env_notes(p, &s->login.notes);
    show_commands(p, changes);
}

/* A container has other programs than this machine, so the limit in force here only counts if it is
 * larger. */
static bool put_container(struct cli *cli, const struct jw_env_state *s, struct jw_buf *out,
                          struct jw_err *err)
{
    enum { FIRST_USER = 1000 };
    uint64_t limit = jw_cache_limit_for(s->facts.need, 0);
    const struct jw_whoami *who = jw_session_user(&cli->session);
    struct env_container c = { .volume = s->facts.ask_place ? s->facts.ask_place : ENV_CONTAINER_VOLUME };

    c.uid = who->uid ? who->uid : FIRST_USER;
    c.gid = who->uid ? who->gid : FIRST_USER;
    if (s->facts.ask_size)
        limit = s->facts.ask_size;
    else if (s->facts.dir->limit > limit)
        limit = s->facts.dir->limit;
    c.limit =
        jw_arena_printf(cli->arena, "%llu", (unsigned long long)(limit ? limit : jw_cache_limits().max));
    return env_container_put(&c, out, err);
}

/* The settings as lines of `form`; where none is to be made, a comment, which each form has (slurmd skips it). */
static bool env_write_lines(struct cli *cli, const struct jw_env_state *s, enum jw_env_form form,
                            struct jw_err *err)
{
    struct jw_env_setting settings[JW_ENV_VARIABLES];
    size_t n = jw_env_settings(s, settings);
    struct jw_buf text = JW_BUF_IN(cli->arena, JW_MAX_PAGE);
    bool ok = true;

    cli->out.muted = false; /* --quiet does not apply to data */
    if (form != JW_ENV_DOCKER && !n)
        jw_say(&text, "# %s (jitwarm env shows more).\n", words_without_changes(s));
    if (form == JW_ENV_DOCKER)
        ok = put_container(cli, s, &text, err);
    else
        for (size_t i = 0; ok && i < n; i++)
            ok = jw_env_put(form, settings[i].name, settings[i].value, &text, err);
    ok = ok && jw_buf_ok(&text, err);
    if (ok)
        jw_output_text(&cli->out, jw_buf_cstr(&text));
    return ok;
}

enum { DONE_LABEL = 12 };

static const char *const change_labels[] = { "  Unchanged", "  New",     "  Added to", "  Changed",
                                             "  Restored",  "  Removed", "  Kept" };

static void show_step(struct jw_page *p, const struct env_done *d, const struct jw_env_step *s)
{
    struct jw_buf text = JW_LINE(p->arena);
    enum jw_tint tint = s->change == JW_ENV_SAME   ? TINT_FAINT
                        : s->change == JW_ENV_KEPT ? TINT_WARN
                                                   : TINT_GOOD;

    env_say_path(&text, s->path, d->home);
    jw_buf_text(&text, s->kind != JW_ENV_FOLDER ? "" : jw_os_is_windows() ? "\\" : "/");
    jw_page_whole(p, tint, change_labels[s->change], "%s", jw_buf_cstr(&text));
    if (s->why)
        jw_page_say(p, TINT_NONE, "", "%s", s->why);
    else if (s->text && s->change != JW_ENV_SAME && (!d->undo || s->kind == JW_ENV_REGISTRY))
        jw_page_lines(p, DONE_LABEL + 2, s->text);
}

static void show_settings(struct jw_page *p, const struct jw_env_report *r)
{
    for (size_t i = 0; i < r->n_settings; i++) {
        jw_page_put(p, "%s=%s\n", r->settings[i].name, r->settings[i].value);
        jw_page_say(p, TINT_NONE, "", "%s", r->settings[i].why);
    }
}

static void show_after(struct jw_page *p, const struct env_done *d)
{
    const struct jw_env_report *r = d->report;

    if (r->checked)
        jw_page_put(p, "\nChecked: a fresh login has these values.\n");
    if (!d->dry_run && !r->nothing) {
        jw_page_put(p, "\n");
        jw_page_say(p, TINT_NONE, NULL,
                    "Programs that run now keep their old values until they start again after a new login.");
    }
    if (d->dry_run)
        jw_page_put(p, "\nNothing was written (--dry-run).\n");
    else if (!d->undo) {
        jw_page_put(p, "\n");
        jw_page_whole(p, TINT_NONE, "To undo", "jitwarm env undo%s", r->system ? " --system" : "");
    }
}

static void show_done(struct jw_page *p, const void *of)
{
    const struct env_done *d = of;
    const struct jw_env_report *r = d->report;

    p->label = DONE_LABEL;
    if (d->undo && !r->n) {
        jw_page_put(p, r->system
                           ? "Nothing to undo: jitwarm env apply --system has not written anything here.\n"
                           : "Nothing to undo: jitwarm env apply has not written anything for this user.\n");
        return;
    }
    if (!d->undo && !r->n_settings) {
        jw_page_put(p, "No changes needed.\n");
        show_env_notes(p, &r->notes);
        return;
    }
    show_settings(p, r);
    if (!d->undo)
        jw_page_put(p, "\n");
    if (!d->undo && r->nothing)
        jw_page_put(p, "Already written:\n");
    for (size_t i = 0; i < r->n; i++)
        show_step(p, d, &r->steps[i]);
    show_env_notes(p, &r->notes);
    show_after(p, d);
}

/* ---- rows ---- */

enum action { SHOW, APPLY, UNDO };

struct env_view {
    enum action action;
    const struct jw_env_state *show;
    const struct env_done *change;
    const struct jw_notes *notes[2];
};

#define V struct jw_env_variable
#define S struct jw_env_state
#define D struct env_done
#define R struct jw_env_report
#define P struct jw_env_step

/* A variable may be set and empty. */
static void write_value(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const char *value;

    memcpy(&value, (const char *)of + row->at, sizeof value);
    jw_json_text(j, row->key, value);
}

#define VALUE(k, T, m) JW_ROW(k, T, m), JW_NULLABLE, .write = write_value

static const struct jw_row variable_rows[] = {
    { JW_ROW("name", V, name) },
    { JW_ROW("what", V, what) },
    { VALUE("value", V, value),
      JW_ABOUT("in force: of a fresh login, or with by_login false of this process") },
    { JW_ROW("from", V, from), JW_NULLABLE, JW_ABOUT("what sets it for a fresh login") },
    { VALUE("here", V, current), JW_ABOUT("in this process; null: not set") },
    { VALUE("advised", V, advice.value), JW_ABOUT("null: as it is") },
    { JW_ROW("why", V, advice.why) },
    { JW_ROW("wrong", V, advice.wrong), JW_ABOUT("the present value costs time") },
    { 0 },
};

static const struct jw_row cache_rows[] = {
    { JW_ROW("cache", struct jw_cachedir, folder), JW_NULLABLE, JW_ABOUT("the folder in use; null: none") },
    { 0 },
};

static const struct jw_row show_rows[] = {
    { JW_PART_AT(S, facts.dir, cache_rows) },
    { JW_ROW("need_bytes", S, facts.need), JW_NULLABLE, JW_IF(S, facts.need_known),
      JW_ABOUT("null: not measured yet") },
    { JW_ARRAY("variables", S, variables, n_variables, variable_rows) },
    { 0 },
};

static const char *const kind_names[] = { "folder", "file", "registry" };

static const char *const change_names[] = { "same",     "created", "added", "changed",
                                            "restored", "removed", "kept" };

static const char *const action_names[] = { "show", "apply", "undo" };

static const struct jw_row setting_rows[] = {
    { JW_ROW("name", struct jw_env_setting, name) },
    { JW_ROW("value", struct jw_env_setting, value) },
    { JW_ROW("why", struct jw_env_setting, why) },
    { 0 },
};

static const struct jw_row step_rows[] = {
    { JW_NAMED("kind", P, kind, kind_names) },
    { JW_ROW("path", P, path) },
    { JW_NAMED("change", P, change, change_names) },
    { JW_ROW("text", P, text), JW_NULLABLE, JW_ABOUT("what jitwarm writes there") },
    { JW_ROW("why", P, why), JW_NULLABLE },
    { 0 },
};

static const struct jw_row scope_rows[] = { { JW_ROW("system", R, system) }, { 0 } };

static const struct jw_row report_rows[] = {
    { JW_ROW("nothing", R, nothing), JW_ABOUT("there was nothing to change") },
    { JW_ARRAY("settings", R, settings, n_settings, setting_rows) },
    { JW_LIST("steps", R, steps, n, step_rows) },
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
    { JW_NAMED("action", struct env_view, action, action_names) },
    { JW_EITHER(struct env_view, show, show_rows), JW_SHOW(show_state) },
    { JW_EITHER(struct env_view, change, change_rows), JW_SHOW(show_done) },
    { JW_CUSTOM("notes", JW_ROW_LIST, write_env_notes) },
    { 0 },
};

const struct jw_form env_form = {
    .verb = "env",
    .about = "The variables of the driver's cache: what they are, or what apply and undo changed.",
    .rows = rows,
    .label = LABEL
};

static bool print_state(struct cli *cli, const S *s, struct jw_err *err)
{
    const struct env_view v = { .action = SHOW,
                                .show = s,
                                .notes = { &s->facts.dir->notes, &s->login.notes } };

    return jw_cli_report(cli, &env_form, &v, err);
}

static bool print_done(struct cli *cli, const D *d, struct jw_err *err)
{
    const struct env_view v = { .action = d->undo ? UNDO : APPLY,
                                .change = d,
                                .notes = { &d->report->notes } };

    return jw_cli_report(cli, &env_form, &v, err);
}

struct env_args {
    struct jw_texts words;
    unsigned shell; /* an index into SHELLS: 0 is none */
    uint64_t size;
    const char *place;
    bool system, dry_run;
};

#define SHELLS "- " JW_ENV_FORM_WORDS
#define ACTIONS "apply undo"

static const struct opt env_opts[] = {
    { "shell", 0, OPT_CHOICE, offsetof(struct env_args, shell), "NAME",
      "only the settings for a shell (sh, fish, powershell, or slurm's TaskProlog); docker gets a block that "
      "keeps the cache in a volume (--path: where it is mounted)",
      SHELLS, HINT_WORDS },
    { "max-size", 0, OPT_SIZE, offsetof(struct env_args, size), "SIZE",
      "limit for the cache, at most 4GiB (default: what programs need and a quarter more)", NULL, HINT_NONE },
    { "path", 0, OPT_TEXT, offsetof(struct env_args, place), "DIR",
      "folder for the cache (default: where it is)", NULL, HINT_DIRS },
    { "system", 0, OPT_FLAG, offsetof(struct env_args, system), NULL,
      "apply, undo: for all users of this machine; needs root, or an administrator", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct env_args, dry_run), NULL,
      "apply, undo: show what would be written, and write nothing", NULL, HINT_NONE },
    { 0 },
};

static bool check_action(const struct env_args *a, enum action action, struct jw_err *err)
{
    if (action == SHOW && (a->system || a->dry_run))
        return jw_fail(err, JW_E_USAGE, "--system and --dry-run need apply or undo");
    if (action != SHOW && a->shell)
        return jw_fail(err, JW_E_USAGE, "--shell cannot be combined with apply or undo");
    if (action == UNDO && (a->size || a->place))
        return jw_fail(err, JW_E_USAGE, "--max-size and --path cannot be combined with undo");
    return !a->system || !a->place
           || jw_fail(err, JW_E_USAGE,
                      "--path cannot be combined with --system: in a shared cache users could replace each "
                      "other's GPU code. Each user runs jitwarm env apply --path DIR");
}

static bool check_env_args(const struct env_args *a, enum action *action, struct jw_err *err)
{
    uint64_t max = jw_cache_limits().max;
    unsigned word = 0;

    if (a->words.n && !jw_opt_choice(ACTIONS, a->words.items[0], &word))
        return jw_fail(err, JW_E_USAGE, "\"%.60s\" is not an action: use apply or undo", a->words.items[0]);
    *action = !a->words.n ? SHOW : word ? UNDO : APPLY;
    if (a->size > max)
        return jw_fail(err, JW_E_USAGE, "--max-size: %llu is too large; drivers accept at most %llu",
                       (unsigned long long)a->size, (unsigned long long)max);
    if (a->place && !jw_path_absolute(a->place))
        return jw_fail(err, JW_E_USAGE, "--path: %.200s is not an absolute path", a->place);
    return check_action(a, *action, err);
}

static int run_show(struct cli *cli, const struct env_args *a)
{
    const struct jw_env_ask ask = { .size = a->size, .place = a->place, .no_login = a->shell > 0 };
    struct jw_env_state s = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_env_state(&cli->session, &ask, &s, &err);

    if (ok && a->shell)
        ok = env_write_lines(cli, &s, (enum jw_env_form)(a->shell - 1), &err);
    else if (ok)
        ok = print_state(cli, &s, &err);
    jw_env_state_free(&s);
    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}

static bool apply(struct cli *cli, const struct env_args *a, const struct jw_env_options *o,
                  struct jw_env_report *r, struct jw_err *err)
{
    const struct jw_env_ask ask = { .size = a->size, .place = a->place };
    struct jw_env_setting wanted[JW_ENV_VARIABLES];
    struct jw_env_state s = { 0 };
    bool ok = jw_env_state(&cli->session, &ask, &s, err)
              && jw_env_apply(&cli->session, o, wanted, jw_env_settings(&s, wanted), r, err);

    jw_env_state_free(&s);
    return ok;
}

static int change(struct cli *cli, const struct env_args *a, bool undo)
{
    const struct jw_env_options o = { .system = a->system, .dry_run = a->dry_run };
    struct jw_env_report r = { 0 };
    struct env_done d = { &r, jw_env_home(cli->arena), undo, a->dry_run };
    struct jw_err err = { 0 };
    bool ok = undo ? jw_env_undo(&cli->session, &o, &r, &err) : apply(cli, a, &o, &r, &err);

    ok = ok && print_done(cli, &d, &err);
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
    enum action action;

    if (!check_env_args(a, &action, &err))
        return jw_cli_usage(cli, &err);
    return action == SHOW ? run_show(cli, a) : change(cli, a, action == UNDO);
}

static const struct example env_examples[] = {
    { "jitwarm env", "show the settings in force, and better ones" },
    { "jitwarm env --shell docker", "what a Dockerfile needs, to copy" },
    { "eval \"$(jitwarm env --shell sh)\"", "the advised settings, for this shell" },
    { "jitwarm env apply --dry-run", "show what apply would write" },
    { "jitwarm env apply --max-size 2GiB", "set this limit for new logins of this user" },
    { "jitwarm env undo", "restore every file as it was" },
    { 0 },
};

const struct cmd jw_cmd_env = {
    .name = "env",
    .summary = "show and set CUDA_CACHE_*, the driver's cache settings",
    .synopsis_args = "[apply|undo]",
    .details =
        "Environment variables control the size and the folder of the driver's cache. The default size is "
        "too small for some frameworks, which then compile again at every start.\n\n"
        "jitwarm env shows the values that a fresh login has, and better ones with the reason. It changes "
        "nothing.\n\n"
        "jitwarm env apply writes them to environment.d and to the profile that your login shell reads "
        "(fish: conf.d; Windows: the registry). jitwarm env undo restores every file to the byte.",

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
