#include "base/limits.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/prime_meter.h"
#include "cli/status_view.h"
#include "cli/table.h"
#include "engine/progress_json.h"

#include <string.h>

enum {
    LABEL = 9,        /* columns of "Checked  " */
    PAGE_WIDTH = 100, /* when the answer does not go to a terminal */
    SCREEN_GROUPS = 12,
    SCREEN_LARGEST = 3
};

static size_t width_of(const struct cli *cli)
{
    return cli->answer.columns ? cli->answer.columns : PAGE_WIDTH;
}

/* "Limit    1 GiB, ..." wrapped under itself; frees `text`. */
static void tell_line(struct cli *cli, const char *name, enum jw_tint tint, struct jw_buf *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_help_wrap(&line, jw_buf_cstr(text), LABEL, LABEL, width_of(cli));
    jw_answer_printf(&cli->answer, "%s%-*s%s", jw_paint_on(cli->answer.paint, tint), LABEL, name,
                     jw_paint_off(cli->answer.paint, tint));
    jw_answer_text(&cli->answer, jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(text);
}

static void tell_root(struct cli *cli, const struct jw_status_report *r)
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
    tell_line(cli, "Cache", TINT_STRONG, &text);
}

static void tell_disabled(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->dir.disabled)
        return;
    jw_buf_text(&text,
                "CUDA_CACHE_DISABLE=1: programs that are started with it neither read nor write the cache; "
                "they compile anew every time");
    tell_line(cli, "Off", TINT_BAD, &text);
}

static void tell_limit(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->dir.limit_known) {
        status_say_limit(&text, r->dir.limit);
        jw_buf_printf(&text, " (CUDA_CACHE_MAXSIZE=%llu)", (unsigned long long)r->dir.limit);
    } else if (r->dir.limit_from.value) {
        jw_buf_text(&text, "unknown (CUDA_CACHE_MAXSIZE=");
        jw_text_clean(&text, r->dir.limit_from.value);
        jw_buf_text(&text, ")");
    } else {
        jw_buf_text(&text, "the driver's default, which jitwarm has not measured; ");
        status_say_limit(&text, r->documented.since);
        jw_buf_text(&text, " is documented for drivers of CUDA 12 and newer, ");
        status_say_limit(&text, r->documented.before);
        jw_buf_text(&text, " before and on Jetson; CUDA_CACHE_MAXSIZE is not set");
    }
    tell_line(cli, "Limit", TINT_STRONG, &text);
}

static void say_percent(struct jw_buf *text, unsigned percent)
{
    if (percent)
        jw_buf_printf(text, "%u %%", percent);
    else
        jw_buf_text(text, "less than 1 %");
}

/* ": 7 % of the limit", or of both limits that are documented. */
static void say_fill(struct jw_buf *text, const struct jw_status_report *r, uint64_t bytes)
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

/* "71 MB in 144 entries: ..."; what the index counts may be other than what is there. */
static void say_used(struct jw_buf *text, const struct jw_status_report *r)
{
    bool indexed = r->list.index_found && !r->list.index_damage;
    uint64_t n = indexed ? r->recorded.entries : r->sound.entries;

    jw_text_bytes(text, r->used);
    jw_buf_text(text, " in ");
    jw_text_count(text, n);
    jw_buf_text(text, n == 1 ? " entry" : " entries");
    if (n != r->files.entries) {
        jw_buf_text(text, indexed ? " by the index (" : " (");
        jw_text_count(text, r->files.entries);
        jw_buf_text(text, r->files.entries == 1 ? " file is there)" : " files are there)");
    }
    say_fill(text, r, r->used);
}

static void tell_used(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->list.refused) {
        jw_buf_text(&text, "unknown: ");
        jw_text_clean(&text, r->list.refused);
    } else if (!r->list.found) {
        jw_buf_text(&text, r->primed.emptied ? "nothing: the folder does not exist any more"
                                             : "nothing: the folder does not exist; no program has kept "
                                               "compiled code there yet");
    } else if (!r->files.entries && !r->recorded.entries) {
        jw_buf_text(&text,
                    "nothing: the folder holds no entry; what needs compiling is compiled at the next start");
    } else {
        say_used(&text, r);
    }
    tell_line(cli, "Used", TINT_STRONG, &text);
}

/* "41 entries (3.4 MB) for this driver, 2 gone; what was primed needs 3.4 MB: 1 % of the limit" */
static void tell_primed(struct cli *cli, const struct jw_status_report *r)
{
    const struct jw_status_primed *p = &r->primed;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->known)
        return;
    jw_text_count(&text, p->recorded.entries);
    jw_buf_text(&text, p->recorded.entries == 1 ? " entry (" : " entries (");
    jw_text_bytes(&text, p->recorded.bytes);
    jw_buf_text(&text, ") for this machine's driver");
    if (p->emptied)
        jw_buf_text(&text, ", all gone");
    else if (p->gone.entries) {
        jw_buf_text(&text, ", ");
        jw_text_count(&text, p->gone.entries);
        jw_buf_text(&text, " of them gone");
    } else if (p->compared)
        jw_buf_text(&text, p->recorded.entries == 1 ? ", still there" : ", all still there");
    if (p->need.entries) {
        jw_buf_text(&text, "; what was primed needs ");
        jw_text_bytes(&text, p->need.bytes);
        say_fill(&text, r, p->need.bytes);
    }
    tell_line(cli, "Primed", TINT_STRONG, &text);
}

/* Something holds the lock of the cache, and has not told yet how far it is. */
static void tell_silent(struct cli *cli, const struct jw_progress_told *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, "another jitwarm");
    if (running->who.pid)
        jw_buf_printf(&text, " (process %lu)", running->who.pid);
    if (running->who.started) {
        jw_buf_text(&text, ", for ");
        jw_text_clock(&text, running->now.seconds);
    }
    jw_buf_text(&text, ": it has not told yet how far it is");
    tell_line(cli, "Running", TINT_GOOD, &text);
}

static void tell_running(struct cli *cli, const struct jw_progress_told *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct prime_meter meter = { 0 };

    jw_buf_printf(&text, "a%s prime (process %lu), for ", running->who.simulated ? " simulated" : "",
                  running->who.pid);
    jw_text_clock(&text, running->now.seconds);
    jw_buf_text(&text, ": ");
    prime_meter_feed(&meter, &running->now);
    prime_meter_sentence(&text, &meter, &running->now);
    prime_meter_say_slots(&text, &running->now);
    tell_line(cli, "Running", TINT_GOOD, &text);
}

static void tell_checked(struct cli *cli, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->files.entries)
        return;
    if (!v->check) {
        jw_buf_text(&text, "headers only (--check reads every byte)");
    } else {
        jw_buf_text(&text, "every byte of ");
        jw_text_count(&text, r->files.entries - r->unread.entries);
        jw_buf_text(&text, r->files.entries - r->unread.entries == 1 ? " entry: " : " entries: ");
        if (r->damaged.entries) {
            jw_text_count(&text, r->damaged.entries);
            jw_buf_text(&text, " damaged");
        } else {
            jw_buf_text(&text, "all sound");
        }
    }
    tell_line(cli, "Checked", r->damaged.entries ? TINT_BAD : TINT_STRONG, &text);
}

/* What a level of knowledge means for the user. */
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
    jw_buf_printf(text, "%s: %s, %s", d->simulated ? ", simulated" : "", jw_level_name(d->level),
                  level_words(d->level));
}

static void tell_drivers(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t shown = cli->common.verbose || r->drivers.n <= 2 ? r->drivers.n : 2;

    if (!r->drivers.n)
        jw_buf_text(&text, "none was probed here yet, so which entries are this machine's cannot be told");
    for (size_t i = 0; i < shown; i++) {
        jw_buf_text(&text, i ? "; earlier: " : "");
        say_driver(&text, &r->drivers.v[i]);
    }
    if (shown < r->drivers.n)
        jw_buf_printf(&text, "; and %zu more (--verbose)", r->drivers.n - shown);
    tell_line(cli, "Driver", TINT_STRONG, &text);
}

/* By their names alone: what is in them, jitwarm list tells. */
static void tell_store(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->store_packs && !r->store.refused)
        return;
    if (r->store.refused) {
        if (r->store.dir) {
            jw_text_clean(&text, r->store.dir);
            jw_buf_text(&text, ": ");
        }
        jw_text_clean(&text, r->store.refused);
    } else {
        jw_text_count(&text, r->store_packs);
        jw_buf_text(&text, r->store_packs == 1 ? " pack (" : " packs (");
        jw_text_bytes(&text, r->store.bytes);
        jw_buf_text(&text, "), ");
        if (!r->current)
            jw_buf_text(&text, "jitwarm list tells of which drivers");
        else if (!r->store_current)
            jw_buf_text(&text, "none for this machine's driver");
        else
            jw_buf_printf(&text, "%zu for this machine's driver", r->store_current);
    }
    tell_line(cli, "Store", r->store.refused ? TINT_WARN : TINT_STRONG, &text);
}

/* ---- tables ---- */

static void cell_bytes(struct jw_table *t, uint64_t bytes)
{
    struct jw_buf text = JW_BUF(64);

    jw_text_bytes(&text, bytes);
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void cell_count(struct jw_table *t, uint64_t n)
{
    struct jw_buf text = JW_BUF(64);

    jw_text_count(&text, n);
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static const char *kind_words(enum jw_cache_kind kind)
{
    static const char *const words[] = { "CUDA", "NVRTC", "OpenCL", "other" };

    return words[kind];
}

static void cell_whose(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = TINT_FAINT;

    switch (g->standing) {
    case JW_STANDING_CURRENT:
        jw_buf_text(&text, "this machine's driver");
        tint = TINT_GOOD;
        break;
    case JW_STANDING_EARLIER: jw_buf_text(&text, "dead: an earlier driver of this machine"); break;
    case JW_STANDING_FOREIGN: jw_buf_text(&text, "dead: a driver that was never probed here"); break;
    case JW_STANDING_UNKNOWN: jw_buf_text(&text, "-"); break;
    }
    if (g->driver && g->driver->version)
        jw_buf_printf(&text, ", %s%s", g->driver->version, g->driver->simulated ? " (simulated)" : "");
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

/* Where no origin is known, there is no column for it. */
static bool tell_groups(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    static const struct jw_column plain[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                              { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                              { "SIZE", COLUMN_RIGHT }, { "WHOSE", COLUMN_TEXT } };
    static const struct jw_column full[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                             { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                             { "SIZE", COLUMN_RIGHT }, { "WHOSE", COLUMN_LEFT },
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
        cell_count(&t, g->entries);
        cell_bytes(&t, g->bytes);
        cell_whose(&t, g);
        if (origins)
            cell_origins(&t, g);
    }
    if (shown)
        jw_answer_text(&cli->answer, "\n");
    if (!jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err))
        return false;
    if (shown < r->n_groups)
        jw_answer_printf(&cli->answer, "and %zu more (--verbose lists all)\n", r->n_groups - shown);
    return true;
}

static bool tell_largest(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
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
        origins |= r->largest_origin[i] != NULL;
    jw_table_begin(&t, cli->arena, columns, origins ? JW_COUNT(columns) : JW_COUNT(columns) - 1);
    for (size_t i = 0; i < shown; i++) {
        const struct jw_cache_file *f = r->largest[i];

        jw_table_cell(&t, TINT_NONE, jw_cache_name(f->name).text);
        cell_bytes(&t, f->entry.key_size + f->entry.payload_size);
        jw_table_cell(&t, TINT_NONE, *f->arch ? f->arch : "-");
        jw_table_cell(&t, TINT_NONE, kind_words(f->kind));
        jw_table_cell(&t, TINT_NONE, *f->stamp ? jw_stamp_text(f->stamp).text : "-");
        if (origins)
            jw_table_cell(&t, TINT_NONE, r->largest_origin[i] ? r->largest_origin[i] : "-");
    }
    jw_answer_text(&cli->answer, "\n");
    return jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err);
}

static bool tell_settings(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    static const struct jw_column columns[] = { { "SETTING", COLUMN_LEFT },
                                                { "VALUE", COLUMN_PATH },
                                                { "FROM", COLUMN_LEFT } };
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < v->n_settings; i++) {
        jw_table_cell(&t, TINT_NONE, v->settings[i].name);
        jw_table_cell(&t, TINT_NONE, v->settings[i].value ? v->settings[i].value : "-");
        jw_table_cell(&t, TINT_FAINT, v->settings[i].origin);
    }
    return jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err);
}

/* ---- the page ---- */

static bool tell_findings(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    struct jw_buf all = JW_BUF(JW_MAX_PAGE), line = JW_BUF(JW_MAX_PAGE);
    const struct jw_paint paint = cli->answer.paint;
    char *at;
    bool ok;

    status_say_findings(&all, v);
    at = all.bad ? NULL : (char *)all.p;
    ok = jw_buf_ok(&all, err);
    for (const char *first = "\n"; ok && at && at < (char *)all.p + all.n; first = "") {
        char *end = memchr(at, '\n', (size_t)((char *)all.p + all.n - at));

        if (!end)
            break;
        *end = '\0';
        jw_buf_clear(&line);
        jw_help_wrap(&line, at, 2, 2, width_of(cli));
        jw_answer_printf(&cli->answer, "%s%s*%s ", first, jw_paint_on(paint, TINT_WARN),
                         jw_paint_off(paint, TINT_WARN));
        jw_answer_text(&cli->answer, jw_buf_cstr(&line));
        at = end + 1;
    }
    jw_buf_free(&line);
    jw_buf_free(&all);
    return ok;
}

static void tell_stats(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_text_bytes(&text, r->list.bytes_read);
    jw_buf_text(&text, " read of ");
    jw_text_bytes(&text, r->files.bytes);
    jw_answer_printf(&cli->answer, "\n%llu entries looked at; %s; %llu ms\n",
                     (unsigned long long)r->files.entries, jw_buf_cstr(&text),
                     (unsigned long long)r->milliseconds);
    jw_buf_free(&text);
}

bool status_write_text(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    const struct jw_status_report *r = v->report;

    if (v->settings) {
        if (!tell_settings(cli, v, err) || !tell_findings(cli, v, err))
            return false;
    } else {
        tell_root(cli, r);
        tell_disabled(cli, r);
        tell_limit(cli, r);
        if (r->dir.root)
            tell_used(cli, r);
        tell_primed(cli, r);
        if (r->running)
            (r->running_silent ? tell_silent : tell_running)(cli, r->running);
        tell_checked(cli, v);
        tell_drivers(cli, r);
        tell_store(cli, r);
        if (!tell_groups(cli, r, err) || !tell_largest(cli, r, err) || !tell_findings(cli, v, err))
            return false;
        if (v->stats)
            tell_stats(cli, r);
    }
    if (r->current && r->current->simulated)
        jw_answer_text(&cli->answer, "\nThe driver that was probed last is jitwarm's simulated one.\n");
    return true;
}
