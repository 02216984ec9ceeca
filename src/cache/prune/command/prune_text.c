#include "base/limits.h"
#include "base/text.h"
#include "cache/prune/command/prune_view.h"
#include "cli/page.h"
#include "os/machine/time.h"

#include <string.h>

enum { LABEL = 9, DAY_S = 24 * 60 * 60 };

static const char *const kinds[] = { "CUDA", "NVRTC", "OpenCL", "-" };

static void say_sum(struct jw_buf *out, uint64_t entries, uint64_t bytes)
{
    jw_say(out, "%s in %s", JW_SIZE(bytes), JW_N(entries, "entry", "entries"));
}

/* ---- the head ---- */

static void show_driver(struct jw_page *p, const struct jw_prune_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->asked)
        jw_say(&text, "%s (build %s)%s", r->driver_version ? r->driver_version : "of an unknown version",
               jw_stamp_text(r->stamp).text, r->simulated ? ", simulated" : "");
    else if (r->unasked)
        jw_say(&text, "unknown, so that no entry is called dead: %s", r->unasked);
    jw_page_line(p, TINT_STRONG, "Driver", &text);
}

static void show_head(struct jw_page *p, const struct jw_prune_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_page_whole(p, TINT_STRONG, "Cache", r->root ? r->root : "none");
    show_driver(p, r);
    if (r->looked)
        say_sum(&text, r->before.entries, r->before.bytes);
    else if (r->end == JW_END_NOTHING)
        jw_buf_text(&text, "nothing: the folder does not exist");
    jw_page_line(p, TINT_STRONG, "Holds", &text);
}

/* ---- the table ---- */

static void add_row(struct jw_table *t, const struct jw_prune_group *g)
{
    struct jw_buf size = JW_BUF(JW_MAX_LINE), count = JW_BUF(JW_MAX_LINE);
    bool stays = g->why == JW_PRUNE_KEEP;

    jw_text_bytes(&size, g->bytes);
    jw_text_count(&count, g->entries);
    jw_table_cell(t, stays ? TINT_NONE : TINT_WARN, stays ? "stays" : jw_prune_why_name(g->why));
    jw_table_cell(t, TINT_NONE, kinds[g->kind]);
    jw_table_cell(t, TINT_NONE, *g->stamp ? jw_stamp_text(g->stamp).text : "-");
    jw_table_cell(t, TINT_NONE, *g->arch ? g->arch : "-");
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&count));
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&size));
    jw_buf_free(&count);
    jw_buf_free(&size);
}

static void show_table(struct jw_page *p, struct cli *cli, const struct jw_prune_report *r)
{
    static const struct jw_column columns[] = { { "WHAT", COLUMN_LEFT },         { "KIND", COLUMN_LEFT },
                                                { "DRIVER BUILD", COLUMN_LEFT }, { "GPU", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT },     { "SIZE", COLUMN_RIGHT } };
    struct jw_table t;

    if (!r->n_groups)
        return;
    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_groups; i++)
        add_row(&t, &r->groups[i]);
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

/* ---- why ---- */

static void say_days(struct jw_buf *out, int64_t when)
{
    int64_t days = (jw_time_unix() - when) / DAY_S;

    if (days <= 0)
        jw_buf_text(out, "today");
    else
        jw_buf_printf(out, "%lld day%s ago", (long long)days, days == 1 ? "" : "s");
}

static void say_build(struct jw_buf *out, const struct jw_prune_build *b)
{
    jw_buf_text(out, "* ");
    if (b->driver && b->driver->version)
        jw_say(out, "%s (build %s)", b->driver->version, jw_stamp_text(b->stamp).text);
    else
        jw_buf_printf(out, "the driver build %s", jw_stamp_text(b->stamp).text);
    if (b->driver && b->driver->simulated)
        jw_buf_text(out, ", simulated,");
}

static void show_build(struct jw_page *p, const struct jw_prune_build *b)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (b->fate != JW_PRUNE_CURRENT && b->fate != JW_PRUNE_UNKNOWN)
        say_build(&text, b);
    switch (b->fate) {
    case JW_PRUNE_CURRENT:
    case JW_PRUNE_UNKNOWN: break;
    case JW_PRUNE_GONE:
        jw_buf_text(&text, " is not this machine's, and was last alive here ");
        say_days(&text, b->alive_at);
        break;
    case JW_PRUNE_RECENT:
        jw_buf_text(&text, " is not this machine's, but was alive here ");
        say_days(&text, b->alive_at);
        jw_buf_printf(&text, ": what it made stays until that is %d days ago; --dead takes it now",
                      JW_PRUNE_DEAD_DAYS);
        break;
    case JW_PRUNE_SHARED:
        jw_buf_text(
            &text,
            " is not this machine's, but the cache is on a disk that other machines may share: what it "
            "made stays");
        break;
    case JW_PRUNE_REAL:
        jw_buf_text(&text, " is a real driver's, which the simulated one does not judge: what it made stays");
        break;
    }
    jw_page_sentence(p, TINT_NONE, &text);
}

/* "* 12 of what is dead cannot be saved as a pack: ..."; once for each reason. */
static void show_unsaved(struct jw_page *p, const struct jw_prune_report *r)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const char *why = r->groups[i].unsaved;
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        uint64_t n = 0;

        for (size_t k = 0; why && k < r->n_groups; k++) {
            bool same = r->groups[k].unsaved && strcmp(r->groups[k].unsaved, why) == 0;

            if (same && k < i)
                break;
            n += same ? r->groups[k].entries : 0;
        }
        if (!n)
            continue;
        jw_say(&text, "* %s dead entr%s cannot be saved as a pack: %s", JW_NUM(n), n == 1 ? "y" : "ies", why);
        jw_page_sentence(p, TINT_NONE, &text);
    }
}

static void show_stale(struct jw_page *p, const struct jw_prune_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->stale)
        jw_say(&text,
               "* %s record%s of the index without a file: %s count%s against the limit, and can go, too",
               JW_NUM(r->stale), r->stale == 1 ? " is" : "s are", r->stale == 1 ? "it" : "they",
               r->stale == 1 ? "s" : "");
    jw_page_sentence(p, TINT_NONE, &text);
    jw_buf_clear(&text);
    if (r->index_damage || r->index_lost) {
        jw_buf_text(&text, r->index_damage ? "* the index is damaged (" : "* the index is missing or empty");
        if (r->index_damage)
            jw_say(&text, "%s)", r->index_damage);
        if (r->index_lost)
            jw_buf_text(&text, ". The next program that compiles something deletes every other entry");
        jw_buf_text(&text, ". jitwarm status --repair rebuilds it, and so do jitwarm prune --yes and jitwarm "
                           "prime");
    }
    jw_page_sentence(p, TINT_WARN, &text);
}

static void show_notes(struct jw_page *p, const struct jw_prune_report *r)
{
    for (size_t i = 0; i < r->notes.n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "* %s", r->notes.v[i]);
        jw_page_sentence(p, TINT_NONE, &text);
    }
}

static bool has_sentences(const struct jw_prune_report *r)
{
    bool any = r->stale || r->index_damage || r->index_lost || r->notes.n;

    for (size_t i = 0; i < r->n_builds; i++)
        any |= r->builds[i].fate != JW_PRUNE_CURRENT && r->builds[i].fate != JW_PRUNE_UNKNOWN;
    for (size_t i = 0; i < r->n_groups; i++)
        any |= r->groups[i].unsaved != NULL;
    return any;
}

bool prune_write_plan(struct cli *cli, const struct jw_prune_report *r, struct jw_err *err)
{
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    show_head(&p, r);
    show_table(&p, cli, r);
    if (has_sentences(r))
        jw_page_put(&p, "\n");
    for (size_t i = 0; i < r->n_builds; i++)
        show_build(&p, &r->builds[i]);
    show_unsaved(&p, r);
    show_stale(&p, r);
    show_notes(&p, r);
    return !p.bad;
}

/* ---- the end ---- */

static void say_plan(struct jw_buf *out, const struct jw_prune_report *r)
{
    if (r->plan.entries)
        say_sum(out, r->plan.entries, r->plan.bytes);
    if (r->plan.entries && r->stale)
        jw_buf_text(out, ", and ");
    if (r->stale)
        jw_say(out, "%s of nothing", JW_N(r->stale, "record", "records"));
}

/* "Removed 12 entries and 1 record of nothing: 3.4 MiB are free" */
static void say_removed(struct jw_buf *out, const struct jw_prune_report *r)
{
    uint64_t alone = r->records_removed > r->removed.entries ? r->records_removed - r->removed.entries : 0;

    if (alone > r->stale)
        alone = r->stale;
    jw_buf_text(out, r->removed.entries || alone ? "Removed " : "Removed nothing");
    if (r->removed.entries)
        jw_say(out, "%s", JW_N(r->removed.entries, "entry", "entries"));
    if (r->removed.entries && alone)
        jw_buf_text(out, " and ");
    if (alone)
        jw_say(out, "%s of nothing", JW_N(alone, "record", "records"));
    if (r->removed.entries)
        jw_say(out, ": %s are free", JW_SIZE(r->removed.bytes));
    if (r->changed)
        jw_say(out, "; %s",
               JW_N(r->changed, "was written again meanwhile, and stays",
                    "were written again meanwhile, and stay"));
}

static void say_end(struct jw_buf *out, const struct jw_prune_report *r)
{
    switch (r->end) {
    case JW_END_NOTHING: jw_buf_text(out, r->looked ? "Nothing is to be removed." : ""); break;
    case JW_END_TOLD:
        say_plan(out, r);
        jw_buf_text(
            out, r->index_damage || r->index_lost
                     ? " could go. Nothing was removed; the same with --yes rebuilds the index and does it."
                     : " could go. Nothing was removed; the same with --yes does it.");
        break;
    case JW_END_DONE:
        say_removed(out, r);
        jw_buf_text(out, ".");
        break;
    case JW_END_PARTLY:
        say_removed(out, r);
        jw_buf_text(out, "; not all that could go.");
        break;
    case JW_END_INTERRUPTED:
        if (r->removed.entries)
            say_removed(out, r);
        else
            jw_buf_text(out, "Nothing was removed");
        jw_buf_text(out, "; interrupted.");
        break;
    default: break;
    }
}

static void show_packs(struct jw_page *p, const struct jw_prune_report *r)
{
    for (size_t i = 0; i < r->n_groups; i++)
        if (r->groups[i].pack)
            jw_page_whole(p, TINT_STRONG, "Saved", r->groups[i].pack);
}

bool prune_write_end(struct cli *cli, const struct prune_view *v, struct jw_err *err)
{
    const struct jw_prune_report *r = v->report;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    say_end(&text, r);
    if (text.n)
        jw_page_put(&p, "\n");
    show_packs(&p, r);
    jw_page_sentence(&p, TINT_NONE, &text);
    if (v->stats) {
        jw_buf_clear(&text);
        jw_say(&text, "%llu ms, %s read, the index locked for %llu us at most",
               (unsigned long long)r->milliseconds, JW_SIZE(r->bytes_read),
               (unsigned long long)r->longest_lock_us);
        jw_page_sentence(&p, TINT_NONE, &text);
    }
    jw_page_simulated(&p, r->simulated);
    return !p.bad;
}
