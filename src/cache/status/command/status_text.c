/* status for people: the cache, its entries, and what the user should do about them. */
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"
#include "cli/help.h"
#include "cli/table.h"
#include "os/machine/env.h"
#include "prime/command/prime_meter.h"

#include <string.h>

enum {
    FULL = 95, /* percent */
    NAMED = 3  /* damaged entries that are listed by name */
};

/* The limit to recommend, if the present one is lower; else 0. */
static uint64_t room_above(const struct jw_status_report *r)
{
    uint64_t better = jw_cache_limit_for(r->used, r->dir.usual);

    return r->dir.limit < better ? better : 0;
}

void status_say_limit(struct jw_buf *out, uint64_t bytes)
{
    static const struct {
        unsigned shift;
        const char *unit;
    } units[] = { { 30, "GiB" }, { 20, "MiB" } };

    for (size_t i = 0; i < JW_COUNT(units); i++) {
        if (bytes == 0 || bytes & (((uint64_t)1 << units[i].shift) - 1))
            continue;
        jw_say(out, "%s %s", JW_NUM(bytes >> units[i].shift), units[i].unit);
        return;
    }
    jw_text_bytes(out, bytes);
}

/* "12 entries (3.4 MiB) have" */
static void say_sum(struct jw_buf *out, uint64_t n, uint64_t bytes, const char *noun, const char *one,
                    const char *many)
{
    jw_say(out, "%s %s (%s) %s", JW_NUM(n), noun, JW_SIZE(bytes), n == 1 ? one : many);
}

/* The reason without the words that it begins with, which the line has already. */
static void say_reason(struct jw_buf *out, const char *reason, const char *about)
{
    jw_text_clean(out, jw_text_starts(reason, about) ? reason + strlen(about) : reason);
}

static void say_notes(struct jw_buf *out, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_say(out, "%s\n", notes->v[i]);
}

static void say_trust(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->trust.owner)
        jw_buf_printf(out,
                      "the folder is owned by %s, not by you: your programs may not be able to write to it\n",
                      r->trust.owner);
    if (r->trust.writers)
        jw_buf_printf(
            out,
            "%s may write to the folder, and so replace the GPU code that your programs run. To fix it: %s\n",
            r->trust.writers, r->trust.mend ? r->trust.mend : "chmod 700");
}

static void say_fill(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->dir.limit_known || jw_status_fill(r, r->dir.limit) < FULL)
        return;
    jw_buf_text(out,
                "the cache is full, or nearly full: new entries replace older ones, which the driver must "
                "compile again");
    if (room_above(r))
        jw_buf_printf(out, ". Set CUDA_CACHE_MAXSIZE=%llu", (unsigned long long)room_above(r));
    jw_buf_text(out, "\n");
}

static void say_outdated(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->outdated.entries)
        return;
    say_sum(out, r->outdated.entries, r->outdated.bytes, r->outdated.entries == 1 ? "entry" : "entries", "is",
            "are");
    jw_buf_text(out,
                " outdated: another driver build made them. This machine's driver cannot use them, but they "
                "count against the limit\n");
}

static void say_carried(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->carried.entries)
        return;
    say_sum(out, r->carried.entries, r->carried.bytes, r->carried.entries == 1 ? "entry" : "entries", "holds",
            "hold");
    jw_buf_text(
        out, " code that this driver did not compile: it was carried from another build, or made by another "
             "compiler. jitwarm carry --renew compiles it again; jitwarm carry --undo removes it\n");
}

static void say_index_lost(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->list.index_lost)
        return;
    jw_buf_text(out, "EMERGENCY: ");
    if (r->list.index_damage) {
        jw_buf_text(out, "the index is damaged (");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_text(out, ")");
    } else
        jw_buf_text(out, "the index is missing or empty");
    jw_buf_text(out,
                ". The next program that compiles something deletes all other entries. Run jitwarm status "
                "--repair first: it rebuilds the index\n");
}

static void say_index(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->list.index_unread) {
        jw_buf_text(out, "the index could not be read: ");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_text(out, "; it is unknown which entries count against the limit\n");
    } else if (r->list.index_damage && !r->list.index_lost) {
        jw_buf_text(out, "the index is damaged: ");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_printf(
            out,
            " no record in the index: the driver does not count %s against the limit, and may not use %s\n",
            r->orphans.entries == 1 ? "it" : "them", r->orphans.entries == 1 ? "it" : "them");
    }
    if (r->list.missing) {
        say_sum(out, r->list.missing, r->list.missing_bytes, r->list.missing == 1 ? "record" : "records",
                "has", "have");
        jw_buf_text(
            out, " no file: the driver compiles that code again, and the index still counts it against the "
                 "limit\n");
    }
    if (r->mismatched)
        jw_say(out, "%s a different size in the index\n", JW_N(r->mismatched, "entry has", "entries have"));
}

static void say_damaged(struct jw_buf *out, const struct jw_status_report *r, bool unread)
{
    const struct jw_status_sum *sum = unread ? &r->unread : &r->damaged;
    uint64_t named = 0;

    if (!sum->entries)
        return;
    jw_say(out, "%s%s", JW_N(sum->entries, "entry", "entries"),
           unread              ? " could not be read: "
           : sum->entries == 1 ? " is damaged: "
                               : " are damaged: ");
    for (size_t i = 0; i < r->list.n && named < NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (!f->damage || f->unread != unread)
            continue;
        jw_buf_printf(out, "%s%s (", named++ ? ", " : "", jw_cache_name(f->name).text);
        say_reason(out, f->damage, "cache entry: ");
        jw_buf_text(out, ")");
    }
    if (named < sum->entries)
        jw_say(out, " and %s more (--json names them)", JW_NUM(sum->entries - named));
    jw_buf_text(out, unread ? "\n"
                            : "; you can delete such a file: at worst the driver compiles its code again\n");
}

static void say_others(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->list.links)
        jw_say(out, "%s below the folder: not followed\n",
               JW_N(r->list.links, "symbolic link", "symbolic links"));
    if (r->list.foreign)
        jw_say(out, "%s that the driver does not use: skipped\n",
               JW_N(r->list.foreign, "other file or folder", "other files or folders"));
    if (r->list.more)
        jw_say(out, "%s not read: jitwarm reads at most %zu\n",
               JW_N(r->list.more, "entry was", "entries were"), JW_MAX_CACHE_FILES);
}

enum { SCREEN_GROUPS = 12, SCREEN_LARGEST = 3 };

static const char *kind_words(enum jw_cache_kind kind)
{
    static const char *const words[] = { "CUDA", "NVRTC", "OpenCL", "other" };

    return words[kind];
}

static void cell_status(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = TINT_FAINT;

    switch (g->standing) {
    case JW_STANDING_CURRENT:
        jw_buf_text(&text, "current driver");
        tint = TINT_GOOD;
        break;
    case JW_STANDING_EARLIER: jw_buf_text(&text, "outdated: earlier driver here"); break;
    case JW_STANDING_FOREIGN: jw_buf_text(&text, "outdated: unknown driver"); break;
    case JW_STANDING_UNKNOWN: jw_buf_text(&text, "-"); break;
    }
    if (g->driver && g->driver->version)
        jw_buf_printf(&text, ", %s", g->driver->version);
    jw_table_cell(t, tint, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* "torch, libggml-cuda.so and 3 more" */
static void cell_origins(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < g->n_origins; i++)
        jw_buf_printf(&text, "%s%s", i ? ", " : "", g->origins[i].origin);
    if (g->more_origins)
        jw_buf_printf(&text, " and %zu more", g->more_origins);
    jw_table_cell(t, TINT_NONE, g->n_origins ? jw_buf_cstr(&text) : "-");
    jw_buf_free(&text);
}

static bool know_origins(const struct jw_status_report *r, size_t groups)
{
    for (size_t i = 0; i < groups; i++)
        if (r->groups[i].n_origins)
            return true;
    return false;
}

/* Without the FROM column if no origin is known. */
static bool show_groups(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    static const struct jw_column plain[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                              { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                              { "SIZE", COLUMN_RIGHT }, { "STATUS", COLUMN_TEXT } };
    static const struct jw_column full[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                             { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                             { "SIZE", COLUMN_RIGHT }, { "STATUS", COLUMN_LEFT },
                                             { "FROM", COLUMN_TEXT } };
    size_t shown = cli->common.verbose || r->n_groups <= SCREEN_GROUPS ? r->n_groups : SCREEN_GROUPS;
    bool origins = know_origins(r, shown);
    struct jw_table t;

    jw_table_begin(&t, cli->arena, origins ? full : plain, origins ? JW_COUNT(full) : JW_COUNT(plain));
    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_table_cell(&t, TINT_NONE, kind_words(g->kind));
        jw_table_cell(&t, TINT_NONE, *g->stamp ? jw_stamp_text(g->stamp).text : "-");
        jw_table_cell(&t, TINT_NONE, *g->arch ? g->arch : "-");
        jw_table_cell_count(&t, g->entries);
        jw_table_cell_bytes(&t, g->bytes);
        cell_status(&t, g);
        if (origins)
            cell_origins(&t, g);
    }
    if (shown)
        jw_output_text(&cli->out, "\n");
    if (!jw_table_print(&t, cli->out.paint, cli->out.columns, jw_output_sink(&cli->out), err))
        return false;
    if (shown < r->n_groups)
        jw_output_printf(&cli->out, "and %zu more (--verbose lists all)\n", r->n_groups - shown);
    return true;
}

static bool show_largest(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    static const struct jw_column columns[] = { { "LARGEST", COLUMN_LEFT },      { "SIZE", COLUMN_RIGHT },
                                                { "GPU", COLUMN_LEFT },          { "KIND", COLUMN_LEFT },
                                                { "DRIVER BUILD", COLUMN_LEFT }, { "FROM", COLUMN_TEXT } };
    size_t shown = cli->common.verbose || r->n_largest <= SCREEN_LARGEST ? r->n_largest : SCREEN_LARGEST;
    struct jw_table t;
    bool origins = false;

    if (r->sound.entries < 2)
        return true;
    for (size_t i = 0; i < shown; i++)
        origins |= r->largest[i].origin != NULL;
    jw_table_begin(&t, cli->arena, columns, origins ? JW_COUNT(columns) : JW_COUNT(columns) - 1);
    for (size_t i = 0; i < shown; i++) {
        const struct jw_cache_file *f = r->largest[i].file;

        jw_table_cell(&t, TINT_NONE, jw_cache_name(f->name).text);
        jw_table_cell_bytes(&t, f->entry.key_size + f->entry.payload_size);
        jw_table_cell(&t, TINT_NONE, *f->arch ? f->arch : "-");
        jw_table_cell(&t, TINT_NONE, kind_words(f->kind));
        jw_table_cell(&t, TINT_NONE, *f->stamp ? jw_stamp_text(f->stamp).text : "-");
        if (origins)
            jw_table_cell(&t, TINT_NONE, r->largest[i].origin ? r->largest[i].origin : "-");
    }
    jw_output_text(&cli->out, "\n");
    return jw_table_print(&t, cli->out.paint, cli->out.columns, jw_output_sink(&cli->out), err);
}

static void say_entries(struct jw_buf *out, const struct jw_status_sum *sum)
{
    jw_say(out, "%s (%s)", JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes));
}

/* The command to run on this cache. */
static void say_command(struct jw_buf *out, const struct jw_status_report *r, const char *verb)
{
    jw_buf_printf(out, "jitwarm %s", verb);
    if (strcmp(r->dir.root_from.origin, "--cache") == 0) {
        jw_buf_text(out, " --cache ");
        jw_text_shell_word(out, r->dir.root, jw_os_is_windows());
    }
}

/* The limit, or the largest default of any driver. 0: unknown. */
static uint64_t limit_of(const struct jw_status_report *r)
{
    if (r->dir.limit_known)
        return r->dir.limit;
    return r->dir.limit_from.value ? 0 : r->documented.since;
}

static void say_limit(struct jw_buf *out, const struct jw_status_report *r)
{
    jw_buf_text(out, r->dir.limit_known ? "the limit (" : "the driver's default limit (");
    status_say_limit(out, limit_of(r));
    jw_buf_text(out, ")");
}

/* How to make room for so many bytes. */
static void say_room(struct jw_buf *out, const struct jw_status_report *r, uint64_t bytes)
{
    uint64_t better = jw_cache_limit_for(bytes, r->dir.usual);

    if (better)
        jw_buf_printf(out, "Set CUDA_CACHE_MAXSIZE=%llu\n", (unsigned long long)better);
    else
        jw_buf_text(out, "No cache can hold that much: give each framework its own (CUDA_CACHE_PATH)\n");
}

/* The size of the cache with the missing entries. The index may still count some of these. */
static uint64_t whole(const struct jw_status_report *r)
{
    uint64_t gone = r->primed.gone.bytes;
    uint64_t there = r->used > r->list.missing_bytes ? r->used - r->list.missing_bytes : 0;

    return there < UINT64_MAX - gone ? there + gone : UINT64_MAX;
}

/* The driver evicts the oldest entry first: a program that needs more than the limit finds none of its entries.
 * driver-fact: F56-fifo */
static bool say_thrash(struct jw_buf *out, const struct jw_status_report *r)
{
    const struct jw_status_primed *p = &r->primed;
    uint64_t limit = limit_of(r);

    if (!limit || p->need.bytes <= limit)
        return false;
    jw_say(out, "the primed modules need %s, more than ", JW_SIZE(p->need.bytes));
    say_limit(out, r);
    jw_buf_text(out, ": programs that use all of them compile them again at every start. ");
    say_room(out, r, p->need.bytes > whole(r) ? p->need.bytes : whole(r));
    return true;
}

static void say_emptied(struct jw_buf *out, const struct jw_status_report *r)
{
    jw_buf_printf(out, "the folder is %s: ", r->list.found ? "empty" : "gone");
    say_entries(out, &r->primed.recorded);
    jw_buf_text(
        out, " that jitwarm compiled or verified no longer exist. The next starts compile them again. Run ");
    say_command(out, r, "prime");
    jw_buf_text(out, " first\n");
}

/* `limit_told`: the findings name the limit already. Returns whether they do now. */
static bool say_gone(struct jw_buf *out, const struct jw_status_report *r, bool limit_told)
{
    const struct jw_status_sum *gone = &r->primed.gone;
    uint64_t limit = limit_of(r);

    if (!gone->entries)
        return limit_told;
    say_entries(out, gone);
    jw_buf_printf(
        out,
        " that jitwarm compiled or verified %s evicted or removed. The next starts compile %s again. Run ",
        gone->entries == 1 ? "was" : "were", gone->entries == 1 ? "it" : "them");
    say_command(out, r, "prime");
    jw_buf_text(out, " first");
    if (limit_told || !limit || whole(r) <= limit) {
        jw_buf_text(out, "\n");
        return limit_told;
    }
    jw_buf_text(out, ". All entries together exceed ");
    say_limit(out, r);
    jw_buf_text(out, ". ");
    say_room(out, r, whole(r));
    return true;
}

static void say_changed(struct jw_buf *out, const struct jw_status_report *r)
{
    const struct jw_status_sum *changed = &r->primed.changed;

    if (!changed->entries)
        return;
    jw_say(out, "%s a different size than jitwarm recorded: another program wrote %s. ",
           JW_N(changed->entries, "entry has", "entries have"), changed->entries == 1 ? "it" : "them");
    say_command(out, r, "verify");
    jw_buf_text(out, " checks that the next start compiles nothing\n");
}

/* Primed entries that are gone or do not fit. True: a limit was recommended. */
static bool say_primed(struct jw_buf *out, const struct jw_status_report *r)
{
    bool limit_told;

    if (!r->primed.known)
        return false;
    limit_told = say_thrash(out, r);
    if (r->primed.emptied)
        say_emptied(out, r);
    limit_told = say_gone(out, r, limit_told);
    say_changed(out, r);
    return limit_told;
}

/* Problems, one a line: what it is, what it costs, what to run. */
static void say_findings(struct jw_buf *out, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    say_notes(out, &r->dir.notes);
    say_index_lost(out, r);
    say_trust(out, r);
    if (!say_primed(out, r))
        say_fill(out, r);
    say_outdated(out, r);
    say_carried(out, r);
    say_damaged(out, r, false);
    say_damaged(out, r, true);
    say_index(out, r);
    say_others(out, r);
    say_notes(out, &r->list.notes);
    say_notes(out, &r->drivers.notes);
    say_notes(out, &r->memory.notes);
}

enum { LABEL = 9 }; /* columns of "Checked  " */

/* "Limit    1 GiB, ..." with wrapped lines indented; frees `text`. */
static void show_line(struct cli *cli, const char *name, enum jw_tint tint, struct jw_buf *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_help_wrap(&line, jw_buf_cstr(text), LABEL, LABEL, cli->out.width);
    jw_output_printf(&cli->out, "%s%-*s%s", jw_paint_on(cli->out.paint, tint), LABEL, name,
                     jw_paint_off(cli->out.paint, tint));
    jw_output_text(&cli->out, jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(text);
}

static void show_root(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->dir.root)
        jw_text_clean(&text, r->dir.root);
    else
        jw_buf_text(&text, "none");
    if (r->dir.root_from.value)
        jw_buf_printf(&text, " (from %s)", r->dir.root_from.origin);
    else
        jw_buf_text(&text, " (the driver's default; CUDA_CACHE_PATH is not set)");
    show_line(cli, "Cache", TINT_STRONG, &text);
}

static void show_disabled(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->dir.disabled)
        return;
    jw_buf_text(&text,
                "CUDA_CACHE_DISABLE=1: programs do not use the cache, and compile again at every start");
    show_line(cli, "Off", TINT_BAD, &text);
}

static void show_limit(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->dir.limit_known) {
        status_say_limit(&text, r->dir.limit);
        if (r->dir.limit_from.value)
            jw_say(&text, " (CUDA_CACHE_MAXSIZE=%s)", r->dir.limit_from.value);
        else
            jw_say(&text, ", the default of driver %s; CUDA_CACHE_MAXSIZE is not set", r->current->version);
    } else {
        jw_say(&text, "unknown: %s, and CUDA_CACHE_MAXSIZE is not set. The default is ",
               r->current ? "the driver does not say its version" : "no driver was probed here yet");
        status_say_limit(&text, r->documented.since);
        jw_buf_text(&text, " for drivers of CUDA 12 and newer, ");
        status_say_limit(&text, r->documented.before);
        jw_buf_text(&text, " for older ones and Jetson");
    }
    show_line(cli, "Limit", TINT_STRONG, &text);
}

static void say_percent(struct jw_buf *text, unsigned percent)
{
    if (percent)
        jw_buf_printf(text, "%u %%", percent);
    else
        jw_buf_text(text, "less than 1 %");
}

/* ": 7 % of the limit", or of both default limits. */
static void add_fill(struct jw_buf *text, const struct jw_status_report *r, uint64_t bytes)
{
    if (r->dir.limit_known) {
        jw_buf_text(text, ": ");
        say_percent(text, jw_status_percent(bytes, r->dir.limit));
        jw_buf_text(text, " of the limit");
    } else if (!r->dir.limit_from.value) {
        jw_buf_text(text, ": ");
        say_percent(text, jw_status_percent(bytes, r->documented.since));
        jw_buf_text(text, " of ");
        status_say_limit(text, r->documented.since);
        jw_buf_text(text, ", ");
        say_percent(text, jw_status_percent(bytes, r->documented.before));
        jw_buf_text(text, " of ");
        status_say_limit(text, r->documented.before);
    }
}

/* "71 MiB in 144 entries: ...". The index may count other entries than those in the folder. */
static void say_used(struct jw_buf *text, const struct jw_status_report *r)
{
    bool indexed = r->list.index_found && !r->list.index_damage;
    uint64_t n = indexed ? r->recorded.entries : r->sound.entries;

    jw_say(text, "%s in %s", JW_SIZE(r->used), JW_N(n, "entry", "entries"));
    if (n != r->files.entries)
        jw_say(text, "%s%s there)", indexed ? " by the index (" : " (",
               JW_N(r->files.entries, "file is", "files are"));
    add_fill(text, r, r->used);
}

static void show_used(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->list.refused)
        jw_say(&text, "unknown: %s", r->list.refused);
    else if (!r->list.found)
        jw_buf_text(&text, r->primed.emptied ? "nothing: the folder no longer exists"
                                             : "nothing: the folder does not exist; no program has "
                                               "cached code there yet");
    else if (!r->files.entries && !r->recorded.entries)
        jw_buf_text(&text, "nothing: the folder is empty; the next start compiles what it needs");
    else
        say_used(&text, r);
    show_line(cli, "Used", TINT_STRONG, &text);
}

/* "41 entries (3.4 MiB) for this driver, 2 of them gone; primed modules need 3.4 MiB: 1 % of the limit" */
static void show_primed(struct cli *cli, const struct jw_status_report *r)
{
    const struct jw_status_primed *p = &r->primed;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->known)
        return;
    jw_say(&text, "%s (%s) for this machine's driver", JW_N(p->recorded.entries, "entry", "entries"),
           JW_SIZE(p->recorded.bytes));
    if (p->emptied)
        jw_buf_text(&text, ", all gone");
    else if (p->gone.entries) {
        jw_say(&text, ", %s of them gone", JW_NUM(p->gone.entries));
    } else if (p->compared)
        jw_buf_text(&text, p->recorded.entries == 1 ? ", still there" : ", all still there");
    if (p->need.entries) {
        jw_say(&text, "; primed modules need %s", JW_SIZE(p->need.bytes));
        add_fill(&text, r, p->need.bytes);
    }
    if (p->compile_milliseconds >= 1000)
        jw_say(&text, "; saves up to %s of compiling", JW_CLOCK((double)p->compile_milliseconds / 1000));
    show_line(cli, "Primed", TINT_STRONG, &text);
}

/* Another process holds the lock of the cache, and has not reported its progress yet. */
static void show_silent(struct cli *cli, const struct jw_progress_record *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, "another jitwarm");
    if (running->who.pid)
        jw_buf_printf(&text, " (process %lu)", running->who.pid);
    if (running->who.started)
        jw_say(&text, ", for %s", JW_CLOCK(running->now.seconds));
    jw_buf_text(&text, ": it has not compiled anything yet");
    show_line(cli, "Running", TINT_GOOD, &text);
}

static void show_running(struct cli *cli, const struct jw_progress_record *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct prime_meter meter = { 0 };

    jw_say(&text, "prime (process %lu), for %s: ", running->who.pid, JW_CLOCK(running->now.seconds));
    prime_meter_feed(&meter, &running->now);
    prime_meter_sentence(&text, &meter, &running->now);
    prime_meter_say_slots(&text, &running->now);
    show_line(cli, "Running", TINT_GOOD, &text);
}

static void show_checked(struct cli *cli, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->files.entries)
        return;
    if (!v->check) {
        jw_buf_text(&text, "headers only (--check reads every byte)");
    } else {
        jw_say(&text, "every byte of %s: ", JW_N(r->files.entries - r->unread.entries, "entry", "entries"));
        if (r->damaged.entries)
            jw_say(&text, "%s damaged", JW_NUM(r->damaged.entries));
        else
            jw_buf_text(&text, "none damaged");
    }
    show_line(cli, "Checked", r->damaged.entries ? TINT_BAD : TINT_STRONG, &text);
}

static const char *level_words(enum jw_level level)
{
    switch (level) {
    case JW_LEVEL_NONE: return "nothing is known about its cache";
    case JW_LEVEL_OPAQUE: return "it keeps files that jitwarm cannot read";
    case JW_LEVEL_READABLE: return "its entries can be read";
    case JW_LEVEL_PREDICTABLE: return "its entries can be read and predicted";
    case JW_LEVEL_PLACEABLE: return "entries can be predicted, added and shipped";
    default: return "entries can be predicted, added, shipped and carried";
    }
}

static void say_driver(struct jw_buf *text, const struct jw_driver_state *d)
{
    jw_text_clean(text, d->version ? d->version : d->build);
    if (d->stamp)
        jw_buf_printf(text, " (build %s)", jw_stamp_text(d->stamp).text);
    jw_buf_printf(text, ": %s, %s", jw_level_name(d->level), level_words(d->level));
}

static void show_drivers(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t shown = cli->common.verbose || r->drivers.n <= 2 ? r->drivers.n : 2;

    if (!r->drivers.n)
        jw_buf_text(&text, "none was probed here yet, so jitwarm does not know which entries are outdated");
    for (size_t i = 0; i < shown; i++) {
        jw_buf_text(&text, i ? "; earlier: " : "");
        say_driver(&text, &r->drivers.v[i]);
    }
    if (shown < r->drivers.n)
        jw_buf_printf(&text, "; and %zu more (--verbose)", r->drivers.n - shown);
    show_line(cli, "Driver", TINT_STRONG, &text);
}

static void show_store(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->store_packs && !r->store.refused)
        return;
    if (r->store.refused) {
        if (r->store.dir)
            jw_say(&text, "%s: ", r->store.dir);
        jw_text_clean(&text, r->store.refused);
    } else {
        jw_say(&text, "%s (%s), ", JW_N(r->store_packs, "pack", "packs"), JW_SIZE(r->store.bytes));
        if (!r->current)
            jw_buf_text(&text, "jitwarm list shows for which drivers");
        else if (!r->store_current)
            jw_buf_text(&text, "none for this machine's driver");
        else
            jw_buf_printf(&text, "%zu for this machine's driver", r->store_current);
    }
    show_line(cli, "Store", r->store.refused ? TINT_WARN : TINT_STRONG, &text);
}

/* ---- the page ---- */

static bool show_findings(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    struct jw_buf all = JW_BUF(JW_MAX_PAGE), line = JW_BUF(JW_MAX_PAGE);
    const struct jw_paint paint = cli->out.paint;
    char *at;
    bool ok;

    say_findings(&all, v);
    at = all.bad ? NULL : (char *)all.p;
    ok = jw_buf_ok(&all, err);
    for (const char *first = "\n"; ok && at && at < (char *)all.p + all.n; first = "") {
        char *end = memchr(at, '\n', (size_t)((char *)all.p + all.n - at));

        if (!end)
            break;
        *end = '\0';
        jw_buf_clear(&line);
        jw_help_wrap(&line, at, 2, 2, cli->out.width);
        jw_output_printf(&cli->out, "%s%s*%s ", first, jw_paint_on(paint, TINT_WARN),
                         jw_paint_off(paint, TINT_WARN));
        jw_output_text(&cli->out, jw_buf_cstr(&line));
        at = end + 1;
    }
    jw_buf_free(&line);
    jw_buf_free(&all);
    return ok;
}

static void show_stats(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_say(&text, "%s read of %s", JW_SIZE(r->list.bytes_read), JW_SIZE(r->files.bytes));
    jw_output_printf(&cli->out, "\n%llu entries looked at; %s; %llu ms\n",
                     (unsigned long long)r->files.entries, jw_buf_cstr(&text),
                     (unsigned long long)r->milliseconds);
    jw_buf_free(&text);
}

bool status_write_text(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    const struct jw_status_report *r = v->report;

    show_root(cli, r);
    show_disabled(cli, r);
    show_limit(cli, r);
    if (r->dir.root)
        show_used(cli, r);
    show_primed(cli, r);
    if (r->running)
        (r->running_silent ? show_silent : show_running)(cli, r->running);
    show_checked(cli, v);
    show_drivers(cli, r);
    show_store(cli, r);
    if (!show_groups(cli, r, err) || !show_largest(cli, r, err) || !show_findings(cli, v, err))
        return false;
    if (v->stats)
        show_stats(cli, r);
    if (r->current && r->current->simulated)
        jw_output_text(&cli->out, "\nThe driver that was probed last is jitwarm's simulated one.\n");
    return true;
}
