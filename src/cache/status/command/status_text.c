#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"
#include "cli/help.h"
#include "prime/command/prime_meter.h"

#include <string.h>

enum { LABEL = 9 }; /* columns of "Checked  " */

/* "Limit    1 GiB, ..." wrapped under itself; frees `text`. */
static void show_line(struct cli *cli, const char *name, enum jw_tint tint, struct jw_buf *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_help_wrap(&line, jw_buf_cstr(text), LABEL, LABEL, cli->answer.width);
    jw_answer_printf(&cli->answer, "%s%-*s%s", jw_paint_on(cli->answer.paint, tint), LABEL, name,
                     jw_paint_off(cli->answer.paint, tint));
    jw_answer_text(&cli->answer, jw_buf_cstr(&line));
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
                "CUDA_CACHE_DISABLE=1: programs that are started with it neither read nor write the cache; "
                "they compile anew every time");
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
        jw_buf_text(&text, "the driver's default, and no driver was met here yet; ");
        status_say_limit(&text, r->documented.since);
        jw_buf_text(&text, " is documented for drivers of CUDA 12 and newer, ");
        status_say_limit(&text, r->documented.before);
        jw_buf_text(&text, " before and on Jetson; CUDA_CACHE_MAXSIZE is not set");
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

/* "71 MiB in 144 entries: ..."; what the index counts may be other than what is there. */
static void say_used(struct jw_buf *text, const struct jw_status_report *r)
{
    bool indexed = r->list.index_found && !r->list.index_damage;
    uint64_t n = indexed ? r->recorded.entries : r->sound.entries;

    jw_say(text, "%s in %s", JW_SIZE(r->used), JW_N(n, "entry", "entries"));
    if (n != r->files.entries)
        jw_say(text, "%s%s there)", indexed ? " by the index (" : " (",
               JW_N(r->files.entries, "file is", "files are"));
    say_fill(text, r, r->used);
}

static void show_used(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->list.refused)
        jw_say(&text, "unknown: %s", r->list.refused);
    else if (!r->list.found)
        jw_buf_text(&text, r->primed.emptied ? "nothing: the folder does not exist any more"
                                             : "nothing: the folder does not exist; no program has kept "
                                               "compiled code there yet");
    else if (!r->files.entries && !r->recorded.entries)
        jw_buf_text(&text,
                    "nothing: the folder holds no entry; what needs compiling is compiled at the next start");
    else
        say_used(&text, r);
    show_line(cli, "Used", TINT_STRONG, &text);
}

/* "41 entries (3.4 MiB) for this driver, 2 gone; what was primed needs 3.4 MiB: 1 % of the limit" */
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
        jw_say(&text, "; what was primed needs %s", JW_SIZE(p->need.bytes));
        say_fill(&text, r, p->need.bytes);
    }
    if (p->compile_milliseconds >= 1000)
        jw_say(&text, "; it saves up to %s: so long this driver compiled it",
               JW_CLOCK((double)p->compile_milliseconds / 1000));
    show_line(cli, "Primed", TINT_STRONG, &text);
}

/* Something holds the lock of the cache, and has not told yet how far it is. */
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

    jw_say(&text, "a%s prime (process %lu), for %s: ", running->who.simulated ? " simulated" : "",
           running->who.pid, JW_CLOCK(running->now.seconds));
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
            jw_buf_text(&text, "all sound");
    }
    show_line(cli, "Checked", r->damaged.entries ? TINT_BAD : TINT_STRONG, &text);
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

static void show_drivers(struct cli *cli, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t shown = cli->common.verbose || r->drivers.n <= 2 ? r->drivers.n : 2;

    if (!r->drivers.n)
        jw_buf_text(&text, "none was probed here yet, so which entries are this machine's is not known");
    for (size_t i = 0; i < shown; i++) {
        jw_buf_text(&text, i ? "; earlier: " : "");
        say_driver(&text, &r->drivers.v[i]);
    }
    if (shown < r->drivers.n)
        jw_buf_printf(&text, "; and %zu more (--verbose)", r->drivers.n - shown);
    show_line(cli, "Driver", TINT_STRONG, &text);
}

/* By their names alone: what is in them, jitwarm list tells. */
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
            jw_buf_text(&text, "jitwarm list shows of which drivers");
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
        jw_help_wrap(&line, at, 2, 2, cli->answer.width);
        jw_answer_printf(&cli->answer, "%s%s*%s ", first, jw_paint_on(paint, TINT_WARN),
                         jw_paint_off(paint, TINT_WARN));
        jw_answer_text(&cli->answer, jw_buf_cstr(&line));
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
    jw_answer_printf(&cli->answer, "\n%llu entries looked at; %s; %llu ms\n",
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
    if (!status_tell_groups(cli, r, err) || !status_tell_largest(cli, r, err) || !show_findings(cli, v, err))
        return false;
    if (v->stats)
        show_stats(cli, r);
    if (r->current && r->current->simulated)
        jw_answer_text(&cli->answer, "\nThe driver that was probed last is jitwarm's simulated one.\n");
    return true;
}
