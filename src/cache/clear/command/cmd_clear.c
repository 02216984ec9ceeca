#include "base/limits.h"
#include "base/text.h"
#include "cache/clear/command/clear_view.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "os/machine/ask.h"
#include "os/machine/env.h"

#define R struct jw_clear_report

static const struct jw_row memory[] = {
    { JW_ROW("folder", R, state_dir), JW_MAY }, { JW_ROW("caches", R, roots) },
    { JW_ROW("drivers", R, drivers) },          { JW_ROW("others", R, others) },
    { JW_ROW("bytes", R, state_bytes) },        { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store_dir), JW_MAY },
    { JW_ROW("packs", R, store.packs) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

static const struct jw_row cache[] = {
    { JW_ROW("root", R, root) },
    { JW_ROW("entries", R, cache.entries) },
    { JW_ROW("bytes", R, cache.bytes) },
    { 0 },
};

static const struct jw_row ending[] = {
    { JW_ENDING(struct jw_run, end,
                JW_CAN(NOTHING) | JW_CAN(LISTED) | JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(BUSY)
                    | JW_CAN(CANNOT_WRITE) | JW_CAN(INTERRUPTED)),
      JW_ABOUT("listed: nothing was removed, because --yes was not given") },
    { JW_ROW("why", struct jw_run, why), JW_MAY },
    { 0 },
};

static const struct jw_row notes[] = { { JW_TEXTS("notes", struct jw_run, notes.v, notes.n) }, { 0 } };

static const struct jw_row rows[] = {
    { JW_PART_AT(R, run, ending) },
    { JW_SUB_OF("memory", memory) },
    { JW_SUB_OF("store", store) },
    { JW_SUB_OF("cache", cache), JW_IF(R, root), JW_MAY, JW_ABOUT("with --cache-too") },
    { JW_PART_AT(R, run, notes) },
    { 0 },
};

const struct jw_form clear_form = { "clear", "What jitwarm stores for this user, and whether it was removed.",
                                    rows };

enum { LABEL = 9 };

static void say_count(struct jw_buf *out, uint64_t n, const char *one, const char *many)
{
    if (!n)
        return;
    if (out->n)
        jw_buf_text(out, ", ");
    jw_say(out, "%s", JW_N(n, one, many));
}

static void show_place(struct jw_page *p, const char *label, const char *path, struct jw_buf *what)
{
    if (path)
        jw_page_whole(p, TINT_STRONG, label, "%s", path);
    if (!what->n)
        jw_buf_text(what, "nothing");
    jw_page_line(p, TINT_NONE, "", what);
}

static void show_state(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->roots, "cache record", "cache records");
    say_count(&text, r->drivers, "driver record", "driver records");
    say_count(&text, r->others, "log or temporary folder", "logs and temporary folders");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->state_bytes));
    show_place(p, "State", r->state_dir, &text);
}

static void show_store_place(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->store.packs, "pack", "packs");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->store.bytes));
    show_place(p, "Store", r->store_dir, &text);
}

static void show_cache_place(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->root)
        return;
    say_count(&text, r->cache.entries, "entry", "entries");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->cache.bytes));
    show_place(p, "Cache", r->root, &text);
}

void clear_show_places(struct jw_page *p, const struct jw_clear_report *r)
{
    show_cache_place(p, r);
    show_state(p, r);
    show_store_place(p, r);
}

void clear_show_notes(struct jw_page *p, const struct jw_clear_report *r)
{
    for (size_t i = 0; i < r->run->notes.n; i++)
        jw_page_say(p, TINT_WARN, NULL, "* %s", r->run->notes.v[i]);
}

static const char *summary(const struct jw_clear_report *r)
{
    switch (r->run->end) {
    case JW_END_NOTHING: return "There is nothing to remove.";
    case JW_END_LISTED: return "jitwarm clear would remove all of this.";
    case JW_END_DONE: return "All of this was removed.";
    case JW_END_PARTLY: return "This was removed; some could not be.";
    default: return "";
    }
}

static bool clear_write_text(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err)
{
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    if (r->run->end == JW_END_BUSY || r->run->end == JW_END_CANNOT_WRITE || r->run->end == JW_END_INTERRUPTED)
        return true;
    clear_show_places(&p, r);
    jw_page_put(&p, "\n");
    clear_show_notes(&p, r);
    jw_page_say(&p, TINT_NONE, NULL, "%s", summary(r));
    return !p.bad;
}

struct clear_args {
    const char *cache;
    bool cache_too, yes, dry_run;
};

static const struct opt clear_opts[] = {
    { "cache-too", 0, OPT_FLAG, offsetof(struct clear_args, cache_too), NULL,
      "also delete the driver's whole cache, with the entries of other programs", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct clear_args, cache), "DIR",
      "with --cache-too: use this cache (default: the one of CUDA programs started from this shell)", NULL,
      HINT_DIRS },
    { "yes", 'y', OPT_FLAG, offsetof(struct clear_args, yes), NULL, "do not ask", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct clear_args, dry_run), NULL,
      "show the list and change nothing", NULL, HINT_NONE },
    { 0 },
};

int clear_exit(struct cli *cli, const struct jw_clear_report *r)
{
    if (r->run->why)
        jw_messages_error(&cli->messages, "%s", r->run->why);
    return jw_cli_exit(r->run->end);
}

static int show_clear(struct cli *cli, const struct jw_clear_report *r)
{
    struct jw_err err = { 0 };

    if (!(cli->common.json ? jw_output_report(&cli->out, &clear_form, r, &err)
                           : clear_write_text(cli, r, &err)))
        return jw_cli_fail(cli, &err);
    return clear_exit(cli, r);
}

bool clear_agreed(struct cli *cli)
{
    if (!cli->common.json && jw_term_is(stdin) && jw_term_is(stderr))
        return jw_cli_ask(cli, stdin, "Remove all of this?", false);
    jw_messages_error(&cli->messages, "nothing was removed: confirm with --yes");
    return false;
}

static int act(struct cli *cli, struct jw_clear_options *o, const struct clear_args *args)
{
    struct jw_run run = jw_cli_run(cli);
    struct jw_clear_report r;
    struct jw_err err = { 0 };

    if (!jw_clear(&run, o, &r, &err))
        return jw_cli_fail(cli, &err);
    if (r.run->end != JW_END_LISTED || args->dry_run)
        return show_clear(cli, &r);
    if (!args->yes) {
        int code = show_clear(cli, &r);

        if (code != EXIT_DONE)
            return code;
        if (!clear_agreed(cli))
            return EXIT_BUSY;
    }
    o->act = true;
    if (!jw_clear(&run, o, &r, &err))
        return jw_cli_fail(cli, &err);
    return show_clear(cli, &r);
}

static int clear_run(struct cli *cli, const void *p)
{
    const struct clear_args *args = p;
    struct jw_clear_options o = { .cache_too = args->cache_too, .cache = args->cache };
    struct jw_err err = { 0 };

    if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    else if (args->cache && !args->cache_too)
        (void)jw_fail(&err, JW_E_USAGE, "--cache needs --cache-too: without that, clear changes no cache");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    return act(cli, &o, args);
}

static const struct example clear_examples[] = {
    { "jitwarm clear", "list all that jitwarm stores for you, ask, and remove it" },
    { "jitwarm clear --cache-too --yes", "delete the driver's cache as well" },
    { 0 },
};

const struct cmd jw_cmd_clear = {
    .name = "clear",
    .summary = "delete everything that jitwarm stores for you",
    .synopsis_args = "",
    .details =
        "Deletes jitwarm's records of drivers and caches, its logs, and the packs of its store. It does "
        "not change the driver's cache: warm software stays warm. --cache-too also deletes every entry of "
        "that cache, and CUDA programs compile again what they need.\n\n"
        "clear keeps your own files: jitwarm.conf, keys, packs outside the store. jitwarm env undo removes "
        "the settings, and jitwarm startup remove the startup task.\n\n"
        "clear asks before it deletes anything. Without a terminal and without --yes it shows the "
        "list and exits with 7. It also exits with 7 while another jitwarm is at work.",
    .examples = clear_examples,
    .opts = clear_opts,
    .args_size = sizeof(struct clear_args),
    .report = true,
    .run = clear_run,
};
