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

static const struct jw_row rows[] = {
    { JW_ENDING(R, end,
                JW_CAN(NOTHING) | JW_CAN(LISTED) | JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(BUSY)
                    | JW_CAN(CANNOT_WRITE) | JW_CAN(INTERRUPTED)),
      .about = "listed: nothing was removed, for --yes was not given" },
    { JW_ROW("why", R, why), JW_MAY },
    { JW_SUB_OF("memory", memory) },
    { JW_SUB_OF("store", store) },
    { JW_SUB_OF("cache", cache), JW_IF(R, root), JW_MAY, .about = "with --cache-too" },
    { JW_TEXTS("notes", R, notes.v, notes.n) },
    { 0 },
};

const struct jw_form clear_form = { "clear", "What jitwarm keeps for this user, and whether it is gone.",
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
        jw_page_whole(p, TINT_STRONG, label, path);
    if (!what->n)
        jw_buf_text(what, "nothing");
    jw_page_line(p, TINT_NONE, "", what);
}

static void show_state(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->roots, "cache that is remembered", "caches that are remembered");
    say_count(&text, r->drivers, "driver", "drivers");
    say_count(&text, r->others, "log or folder of work", "logs and folders of work");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->state_bytes));
    show_place(p, "Memory", r->state_dir, &text);
}

static void show_store(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    say_count(&text, r->store.packs, "pack", "packs");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->store.bytes));
    show_place(p, "Store", r->store_dir, &text);
}

static void show_cache(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->root)
        return;
    say_count(&text, r->cache.entries, "entry", "entries");
    if (text.n)
        jw_say(&text, ": %s", JW_SIZE(r->cache.bytes));
    show_place(p, "Cache", r->root, &text);
}

void clear_tell_places(struct jw_page *p, const struct jw_clear_report *r)
{
    show_cache(p, r);
    show_state(p, r);
    show_store(p, r);
}

void clear_tell_notes(struct jw_page *p, const struct jw_clear_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < r->notes.n; i++) {
        jw_say(&text, "* %s", r->notes.v[i]);
        jw_page_sentence(p, TINT_WARN, &text);
        jw_buf_clear(&text);
    }
}

static const char *last_word(const struct jw_clear_report *r)
{
    switch (r->end) {
    case JW_END_NOTHING: return "There is nothing to remove.";
    case JW_END_LISTED: return "All of this would go.";
    case JW_END_DONE: return "All of this is gone.";
    case JW_END_PARTLY: return "This is gone, and some is left.";
    default: return "";
    }
}

static bool clear_write_text(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    if (r->end == JW_END_BUSY || r->end == JW_END_CANNOT_WRITE || r->end == JW_END_INTERRUPTED)
        return true;
    clear_tell_places(&p, r);
    jw_page_put(&p, "\n");
    clear_tell_notes(&p, r);
    jw_buf_text(&text, last_word(r));
    jw_page_sentence(&p, TINT_NONE, &text);
    return !p.bad;
}

struct clear_args {
    const char *cache;
    bool cache_too, yes, dry_run;
};

static const struct opt clear_opts[] = {
    { "cache-too", 0, OPT_FLAG, offsetof(struct clear_args, cache_too), NULL,
      "also delete everything in the driver's cache, whatever program compiled it", NULL, HINT_NONE },
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
    if (r->why)
        jw_messages_error(&cli->messages, "%s", r->why);
    return jw_cli_exit(r->end);
}

static int show(struct cli *cli, const struct jw_clear_report *r)
{
    struct jw_err err = { 0 };

    if (!(cli->common.json ? jw_output_report(&cli->out, &clear_form, r, &err)
                           : clear_write_text(cli, r, &err)))
        return jw_cli_fail(cli, &err);
    return clear_exit(cli, r);
}

bool clear_agreed(struct cli *cli)
{
    char line[16];

    if (cli->common.json || !jw_term_is(stdin) || !jw_term_is(stderr)) {
        jw_messages_error(&cli->messages, "nothing was removed: confirm with --yes");
        return false;
    }
    jw_messages_page(&cli->messages, "Remove all of this? [y/N] ");
    return jw_ask_line(stdin, line, sizeof line, cli->interrupted)
           && (jw_text_equal_nocase(line, "y") || jw_text_equal_nocase(line, "yes"));
}

static int act(struct cli *cli, struct jw_clear_options *o, const struct clear_args *args)
{
    struct jw_clear_report r;
    struct jw_err err = { 0 };

    if (!jw_clear(o, cli->arena, &r, &err))
        return jw_cli_fail(cli, &err);
    if (r.end != JW_END_LISTED || args->dry_run)
        return show(cli, &r);
    if (!args->yes) {
        int code = show(cli, &r);

        if (code != EXIT_DONE)
            return code;
        if (!clear_agreed(cli))
            return EXIT_BUSY;
    }
    o->act = true;
    if (!jw_clear(o, cli->arena, &r, &err))
        return jw_cli_fail(cli, &err);
    return show(cli, &r);
}

static int clear_run(struct cli *cli, const void *p)
{
    const struct clear_args *args = p;
    struct jw_clear_options o = { .cache_too = args->cache_too,
                                  .cache = args->cache,
                                  .interrupted = cli->interrupted };
    struct jw_err err = { 0 };

    if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    else if (args->cache && !args->cache_too)
        (void)jw_fail(&err, JW_E_USAGE, "--cache goes with --cache-too: without it no cache is touched");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    return act(cli, &o, args);
}

static const struct example clear_examples[] = {
    { "jitwarm clear", "show all that jitwarm stores for you, ask, and remove it" },
    { "jitwarm clear --cache-too --yes", "delete the driver's cache as well" },
    { NULL, NULL },
};

const struct cmd jw_cmd_clear = {
    .name = "clear",
    .summary = "delete everything that jitwarm stores for you",
    .synopsis_args = "",
    .details = "Deletes what jitwarm remembers of drivers and caches, its logs, and the packs of its store. "
               "The driver's cache stays as it is, and warm software stays warm. With --cache-too every "
               "entry of that cache goes, too, and CUDA programs compile again what they need.\n\n"
               "Your own files stay: jitwarm.conf, keys, packs outside the store. jitwarm env undo removes "
               "the settings, and jitwarm startup remove the startup task.\n\n"
               "clear asks before it deletes anything. Without a terminal and without --yes it shows the "
               "list and exits with 7. It also exits with 7 while another jitwarm is at work.",
    .examples = clear_examples,
    .opts = clear_opts,
    .args_size = sizeof(struct clear_args),
    .report = true,
    .run = clear_run,
};
