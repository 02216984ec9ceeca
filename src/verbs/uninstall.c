/* uninstall: all that jitwarm has set up and stored for a user, removed. */
#include "verbs/uninstall.h"

#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/prune/prune.h"
#include "cli/page.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/env/env_apply.h"
#include "setup/startup/startup.h"

struct uninstall_args {
    bool cache_too, yes, dry_run;
};

static const struct opt uninstall_opts[] = {
    { "cache-too", 0, OPT_FLAG, offsetof(struct uninstall_args, cache_too), NULL,
      "also delete the driver's whole cache, with the entries of other programs", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct uninstall_args, yes), NULL, "do not ask", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct uninstall_args, dry_run), NULL,
      "show the list and change nothing", NULL, HINT_NONE },
    { 0 },
};

/* ---- what jitwarm stores ---- */

#define R struct jw_forget_report

static const struct jw_row memory[] = {
    { JW_ROW("folder", R, state_dir), JW_NULLABLE, JW_LABEL("State") },
    { JW_ROW("caches", R, roots) },
    { JW_ROW("drivers", R, drivers) },
    { JW_ROW("others", R, others) },
    { JW_ROW("bytes", R, state_bytes) },
    { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store_dir), JW_NULLABLE, JW_LABEL("Store") },
    { JW_ROW("packs", R, store.packs) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

const struct jw_row forget_rows[] = {
    { JW_SUB_OF("records", memory) },
    { JW_SUB_OF("store", store) },
    { JW_PART_AT(R, run, jw_run_notes) },
    { 0 },
};

static void say_count(struct jw_buf *out, uint64_t n, const char *one, const char *many)
{
    if (!n)
        return;
    if (out->n)
        jw_buf_text(out, ", ");
    jw_say(out, "%s", JW_N(n, one, many));
}

static void show_folder(struct jw_page *p, const struct jw_row *rows, const R *r, struct jw_buf *what)
{
    if (*(const char *const *)((const char *)r + rows->at))
        jw_page_rows(p, TINT_STRONG, rows, r);
    else
        jw_page_say(p, TINT_STRONG, rows->label, "no folder");
    if (!what->n)
        jw_buf_text(what, "nothing");
    jw_page_line(p, TINT_NONE, "", what);
}

static void show_state(struct jw_page *p, const struct jw_forget_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->roots, "cache record", "cache records");
    say_count(&text, r->drivers, "driver record", "driver records");
    say_count(&text, r->others, "other file or folder", "other files and folders");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->state_bytes));
    show_folder(p, memory, r, &text);
}

static void show_store_place(struct jw_page *p, const struct jw_forget_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->store.packs, "pack", "packs");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->store.bytes));
    show_folder(p, store, r, &text);
}

void forget_show_places(struct jw_page *p, const struct jw_forget_report *r)
{
    show_state(p, r);
    show_store_place(p, r);
}

void forget_show_notes(struct jw_page *p, const struct jw_forget_report *r)
{
    for (size_t i = 0; i < r->run->notes.n; i++)
        jw_page_say(p, TINT_WARN, NULL, "* %s", r->run->notes.v[i]);
}

/* ---- all that is removed ---- */

/* In this order. */
struct uninstall {
    struct cli *cli;
    const struct uninstall_args *args;
    struct jw_env_report env;
    struct jw_startup_report startup;
    struct jw_run pruning, forgetting, removing;
    struct jw_prune_report cache; /* cache NULL: it is kept */
    struct jw_forget_report forget;
};

static bool empty_cache(struct uninstall *l, bool act, struct jw_err *err)
{
    const struct jw_prune_options o = { .all = true, .no_pack = true, .max_size = UINT64_MAX, .act = act };

    l->cache = (struct jw_prune_report){ 0 };
    return !l->args->cache_too || jw_prune(&l->pruning, &o, &l->cache, err);
}

static bool uninstall_all(struct uninstall *l, bool act, struct jw_err *err)
{
    const struct jw_env_options env = { .dry_run = !act };
    const struct jw_startup_options startup = { .dry_run = !act };

    l->pruning = l->forgetting = l->removing = jw_cli_run(l->cli);

    return jw_env_undo(&l->cli->session, &env, &l->env, err)
           && jw_startup_remove(&l->removing, &startup, &l->startup, err) && empty_cache(l, act, err)
           && jw_forget(&l->forgetting, act, &l->forget, err);
}

static bool any_left(const struct uninstall *l)
{
    for (size_t i = 0; i < l->startup.n_steps; i++)
        if (l->startup.steps[i].found)
            return true;
    return l->env.n > 0 || l->cache.plan.entries || l->forget.run->end != JW_END_NOTHING;
}

/* ---- the list ---- */

static void show_step(struct jw_page *p, const char **label, const char *path, const char *what)
{
    jw_page_whole(p, TINT_STRONG, *label, "%s%s", path, what);
    *label = "";
}

static void show_env(struct jw_page *p, const struct uninstall *l)
{
    const char *label = "Settings";

    for (size_t i = 0; i < l->env.n; i++) {
        const struct jw_env_step *s = &l->env.steps[i];

        if (s->kind != JW_ENV_FOLDER)
            show_step(p, &label, s->path,
                      s->change == JW_ENV_REMOVED    ? " (removed)"
                      : s->change == JW_ENV_RESTORED ? " (restored)"
                      : s->change == JW_ENV_KEPT     ? " (edited since: remove the lines by hand)"
                                                     : "");
    }
}

static void show_startup(struct jw_page *p, const struct uninstall *l)
{
    const char *label = "Startup";

    for (size_t i = 0; i < l->startup.n_steps; i++) {
        const struct jw_startup_step *s = &l->startup.steps[i];

        if (s->found || s->why)
            show_step(p, &label, s->path, s->found ? "" : " (not written by jitwarm: kept)");
    }
}

static void show_cache(struct jw_page *p, const struct uninstall *l, bool done)
{
    const struct jw_status_sum *sum = done ? &l->cache.removed : &l->cache.plan;

    if (!l->cache.cache)
        return;
    jw_page_whole(p, TINT_STRONG, "Cache", "%s", l->cache.cache);
    jw_page_say(p, TINT_NONE, "", "%s: %s", JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes));
}

static void show_kept(struct jw_page *p, const struct uninstall *l)
{
    struct jw_buf text = JW_LINE(p->arena);
    struct jw_buf exe = JW_LINE(p->arena);
    struct jw_err ignored;

    jw_buf_printf(&text, "jitwarm.conf, keys, packs outside the store%s",
                  l->args->cache_too ? "" : ", the driver's cache (--cache-too)");
    if (jw_process_self(&exe, &ignored))
        jw_say(&text, ", and the program %s", jw_buf_cstr(&exe));
    jw_page_line(p, TINT_STRONG, "Kept", &text);
}

static bool show_uninstall(struct uninstall *l, bool done, bool any, struct jw_err *err)
{
    struct jw_page p;

    jw_page_open(&p, l->cli, 10, err);
    if (!any)
        jw_page_put(&p, "There is nothing to remove.\n");
    else {
        jw_page_put(&p, done ? "Removed:\n" : "jitwarm uninstall would remove:\n");
        show_env(&p, l);
        show_startup(&p, l);
        show_cache(&p, l, done);
        forget_show_places(&p, &l->forget);
        jw_page_put(&p, "\n");
        forget_show_notes(&p, &l->forget);
    }
    show_kept(&p, l);
    return !p.bad;
}

/* ---- the run ---- */

/* Asks the user. Without a terminal: false, with a message. */
static bool is_agreed(struct cli *cli)
{
    if (jw_term_is(stdin) && jw_term_is(stderr))
        return jw_cli_ask(cli, stdin, "Remove all of this?", false);
    jw_messages_error(&cli->messages, "nothing was removed: confirm with --yes");
    return false;
}

/* Reports the parts that failed; the exit code is that of the first of them. */
static int exit_of(struct cli *cli, const struct uninstall *l)
{
    const struct jw_run *runs[] = { &l->pruning, &l->forgetting, &l->removing };
    int code = EXIT_DONE;

    for (size_t i = 0; i < JW_COUNT(runs); i++) {
        if (runs[i]->why && runs[i] != &l->removing)
            jw_messages_error(&cli->messages, "%s", runs[i]->why);
        code = code == EXIT_DONE ? jw_cli_exit(runs[i]->end) : code;
    }
    return code;
}

static int uninstall_run(struct cli *cli, const void *p)
{
    struct uninstall l = { .cli = cli, .args = p };
    struct jw_err err = { 0 };
    bool any;

    if (!uninstall_all(&l, false, &err))
        return jw_cli_fail(cli, &err);
    if (l.pruning.end == JW_END_BUSY || l.forgetting.end == JW_END_BUSY)
        return exit_of(cli, &l);
    any = any_left(&l);
    if ((!any || !l.args->yes || l.args->dry_run) && !show_uninstall(&l, false, any, &err))
        return jw_cli_fail(cli, &err);
    if (!any || l.args->dry_run)
        return EXIT_DONE;
    if (!l.args->yes && !is_agreed(cli))
        return EXIT_BUSY;
    if (!uninstall_all(&l, true, &err) || !show_uninstall(&l, true, true, &err))
        return jw_cli_fail(cli, &err);
    return exit_of(cli, &l);
}

static const struct example uninstall_examples[] = {
    { "jitwarm uninstall", "list all of it, ask, and remove it" },
    { "jitwarm uninstall --yes --cache-too", "remove everything, the driver's cache included" },
    { 0 },
};

const struct cmd jw_cmd_uninstall = {
    .name = "uninstall",
    .summary = "remove all that jitwarm has set up and stored for you",
    .synopsis_args = "",
    .details = "Undoes `env apply`, removes the startup task, and deletes jitwarm's records and the packs of "
               "its store. It shows the list first and asks. Without --cache-too it keeps the driver's "
               "cache, and warm software stays warm.\n\n"
               "uninstall keeps your own files: jitwarm.conf, keys, packs outside the store. It also keeps "
               "the program: remove that the way it was installed. As root, run `jitwarm env undo --system` "
               "and `jitwarm startup "
               "remove --system` to remove what was set up for the whole machine.\n\n"
               "Without a terminal and without --yes nothing is removed, and the exit code is 7.",
    .examples = uninstall_examples,
    .opts = uninstall_opts,
    .args_size = sizeof(struct uninstall_args),
    .run = uninstall_run,
};
