/* jitwarm startup: text and JSON. */
#include "setup/startup/startup.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "fleet/remote/remote.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/startup/background.h"
#include "verbs/net.h"

#include <string.h>

enum action { STATUS, INSTALL, REMOVE };

struct startup_view {
    enum action action;
    bool dry_run;
    const struct jw_startup_report *report;
};

struct showing {
    struct cli *cli;
    struct jw_page page;
    const struct startup_view *v;
    const struct jw_startup_report *r;
    const char *home;
};

enum { LABEL = 12 };

/* ---- text ---- */

static void sentence(struct showing *t, enum jw_tint tint, const char *text)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&b, text);
    jw_page_sentence(&t->page, tint, &b);
}

static void show_path(struct showing *t, const char *label, const char *path)
{
    size_t n = t->home ? strlen(t->home) : 0;
    bool at_home = n > 1 && strncmp(path, t->home, n) == 0 && path[n] == '/';

    jw_page_whole(&t->page, TINT_NONE, label, "%s%s", at_home ? "~" : "", at_home ? path + n : path);
}

static const char *label_of(const struct showing *t, const struct jw_startup_step *s)
{
    static const char *const would[] = { "Writes", "Links", "Registers", "Adds to", "Runs" }, *const did[] = {
        "Wrote", "Linked", "Registered", "Added to", "Ran"
    };

    if (t->v->action == REMOVE)
        return s->kind == JW_STARTUP_COMMAND ? "Ran"
               : s->kind == JW_STARTUP_LINES ? "Taken from"
               : t->v->dry_run               ? "Removes"
                                             : "Removed";
    if (s->same)
        return "Unchanged";
    return s->why ? "Failed" : (t->v->dry_run ? would : did)[s->kind];
}

static const char *const kind_labels[] = { "File", "Link", "Task", "Lines in", "Command" };

static void show_steps(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];

        if (t->v->action == INSTALL || s->found || s->done)
            show_path(t, label_of(t, s), s->path);
    }
}

/* --dry-run: every file. */
static void show_files(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps && t->v->dry_run; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];

        if (!s->text || s->kind == JW_STARTUP_LINK)
            continue;
        jw_page_put(&t->page, "\n");
        show_path(t, "", s->path);
        jw_page_lines(&t->page, 4, s->text);
    }
}

static void show_install(struct showing *t)
{
    const struct jw_startup_report *r = t->r;

    sentence(t, TINT_GOOD,
             jw_arena_printf(t->cli->arena, "%s for %s: runs 45 seconds after login",
                             r->run->end == JW_END_NOTHING ? "Already installed"
                             : t->v->dry_run               ? "Would be installed"
                                                           : "Installed",
                             r->everybody ? "every user" : "you"));
    show_steps(t);
    jw_page_whole(&t->page, TINT_NONE, "Command", "%s", r->command);
    jw_page_rows(&t->page, TINT_FAINT, jw_run_notes, t->r->run);
    show_files(t);
    if (r->run->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, r->run->why);
    if (!t->v->dry_run)
        sentence(t, TINT_NONE,
                 r->everybody ? "Who is logged in now runs jitwarm prime once. jitwarm startup shows whether "
                                "it works; jitwarm startup remove --system undoes it."
                              : "jitwarm startup shows whether it works; jitwarm startup remove undoes it.");
}

static void show_remove(struct showing *t)
{
    const struct jw_run *run = t->r->run;

    sentence(t, run->end == JW_END_NOTHING ? TINT_NONE : TINT_GOOD,
             run->end == JW_END_NOTHING ? "Nothing to remove: not installed"
             : t->v->dry_run            ? "Would be removed"
                                        : "Removed");
    show_steps(t);
    if (run->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, run->why);
}

/* One line, for scripts and for copying. */
static void show_status(struct showing *t)
{
    const struct jw_startup_report *r = t->r;
    struct jw_buf b = JW_LINE(t->cli->arena);

    if (!r->installed)
        jw_say(&b, "Not installed: %s", strchr(r->run->why, ':') + 2);
    else if (r->run->end == JW_END_PARTLY)
        jw_say(&b, "Not working: %s", r->run->why);
    else if (!r->ran)
        jw_say(&b, r->everybody ? "Installed: it runs 45 seconds after each user's login"
                                : "Installed: it runs 45 seconds after the next login");
    else
        jw_say(&b, "Working: last run %s, exit code %lu", r->last, r->last_exit);
    if (r->installed && r->log)
        jw_say(&b, "; its log: %s", r->log);
    jw_page_one_line(&t->page, &b);
    if (t->cli->messages.level != MESSAGES_VERBOSE)
        return;
    for (size_t i = 0; i < r->n_steps; i++)
        show_path(t, kind_labels[r->steps[i].kind], r->steps[i].path);
    if (r->program)
        show_path(t, "Program", r->program);
    jw_page_rows(&t->page, TINT_FAINT, jw_run_notes, t->r->run);
}

static bool startup_write_text(struct cli *cli, const struct startup_view *v, struct jw_err *err)
{
    static void (*const show[])(struct showing * t) = { show_status, show_install, show_remove };
    struct showing t = { .cli = cli, .v = v, .r = v->report, .home = jw_env_home(cli->arena) };

    jw_page_open(&t.page, cli, LABEL, err);
    show[v->action](&t);
    return !t.page.bad;
}

/* ---- JSON ---- */

#define V struct startup_view
#define R struct jw_startup_report
#define S struct jw_startup_step

static const char *const action_names[] = { "status", "install", "remove" };

static const struct jw_row step_rows[] = {
    { JW_NAMED("kind", S, kind, jw_startup_kind_names) },
    { JW_ROW("path", S, path), JW_ABOUT("of a command: its words in one line") },
    { JW_ROW("found", S, found), JW_ABOUT("jitwarm's was there") },
    { JW_ROW("same", S, same), JW_ABOUT("as install would write it") },
    { JW_ROW("done", S, done), JW_ABOUT("written, removed or run") },
    { JW_ROW("why", S, why), JW_NULLABLE },
    { JW_ROW("content", S, text), JW_NULLABLE, JW_ABOUT("with --dry-run") },
    { 0 },
};

static const struct jw_row ending[] = {
    { JW_ENDING(struct jw_run, end, JW_CAN(DONE) | JW_CAN(NOTHING) | JW_CAN(PARTLY)),
      JW_ABOUT("done; nothing: there was nothing to do, or (status) it has not run yet; partly: why names "
               "the problem") },
    { JW_ROW("why", struct jw_run, why), JW_NULLABLE },
    { 0 },
};

static const struct jw_row ending_of_report[] = { { JW_PART_AT(R, run, ending) }, { 0 } };

static const struct jw_row last_rows[] = {
    { JW_ROW("ended", R, last), JW_ABOUT("as the system says it") },
    { JW_ROW("exit", R, last_exit) },
    { 0 },
};

static const struct jw_row report_rows[] = {
    { JW_ROWS(ending_of_report) },
    { JW_ROW("system", R, everybody), JW_ABOUT("for every user of this machine") },
    { JW_ROW("installed", R, installed), JW_ABOUT("of status: something of it is there") },
    { JW_ROW("command", R, command), JW_NULLABLE,
      JW_ABOUT("of install: what is started, as one line to copy") },
    { JW_ROW("program", R, program), JW_NULLABLE },
    { JW_ROW("log", R, log), JW_NULLABLE, JW_ABOUT("the command that shows it") },
    { JW_SUB_OF("last", last_rows), JW_IF(R, ran), JW_NULLABLE },
    { JW_LIST("steps", R, steps, n_steps, step_rows) },
    { JW_PART_AT(R, run, jw_run_notes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_NAMED("action", V, action, action_names) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_PART_AT(V, report, report_rows) },
    { 0 },
};

const struct jw_form startup_form = { .verb = "startup",
                                      .about = "What was installed or removed, or whether it works.",
                                      .rows = rows };

/* ---- the verb ---- */

#define ACTIONS "install remove"

struct startup_args {
    struct jw_texts words;
    struct jw_startup_options o;
};

static const struct opt startup_opts[] = {
    { "system", 0, OPT_FLAG, offsetof(struct startup_args, o.everybody), NULL,
      "for every user of this machine, with that user's rights", NULL, HINT_NONE },
    { "source", 0, OPT_LIST, offsetof(struct startup_args, o.sources), "REF",
      "enrol this machine: its primes take from there what others compiled (a line of jitwarm.conf; "
      "oci://HOST/NAME, https://HOST/PATH or a folder); may be repeated",
      NULL, HINT_FILES },
    { "trust", 0, OPT_LIST, offsetof(struct startup_args, o.trust), "KEY",
      "trust what this public key signed, for good (a file, or its text); may be repeated", NULL,
      HINT_FILES },
    { "as-root", 0, OPT_FLAG, offsetof(struct startup_args, o.as_root), NULL,
      "allow root to install it for root's own programs", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct startup_args, o.dry_run), NULL,
      "print the exact files, and change nothing", NULL, HINT_NONE },
    { 0 },
};

static bool run_action(const struct startup_args *args, struct jw_run *run, struct startup_view *v,
                       struct jw_startup_report *r, struct jw_err *err)
{
    static bool (*const act[])(
        struct jw_run * run, const struct jw_startup_options *o, struct jw_startup_report *out,
        struct jw_err *err) = { jw_startup_status, jw_startup_install, jw_startup_remove };
    unsigned word = 0;

    if (args->words.n && !jw_opt_choice(ACTIONS, args->words.items[0], &word))
        return jw_fail(err, JW_E_USAGE, "'%s' is not an action: use install or remove", args->words.items[0]);
    v->action = !args->words.n ? STATUS : word ? REMOVE : INSTALL;
    if (v->action != INSTALL && (args->o.sources.n || args->o.trust.n))
        return jw_fail(err, JW_E_USAGE, "--source and --trust belong to jitwarm startup install");
    bool ok = act[v->action](run, &args->o, r, err);

    for (size_t i = 0; !args->o.dry_run && i < r->n_steps; i++)
        r->steps[i].text = NULL; /* only a dry run shows it */
    return ok;
}

/* A source that this machine cannot ask at all (no libcurl, a share that is not mounted) would be noticed only by a
 * run that nobody sees. */
static bool can_ask_sources(struct cli *cli, const struct startup_args *args)
{
    const struct net_args none = { 0 };
    bool all = true;

    for (size_t i = 0; i < args->o.sources.n; i++) {
        struct jw_ref ref = { 0 };
        struct jw_remote *remote = NULL;
        struct jw_err err = { 0 };

        if (!jw_ref_parse(args->o.sources.items[i], cli->arena, &ref, &err))
            continue; /* install has refused it */
        struct jw_remote_options o = net_options(cli, &none, &ref);

        o.ref = &ref;
        if (ref.kind == JW_REF_FOLDER && !jw_is_folder(ref.text))
            (void)jw_fail(&err, JW_E_IO, "there is no such folder now");
        else if (jw_remote_open(&o, cli->arena, &remote, &err)) {
            remote->ops->close(remote);
            continue;
        }
        all = false;
        jw_messages_warn(&cli->messages, "%s cannot be asked yet: %s", ref.text, err.msg);
    }
    return all;
}

/* The timer starts with the next login: for the user behind sudo, who is logged in, a prime starts now. */
static void prime_who_enrols(struct cli *cli, const struct startup_args *args)
{
    const char *user = jw_env(cli->arena, "SUDO_USER"), *says;

    if (!args->o.everybody || !user || !*user || !jw_process_elevated() || jw_os_is_windows())
        return;
    bool started = jw_background_prime(&cli->session, false, &says);

    (started ? jw_messages_say : jw_messages_warn)(&cli->messages, "%s", says);
}

static int startup_run(struct cli *cli, const void *p)
{
    const struct startup_args *args = p;
    struct jw_startup_report r = { 0 };
    struct startup_view v = { .dry_run = args->o.dry_run, .report = &r };
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    if (!run_action(args, &run, &v, &r, &err))
        return jw_cli_fail(cli, &err);
    if (v.action == INSTALL && run.end == JW_END_STOPPED) {
        jw_messages_warn(&cli->messages, "%s", run.why);
        return jw_cli_exit(run.end);
    }
    bool ok = cli->common.json ? jw_output_report(&cli->out, &startup_form, &v, &err)
                               : startup_write_text(cli, &v, &err);

    if (v.action == INSTALL && args->o.sources.n && !args->o.dry_run && can_ask_sources(cli, args))
        prime_who_enrols(cli, args);
    return ok ? jw_cli_exit(run.end) : jw_cli_fail(cli, &err);
}

static const struct example startup_examples[] = {
    { "jitwarm startup install", "prime again after driver updates, from the next login on" },
    { "jitwarm startup", "show whether it works, its last run, and where its log is" },
    { "jitwarm startup install --dry-run", "print every file first" },
    { "sudo jitwarm startup install --system", "for every user of this machine" },
    { "sudo jitwarm startup install --system --source oci://reg.example/team/jit --trust team.pub",
      "enrol a laptop: what the team compiled is taken from there" },
    { "jitwarm startup remove", "restore everything" },
    { 0 },
};

const struct cmd jw_cmd_startup = {
    .name = "startup",
    .summary = "prime at login and after driver updates",
    .synopsis_args = "[install|remove]",
    .details =
        "install makes this system run jitwarm prime --if-stale --background with two workers, 45 seconds "
        "after each login, by a systemd timer or a Windows task, and when the library of NVIDIA's driver is "
        "replaced. If nothing changed since the last prime, that takes milliseconds, and neither loads the "
        "driver nor wakes a GPU. After a driver or software update it warms again what was primed before. "
        "Packs in /var/lib/jitwarm/packs (%ProgramData%\\jitwarm\\packs) that a trusted key signed are "
        "imported first.\n\n"
        "--source and --trust enrol the machine: the lines go into jitwarm.conf (with --system into "
        "everybody's), and what is not warm is taken from there before the rest is compiled; so is software "
        "that was never primed here. With --system the user behind sudo is primed at once, in the "
        "background. install without them leaves these lines as they are, and remove takes them out.\n\n"
        "It runs on mains power, at the lowest priority. After a driver update that needs a reboot it waits "
        "for the reboot.\n\n"
        "install never overwrites another program's files. remove deletes the files, and folders that are "
        "empty then.\n\n"
        "`jitwarm startup` alone prints one line of status. The exit code is 0 if it works, and 1 if it does "
        "not or is not installed; install ends with 1 where no systemd runs. systemd and the Task Scheduler "
        "keep its log.",
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
