/* prune: entries that no driver here can use, listed, and deleted with --yes. */
#include "cache/prune/prune.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "machine/listing.h"
#include "os/machine/time.h"
#include "prime/memory/gone.h"
#include "verbs/status.h"
#include "verbs/uninstall.h"

#include <stdint.h>
#include <string.h>

struct prune_args {
    struct jw_prune_options o;
    const char *cache;
    bool yes, dry_run, gone;
    const char *max_size; /* a text, to tell 0 from a missing option */
};

static const struct opt prune_opts[] = {
    { "outdated", 0, OPT_FLAG, offsetof(struct prune_args, o.outdated), NULL,
      "delete the entries of all other driver builds, even if they were used in the last 90 days", NULL,
      HINT_NONE },
    { "damaged", 0, OPT_FLAG, offsetof(struct prune_args, o.damaged), NULL,
      "delete entries with wrong checksums too: reads every byte", NULL, HINT_NONE },
    { "gone", 0, OPT_FLAG, offsetof(struct prune_args, gone), NULL,
      "also forget software that was primed, and commands that were recorded, whose files are gone: in a "
      "terminal it asks",
      NULL, HINT_NONE },
    { "all", 0, OPT_FLAG, offsetof(struct prune_args, o.all), NULL,
      "delete every entry of every program, jitwarm's records and the packs of its store", NULL, HINT_NONE },
    { "max-size", 0, OPT_TEXT, offsetof(struct prune_args, max_size), "SIZE",
      "delete until at most this much is left: first other builds, then what no prime needs, oldest first",
      NULL, HINT_NONE },
    OPT_CACHE(prune_args, cache, "use this cache"),
    { "no-pack", 0, OPT_FLAG, offsetof(struct prune_args, o.no_pack), NULL,
      "do not save outdated entries as a pack first", NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct prune_args, yes), NULL,
      "delete the entries; without this they are only listed", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct prune_args, dry_run), NULL,
      "show the list and change nothing", NULL, HINT_NONE },
    { 0 },
};

/* ---- the report ---- */

struct prune_view {
    const struct jw_prune_report *report;
    const struct jw_forget_report *forgotten; /* with --all; or NULL */
    struct prime_gone_list gone;
    bool forget_gone; /* --gone */
    bool gone_forgotten;
    bool asks; /* whether to forget it, when it was listed */
};

#define R struct jw_prune_report
#define B struct jw_prune_build
#define G struct jw_prune_group

enum { LABEL = 9, DAY_S = 24 * 60 * 60 };

static struct jw_words sum_words(uint64_t entries, uint64_t bytes)
{
    return jw_phrase("%s in %s", JW_SIZE(bytes), JW_N(entries, "entry", "entries"));
}

static void show_driver(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (r->asked)
        jw_page_say(p, TINT_STRONG, "Driver", "%s (build %s)",
                    r->driver_version ? r->driver_version : "unknown version", jw_stamp_text(r->stamp).text);
    else if (r->unasked)
        jw_page_say(p, TINT_STRONG, "Driver", "unknown, so no entry counts as outdated: %s", r->unasked);
}

static void show_before(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (r->looked)
        jw_page_say(p, TINT_STRONG, "Holds", "%s", sum_words(r->before.entries, r->before.bytes).text);
    else if (r->run->end == JW_END_NOTHING)
        jw_page_say(p, TINT_STRONG, "Holds", "nothing: the folder does not exist");
}

static void add_group_row(struct jw_table *t, const struct jw_prune_group *g)
{
    bool kept = g->why == JW_PRUNE_KEEP;

    jw_table_cell(t, kept ? TINT_NONE : TINT_WARN, kept ? "kept" : jw_prune_why_names[g->why]);
    jw_table_cell(t, TINT_NONE, g->kind == JW_CACHE_OTHER ? "-" : status_kind_words[g->kind]);
    jw_table_cell(t, TINT_NONE, *g->stamp ? jw_stamp_text(g->stamp).text : "-");
    jw_table_cell(t, TINT_NONE, *g->arch ? g->arch : "-");
    jw_table_cell_count(t, g->entries);
    jw_table_cell_bytes(t, g->bytes);
}

static void show_groups(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "WHAT", COLUMN_LEFT },         { "KIND", COLUMN_LEFT },
                                                { "DRIVER BUILD", COLUMN_LEFT }, { "GPU", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT },     { "SIZE", COLUMN_RIGHT } };
    const R *r = of;
    struct jw_table t;

    if (!r->n_groups)
        return;
    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_groups; i++)
        add_group_row(&t, &r->groups[i]);
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

/* ---- why ---- */

static struct jw_words days_ago(int64_t when)
{
    int64_t days = (jw_time_unix() - when) / DAY_S;

    return days <= 0 ? jw_phrase("today")
                     : jw_phrase("%lld day%s ago", (long long)days, days == 1 ? "" : "s");
}

/* "* entries of driver 550.54.14 (build ...)" */
static struct jw_words build_words(const struct jw_prune_build *b)
{
    bool known = b->driver && b->driver->version;

    return jw_phrase("* entries of driver %s%sbuild %s%s", known ? b->driver->version : "", known ? " (" : "",
                     jw_stamp_text(b->stamp).text, known ? ")" : "");
}

static void show_build(struct jw_page *p, const struct jw_prune_build *b)
{
    struct jw_words entries = build_words(b);

    switch (b->fate) {
    case JW_PRUNE_CURRENT:
    case JW_PRUNE_UNKNOWN: break;
    case JW_PRUNE_GONE:
        jw_page_say(p, TINT_NONE, NULL, "%s are outdated: it was last used here %s", entries.text,
                    days_ago(b->used_at).text);
        break;
    case JW_PRUNE_RECENT:
        jw_page_say(p, TINT_NONE, NULL,
                    "%s are kept: it was last used here %s. They are outdated after %d days; --outdated "
                    "deletes them now",
                    entries.text, days_ago(b->used_at).text, JW_PRUNE_OUTDATED_DAYS);
        break;
    case JW_PRUNE_SHARED:
        jw_page_say(p, TINT_NONE, NULL, "%s are kept: the cache is on a disk that other machines may share",
                    entries.text);
        break;
    case JW_PRUNE_REAL:
        jw_page_say(p, TINT_NONE, NULL, "%s are kept: a real driver made them, and the driver here is none",
                    entries.text);
        break;
    }
}

/* "* 12 outdated entries cannot be saved as a pack: ...", one line a reason. */
static void show_unsaved(struct jw_page *p, const struct jw_prune_report *r)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const char *why = r->groups[i].unsaved;
        uint64_t n = 0;

        for (size_t k = 0; why && k < r->n_groups; k++) {
            bool same = r->groups[k].unsaved && strcmp(r->groups[k].unsaved, why) == 0;

            if (same && k < i)
                break;
            n += same ? r->groups[k].entries : 0;
        }
        if (n)
            jw_page_say(p, TINT_NONE, NULL, "* %s outdated entr%s cannot be saved as a pack: %s", JW_NUM(n),
                        n == 1 ? "y" : "ies", why);
    }
}

/* "* 12 entries of NVRTC (3.4 MiB) are kept: ...", one line a compiler. */
static void show_other_compilers(struct jw_page *p, const struct jw_prune_report *r)
{
    for (unsigned kind = JW_CACHE_CUDA + 1; kind <= JW_CACHE_OTHER; kind++) {
        struct jw_status_sum kept = { 0 };

        for (size_t i = 0; i < r->n_groups; i++)
            if (r->groups[i].why == JW_PRUNE_KEEP && r->groups[i].kind == kind) {
                kept.entries += r->groups[i].entries;
                kept.bytes += r->groups[i].bytes;
            }
        if (kept.entries)
            jw_page_say(p, TINT_NONE, NULL, "* %s of %s (%s) %s kept: nothing shows whether %s outdated",
                        JW_N(kept.entries, "entry", "entries"), status_program_words(kind),
                        JW_SIZE(kept.bytes), kept.entries == 1 ? "is" : "are",
                        kept.entries == 1 ? "it is" : "they are");
    }
}

static void show_stale(struct jw_page *p, const struct jw_prune_report *r)
{
    const char *damage = r->index_damage;

    if (r->stale)
        jw_page_say(p, TINT_NONE, NULL, "* %s no file, but %s against the limit",
                    JW_N(r->stale, "index record has", "index records have"),
                    r->stale == 1 ? "counts" : "count");
    if (damage || r->index_lost)
        jw_page_say(p, TINT_WARN, NULL,
                    "* the index is %s%s%s%s. jitwarm status --repair, prune --yes and prime rebuild it",
                    damage ? "damaged (" : "missing or empty", damage ? damage : "", damage ? ")" : "",
                    r->index_lost ? ". The next program that compiles something deletes all other entries"
                                  : "");
}

static bool has_sentences(const struct jw_prune_report *r)
{
    bool any = r->stale || r->index_damage || r->index_lost || r->run->notes.n;

    for (size_t i = 0; i < r->n_builds; i++)
        any |= r->builds[i].fate != JW_PRUNE_CURRENT && r->builds[i].fate != JW_PRUNE_UNKNOWN;
    for (size_t i = 0; i < r->n_groups; i++)
        any |= r->groups[i].unsaved || r->groups[i].kind != JW_CACHE_CUDA;
    return any;
}

static void show_why(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (has_sentences(r))
        jw_page_put(p, "\n");
    for (size_t i = 0; i < r->n_builds; i++)
        show_build(p, &r->builds[i]);
    show_other_compilers(p, r);
    show_unsaved(p, r);
    show_stale(p, r);
}

static void show_prune_notes(struct jw_page *p, const void *of)
{
    const struct jw_run *run = of;

    for (size_t i = 0; i < run->notes.n; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s", run->notes.v[i]);
}

/* "python serve.py: /opt/serve.py", or the software's own path. */
static void show_gone(struct jw_page *p, const void *of)
{
    const struct prune_view *v = of;

    if (!v->gone.n)
        return;
    jw_page_put(p, "\n");
    for (size_t i = 0; i < v->gone.n; i++) {
        const struct prime_gone *g = &v->gone.list[i];

        if (g->lost)
            jw_page_say(p, TINT_NONE, "Gone", "%s", g->lost);
        else
            jw_page_say(p, TINT_NONE, "Gone", "%s%s%s%s", g->command ? g->command : "",
                        g->command ? ": " : "", g->file,
                        jw_is_absent(g->file) ? ""
                        : g->broken           ? ": it is there, and the last run could not read it"
                                              : ": it is there, and holds no CUDA code any more");
    }
    if (!v->forget_gone)
        jw_page_say(p, TINT_NONE, NULL,
                    "* jitwarm remembers what is gone, in case it comes back; --gone forgets it");
}

static void say_removable(struct jw_buf *out, const struct jw_prune_report *r)
{
    if (r->plan.entries)
        jw_say(out, "%s", sum_words(r->plan.entries, r->plan.bytes).text);
    if (r->stale)
        jw_say(out, "%s%s without a file", r->plan.entries ? ", and " : "",
               JW_N(r->stale, "index record", "index records"));
    if (r->plan.entries || r->stale)
        jw_say(out, " can be removed. ");
}

/* "Removed 12 entries and 1 index record without a file: 3.4 MiB are free" */
static void say_removed(struct jw_buf *out, const struct jw_prune_report *r)
{
    uint64_t alone = r->records_removed > r->removed.entries ? r->records_removed - r->removed.entries : 0;

    if (alone > r->stale)
        alone = r->stale;
    jw_say(out, "Removed %s",
           r->removed.entries ? JW_N(r->removed.entries, "entry", "entries")
           : alone            ? ""
                              : "nothing");
    if (alone)
        jw_say(out, "%s%s without a file", r->removed.entries ? " and " : "",
               JW_N(alone, "index record", "index records"));
    if (r->removed.entries)
        jw_say(out, ": %s are free", JW_SIZE(r->removed.bytes));
    if (r->changed)
        jw_say(out, "; %s",
               JW_N(r->changed, "entry changed in the meantime and was kept",
                    "entries changed in the meantime and were kept"));
}

/* "Nothing was removed; run again with --yes to rebuild the index and remove it, and to forget what is gone." */
static void say_listed(struct jw_buf *out, const struct prune_view *v)
{
    const struct jw_prune_report *r = v->report;
    bool entries = r->plan.entries || r->stale, index = r->index_damage || r->index_lost,
         gone = v->forget_gone && v->gone.n && !v->asks;

    if (!entries && !index && !gone)
        return;
    say_removable(out, r);
    jw_say(out, "Nothing was %s; run again with --yes to %s%s%s%s%s.",
           entries || index ? "removed" : "forgotten", index ? "rebuild the index" : "",
           index && entries ? " and " : "", entries ? "remove it" : "",
           (index || entries) && gone ? ", and to " : "", gone ? "forget what is gone" : "");
}

static void say_end(struct jw_buf *out, const struct prune_view *v)
{
    const struct jw_prune_report *r = v->report;

    switch (r->run->end) {
    case JW_END_NOTHING:
        if (r->looked || v->forget_gone)
            jw_say(out, v->forget_gone ? "Nothing to remove, and nothing is gone." : "Nothing to remove.");
        break;
    case JW_END_LISTED: say_listed(out, v); break;
    case JW_END_DONE:
        if (r->records_removed || r->removed.entries || !v->gone_forgotten)
            say_removed(out, r);
        if (v->gone_forgotten)
            jw_say(out, "%s", out->n ? "; forgot what is gone" : "Forgot what is gone");
        jw_say(out, ".");
        break;
    case JW_END_PARTLY:
        say_removed(out, r);
        jw_say(out, "; the rest could not be removed.");
        break;
    case JW_END_INTERRUPTED:
        if (r->removed.entries)
            say_removed(out, r);
        else
            jw_say(out, "Nothing was removed");
        jw_say(out, "; interrupted.");
        break;
    default: break;
    }
}

/* The same with --all. */
static void say_end_of_all(struct jw_buf *out, const struct jw_prune_report *r)
{
    switch (r->run->end) {
    case JW_END_NOTHING: jw_say(out, "There is nothing to remove."); break;
    case JW_END_LISTED:
        jw_say(out, "All of this can be removed. Nothing was removed; run again with --yes to remove it.");
        break;
    case JW_END_DONE: jw_say(out, "Removed all of this."); break;
    case JW_END_PARTLY: jw_say(out, "Removed some of this; the rest could not be removed."); break;
    default: break;
    }
}

static const struct jw_row group_rows[] = {
    { JW_NAMED("why", G, why, jw_prune_why_names) },
    { JW_NAMED("kind", G, kind, jw_cache_kind_names) },
    { JW_SPELT_AT("stamp", G, stamp, &jw_spell_stamp), JW_NULLABLE },
    { JW_ROW("arch", G, arch), JW_NULLABLE },
    { JW_ROW("entries", G, entries) },
    { JW_ROW("bytes", G, bytes) },
    { JW_ROW("pack", G, pack), JW_NULLABLE, JW_LABEL("Saved"), JW_ABOUT("the pack that holds them now") },
    { 0 },
};

static void show_forgotten(struct jw_page *p, const void *of)
{
    jw_page_put(p, "\n");
    forget_show_places(p, of);
    forget_show_notes(p, of);
}

static void show_end(struct jw_page *p, const void *of)
{
    const struct prune_view *v = of;
    const R *r = v->report;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->forgotten)
        say_end_of_all(&text, r);
    else
        say_end(&text, v);
    if (text.n)
        jw_page_put(p, "\n");
    for (size_t i = 0; i < r->n_groups; i++)
        jw_page_rows(p, TINT_STRONG, group_rows, &r->groups[i]);
    jw_page_sentence(p, TINT_NONE, &text);
}

static void show_simulated(struct jw_page *p, const void *of)
{
    jw_page_end(p, ((const struct prune_view *)of)->report->stamp);
}

/* ---- rows ---- */

static const struct jw_row driver_rows[] = {
    { JW_ROW("asked", R, asked) },
    { JW_ROW("not_asked_because", R, unasked), JW_NULLABLE },
    { JW_ROW("version", R, driver_version), JW_NULLABLE },
    { JW_ROW("build", R, build), JW_NULLABLE },
    JW_STAMP(R, stamp),
    { 0 },
};

static const struct jw_row version_rows[] = {
    { JW_ROW("version", struct jw_driver_state, version), JW_NULLABLE },
    { 0 },
};

static const struct jw_row build_rows[] = {
    { JW_SPELT_AT("stamp", B, stamp, &jw_spell_stamp), JW_NULLABLE },
    { JW_PART_AT(B, driver, version_rows) },
    { JW_NAMED("status", B, fate, jw_prune_fate_names),
      JW_ABOUT("real: made by a real driver, and the driver here is none") },
    { 0 },
};

static const struct jw_row end_rows[] = {
    { JW_ENDING(struct jw_run, end,
                JW_CAN(NOTHING) | JW_CAN(LISTED) | JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(BUSY)
                    | JW_CAN(CANNOT_WRITE) | JW_CAN(INTERRUPTED)),
      JW_ABOUT("listed: entries can be removed, and --yes was not given") },
    { JW_ROW("why", struct jw_run, why), JW_NULLABLE, JW_ABOUT("one sentence") },
    { 0 },
};

/* The plan is printed before anything is removed. */
static const struct jw_row plan_rows[] = {
    { JW_PART_AT(R, run, end_rows) },
    { JW_ROW("cache", R, cache), JW_NULLABLE, JW_LABEL("Cache") },
    { JW_ROW("exists", R, exists) },
    { JW_SUB_OF("driver", driver_rows), JW_SHOW(show_driver) },
    { JW_SUB("before", R, before, status_sum_rows) },
    { JW_TEXT_ALONE(show_before) },
    { JW_SUB("plan", R, plan, status_sum_rows), JW_ABOUT("what can be removed; bytes on the disk") },
    { JW_ENUM_MAP("reasons", R, whys, jw_prune_why_names, status_sum_rows), .first = JW_PRUNE_KEEP + 1 },
    { JW_LIST("builds", R, builds, n_builds, build_rows) },
    { JW_LIST("groups", R, groups, n_groups, group_rows), JW_SHOW(show_groups) },
    { JW_TEXT_ALONE(show_why) },
    { JW_PART_AT(R, run, jw_run_notes), JW_SHOW(show_prune_notes) },
    { JW_SUB("removed", R, removed, status_sum_rows) },
    { JW_ROW("records_removed", R, records_removed) },
    { JW_ROW("changed_meanwhile", R, changed) },
    { JW_ROW("longest_lock_microseconds", R, longest_lock_us), JW_IF(R, longest_lock_us),
      JW_ABOUT("for which programs may have waited for the index") },
    { 0 },
};

static const struct jw_row gone_rows[] = {
    { JW_ROW("command", struct prime_gone, command), JW_NULLABLE,
      JW_ABOUT("as it was typed; null: software that was primed by its path") },
    { JW_ROW("file", struct prime_gone, file), JW_NULLABLE, JW_ABOUT("null: it is not known any more") },
    { JW_ROW("lost", struct prime_gone, lost), JW_IF(struct prime_gone, lost),
      JW_ABOUT("why it is not known any more") },
    { 0 },
};

static const struct jw_row done_rows[] = {
    { JW_LIST("gone", struct prune_view, gone.list, gone.n, gone_rows), JW_SHOW(show_gone),
      JW_ABOUT("what jitwarm remembers of files that are not there any more, or whose record was damaged") },
    { JW_ROW("forgotten", struct prune_view, gone_forgotten), JW_ABOUT("what is gone; with --gone") },
    { JW_SUB_AT("stored", struct prune_view, forgotten, forget_rows), JW_IF(struct prune_view, forgotten),
      JW_NULLABLE, JW_SHOW(show_forgotten), JW_ABOUT("with --all: what jitwarm stores for this user") },
    { JW_TEXT_ALONE(show_end) },
    { JW_TEXT_ALONE(show_simulated) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_PART_AT(struct prune_view, report, plan_rows) },
    { JW_ROWS(done_rows) },
    { 0 },
};

const struct jw_form prune_form = { .verb = "prune",
                                    .about =
                                        "Cache entries that no driver here can use, and what was removed.",
                                    .rows = rows,
                                    .label = LABEL,
                                    .tint = TINT_STRONG };

/* ---- the run ---- */

struct prune_cmd {
    struct cli *cli;
    const struct prune_args *args;
    struct jw_err err;
    struct prime_gone_list gone;
    bool gone_forgotten;
    struct jw_run forgetting;
    struct jw_forget_report forgotten; /* run NULL: nothing is forgotten */
    bool listed;                       /* the plan was printed already */
    bool asks;                         /* whether to forget what is gone, */
    bool removable;                    /* beside which there are entries to remove */
};

static void show_progress(void *ctx, const struct jw_progress *p)
{
    jw_cli_progress(((struct prune_cmd *)ctx)->cli, p);
}

static bool print_rows(struct cli *cli, const struct jw_row *some, const void *of, struct jw_err *err)
{
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    jw_page_rows(&p, TINT_STRONG, some, of);
    return jw_page_close(&p, cli);
}

static void on_plan(void *ctx, const struct jw_prune_report *r)
{
    struct prune_cmd *run = ctx;

    run->listed = true;
    jw_messages_progress_end(&run->cli->messages);
    (void)!print_rows(run->cli, plan_rows, r, &run->err);
}

static bool write_prune_report(struct prune_cmd *run, const struct jw_prune_report *r)
{
    struct cli *cli = run->cli;
    struct prune_view v = { .report = r,
                            .forgotten = run->forgotten.run ? &run->forgotten : NULL,
                            .gone = run->gone,
                            .forget_gone = run->args->gone,
                            .gone_forgotten = run->gone_forgotten,
                            .asks = run->asks };

    if (run->err.code != JW_OK)
        return false;
    return run->listed ? print_rows(cli, done_rows, &v, &run->err)
                       : jw_cli_report(cli, &prune_form, &v, &run->err);
}

static bool read_limit(const struct prune_args *args, struct jw_prune_options *o, struct jw_err *err)
{
    o->max_size = UINT64_MAX;
    if (args->max_size && !jw_text_size(args->max_size, &o->max_size))
        return jw_fail(err, JW_E_USAGE, "--max-size: '%.64s' is not a size such as 512M or 4GiB",
                       args->max_size);
    if (!o->max_size)
        return jw_fail(err, JW_E_USAGE, "--max-size 0 would delete everything: use --all for that");
    return !o->all || (!args->max_size && !o->outdated)
           || jw_fail(err, JW_E_USAGE, "--all deletes every entry: use it without --outdated and --max-size");
}

/* ---- what is gone ---- */

struct gone_caches {
    const char **list;
    size_t n, searched; /* the last one may hold no more than another cache's commands */
};

static void add_cache(struct gone_caches *r, const char *cache)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->list[i], cache) == 0)
            return;
    r->list[r->n++] = cache;
}

/* This cache, those that its commands chose themselves, and the usual one, where commands are known. */
static struct gone_caches find_caches(struct cli *cli, const char *cache)
{
    const struct jw_warm_state *memory = jw_session_memory_now(&cli->session, cache);
    const char *usual = jw_session_cache_of(&cli->session, NULL)->folder;
    struct gone_caches r = { .list = jw_arena_alloc(cli->arena, (memory->n_commands + 2) * sizeof *r.list) };

    add_cache(&r, cache);
    for (size_t i = 0; i < memory->n_commands; i++)
        if (*memory->commands[i].cache)
            add_cache(&r, memory->commands[i].cache);
    r.searched = r.n;
    if (usual)
        add_cache(&r, usual);
    return r;
}

static bool remembers(const struct jw_warm_state *memory)
{
    return memory->n_receipts + memory->left.n + memory->n_commands + memory->n_imports;
}

static bool forget_in(struct prune_cmd *run, struct jw_run *frame, const char *cache)
{
    struct jw_warm_log *log;
    struct jw_warm_holder holder;

    if (!jw_session_lock(&run->cli->session, cache, &log, &holder, &run->err))
        return false;
    if (!log)
        return jw_run_end(frame, JW_END_BUSY,
                          "another run of jitwarm works on %s: nothing of it was forgotten", cache);
    bool ok = prime_forget_gone(log, &run->gone, &run->err);

    run->gone_forgotten |= ok;
    jw_warm_close(log);
    return ok;
}

static bool forget_gone(struct prune_cmd *run, struct jw_run *frame, const struct gone_caches *caches)
{
    bool ok = true;

    for (size_t i = 0; ok && i < caches->n; i++)
        if (remembers(jw_session_memory_now(&run->cli->session, caches->list[i])))
            ok = forget_in(run, frame, caches->list[i]);
    return ok;
}

static bool gone_too(struct prune_cmd *run, struct jw_run *frame, const struct gone_caches *caches)
{
    struct cli *cli = run->cli;
    const struct prune_args *args = run->args;
    bool act = args->yes && !args->dry_run;

    for (size_t i = 0; i < caches->searched; i++)
        prime_find_gone(caches->list[i], jw_session_memory_now(&cli->session, caches->list[i]), cli->arena,
                        &run->gone);
    if (!args->gone || !run->gone.n)
        return true;
    if (frame->end == JW_END_NOTHING)
        frame->end = act ? JW_END_DONE : JW_END_LISTED;
    run->asks = !act && !args->dry_run && frame->ask && !cli->common.json;
    return !act || forget_gone(run, frame, caches);
}

/* Forgetting is the one part that a person may agree to: what is deleted needs --yes. */
static bool ask_to_forget(struct prune_cmd *run, struct jw_run *frame, const struct gone_caches *caches)
{
    if (!run->asks || !frame->ask(run->cli, "Forget what is gone?", false))
        return true;
    if (!forget_gone(run, frame, caches))
        return false;
    if (frame->end == JW_END_BUSY || !run->gone_forgotten)
        return true;
    if (!run->removable)
        frame->end = JW_END_DONE;
    jw_messages_say(&run->cli->messages, "Forgot what is gone.");
    return true;
}

/* The run ends as the worse of both. */
static bool forget_too(struct prune_cmd *run, struct jw_run *frame, bool act)
{
    static const enum jw_end worst_first[] = { JW_END_BUSY, JW_END_PARTLY, JW_END_DONE, JW_END_LISTED,
                                               JW_END_NOTHING };
    size_t i = 0;

    run->forgetting = jw_cli_run(run->cli);
    if (!jw_forget(&run->forgetting, act, &run->forgotten, &run->err))
        return false;
    while (worst_first[i] != frame->end && worst_first[i] != run->forgetting.end)
        i++;
    frame->why = worst_first[i] == frame->end && frame->why ? frame->why : run->forgetting.why;
    frame->end = worst_first[i];
    return true;
}

static int prune_run(struct cli *cli, const void *p)
{
    const struct prune_args *args = p;
    struct prune_cmd run = { .cli = cli, .args = args };
    struct jw_prune_options o = args->o;
    struct jw_run frame = jw_cli_run(cli);
    struct jw_prune_report r;

    o.act = args->yes && !args->dry_run;
    o.no_pack |= o.all;
    o.planned = cli->common.json ? NULL : on_plan;
    frame.progress = show_progress;
    frame.ctx = &run;
    cli->session.cache = args->cache;
    if (!read_limit(args, &o, &run.err))
        return jw_cli_usage(cli, &run.err);
    if (!jw_prune(&frame, &o, &r, &run.err))
        return jw_cli_fail(cli, &run.err);
    bool went_well = frame.end == JW_END_NOTHING || frame.end == JW_END_LISTED || frame.end == JW_END_DONE
                     || frame.end == JW_END_PARTLY;

    const struct gone_caches caches =
        r.cache && !o.all && went_well ? find_caches(cli, r.cache) : (struct gone_caches){ 0 };

    run.removable = frame.end == JW_END_LISTED;
    if ((caches.n && !gone_too(&run, &frame, &caches))
        || (o.all && !args->cache && went_well && !forget_too(&run, &frame, o.act))
        || !write_prune_report(&run, &r) || !ask_to_forget(&run, &frame, &caches))
        return jw_cli_fail(cli, &run.err);
    jw_messages_progress_end(&cli->messages);
    if (frame.why)
        jw_messages_error(&cli->messages, "%s", frame.why);
    return jw_cli_exit(frame.end);
}

static const struct example prune_examples[] = {
    { "jitwarm prune", "list what can be deleted, and delete nothing" },
    { "jitwarm prune --yes", "delete it; save outdated entries as a pack first" },
    { "jitwarm prune --outdated --yes", "after a driver update that you will not undo" },
    { "jitwarm prune --max-size 1GiB --yes", "make room, least useful entries first" },
    { "jitwarm prune --gone --yes", "forget software that was removed for good" },
    { "jitwarm prune --all --yes", "start from nothing: every program compiles again" },
    { 0 },
};

const struct cmd jw_cmd_prune = {
    .name = "prune",
    .summary = "delete cache entries that no driver here can use",
    .synopsis_args = "",
    .details =
        "Lists entries of the driver's cache that no driver here can use. --yes deletes them. There "
        "are three kinds:\n\n"
        "outdated: made by another driver build, which was not used here for 90 days. A driver reads "
        "only entries of its own build, but all entries count against the limit. prune first saves "
        "them as a pack in jitwarm's store, in case that driver comes back. In a cache that several "
        "machines share, no entry is outdated.\n\n"
        "damaged: does not match its own header. --damaged checks checksums, too.\n\n"
        "unindexed: a file that was not in the cache's index for a day, and that no prime recorded. "
        "prune also deletes index records without a file.\n\n"
        "With --gone it also forgets software that was primed, and commands that were recorded, whose "
        "files are not there any more, hold no CUDA code any more or are damaged, so that prime --check "
        "does not ask for them. Without it they "
        "are remembered, in case a volume is mounted again.\n\n"
        "prune keeps entries of other builds in use, unless --outdated or --max-size covers them. "
        "NVRTC, nvJitLink and OpenCL keep entries of their own in this cache. They are never "
        "outdated: only --max-size deletes them, when the cache is too full. "
        "CUDA programs may keep running. --all deletes the whole cache, jitwarm's records and the "
        "packs of its store; with --cache only that cache. It keeps jitwarm.conf, keys and packs "
        "elsewhere. If a program needs a deleted entry, the driver compiles it again.",
    .examples = prune_examples,
    .opts = prune_opts,
    .args_size = sizeof(struct prune_args),
    .report = true,
    .run = prune_run,
};
