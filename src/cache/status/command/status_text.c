/* status for people: the cache, its entries, and what the user should do about them. */
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"
#include "cli/help.h"
#include "cli/page.h"
#include "cli/table.h"
#include "os/machine/env.h"
#include "prime/command/prime_meter.h"

#include <stdio.h>
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

#define LIMIT(bytes) (jw_words(status_say_limit, bytes).text)

/* Problems, one a line: what it is, what it costs, what to run. */
struct problems {
    struct jw_page page;
    struct jw_arena *a;
    bool any;
};

static void JW_PRINTF(2, 3) warn(struct problems *p, const char *fmt, ...)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);
    if (!p->any)
        jw_page_put(&p->page, "\n");
    p->any = true;
    jw_page_line(&p->page, TINT_WARN, "*", &text);
}

/* The reason without the words that it begins with, which the line has already. */
static const char *reason_of(const char *reason, const char *about)
{
    return jw_text_starts(reason, about) ? reason + strlen(about) : reason;
}

static void warn_notes(struct problems *p, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        warn(p, "%s", notes->v[i]);
}

static void warn_trust(struct problems *p, const struct jw_status_report *r)
{
    if (r->trust.owner)
        warn(p, "the folder is owned by %s, not by you: your programs may not be able to write to it",
             r->trust.owner);
    if (r->trust.writers)
        warn(p,
             "%s may write to the folder, and so replace the GPU code that your programs run. To fix it: %s",
             r->trust.writers, r->trust.mend ? r->trust.mend : "chmod 700");
}

static void warn_fill(struct problems *p, const struct jw_status_report *r)
{
    static const char full[] = "the cache is full, or nearly full: new entries replace older ones, which the "
                               "driver must compile again";

    if (!r->dir.limit_known || jw_status_fill(r, r->dir.limit) < FULL)
        return;
    if (room_above(r))
        warn(p, "%s. Set CUDA_CACHE_MAXSIZE=%llu", full, (unsigned long long)room_above(r));
    else
        warn(p, "%s", full);
}

static void warn_outdated(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *sum = &r->outdated;

    if (sum->entries)
        warn(
            p,
            "%s (%s) %s outdated: another driver build made them. This machine's driver cannot use them, but "
            "they count against the limit",
            JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes), sum->entries == 1 ? "is" : "are");
}

static void warn_carried(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *sum = &r->carried;

    if (sum->entries)
        warn(
            p,
            "%s (%s) %s code that this driver did not compile: it was carried from another build, or made by "
            "another compiler. jitwarm carry --renew compiles it again; jitwarm carry --undo removes it",
            JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes),
            sum->entries == 1 ? "holds" : "hold");
}

static void warn_index_lost(struct problems *p, const struct jw_status_report *r)
{
    bool damaged = r->list.index_damage;

    if (r->list.index_lost)
        warn(p,
             "EMERGENCY: the index is %s%s%s. The next program that compiles something deletes all other "
             "entries. Run jitwarm status --repair first: it rebuilds the index",
             damaged ? "damaged (" : "missing or empty",
             damaged ? reason_of(r->list.index_damage, "cache index: ") : "", damaged ? ")" : "");
}

static void warn_index(struct problems *p, const struct jw_status_report *r)
{
    const char *it = r->orphans.entries == 1 ? "it" : "them";

    if (r->list.index_unread)
        warn(p, "the index could not be read: %s; it is unknown which entries count against the limit",
             reason_of(r->list.index_damage, "cache index: "));
    else if (r->list.index_damage && !r->list.index_lost)
        warn(p, "the index is damaged: %s; jitwarm status --repair rebuilds it",
             reason_of(r->list.index_damage, "cache index: "));
    if (r->orphans.entries)
        warn(p,
             "%s (%s) %s no record in the index: the driver does not count %s against the limit, and may not "
             "use %s",
             JW_N(r->orphans.entries, "file", "files"), JW_SIZE(r->orphans.bytes),
             r->orphans.entries == 1 ? "has" : "have", it, it);
    if (r->list.missing)
        warn(p,
             "%s (%s) %s no file: the driver compiles that code again, and the index still counts it against "
             "the limit",
             JW_N(r->list.missing, "record", "records"), JW_SIZE(r->list.missing_bytes),
             r->list.missing == 1 ? "has" : "have");
    if (r->mismatched)
        warn(p, "%s a different size in the index", JW_N(r->mismatched, "entry has", "entries have"));
}

/* The command to run on this cache. */
static const char *command_of(const struct problems *p, const struct jw_status_report *r, const char *verb)
{
    struct jw_buf word = JW_BUF(JW_MAX_LINE);
    const char *command = verb;

    if (strcmp(r->dir.root_from.origin, "--cache") == 0) {
        jw_text_shell_word(&word, r->dir.root, jw_os_is_windows());
        command = jw_arena_printf(p->a, "%s --cache %s", verb, jw_buf_cstr(&word));
    }
    jw_buf_free(&word);
    return command;
}

static void warn_damaged(struct problems *p, const struct jw_status_report *r, bool unread)
{
    const struct jw_status_sum *sum = unread ? &r->unread : &r->damaged;
    struct jw_buf names = JW_BUF(JW_MAX_LINE);
    uint64_t named = 0;

    for (size_t i = 0; i < r->list.n && named < NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (f->damage && f->unread == unread)
            jw_say(&names, "%s%s (%s)", named++ ? ", " : "", jw_cache_name(f->name).text,
                   reason_of(f->damage, "cache entry: "));
    }
    if (named < sum->entries)
        jw_say(&names, " and %s more (--json names them)", JW_NUM(sum->entries - named));
    if (sum->entries)
        warn(p, "%s %s: %s%s", JW_N(sum->entries, "entry", "entries"),
             unread              ? "could not be read"
             : sum->entries == 1 ? "is damaged"
                                 : "are damaged",
             jw_buf_cstr(&names),
             unread ? ""
                    : jw_arena_printf(
                        p->a, ". jitwarm %s removes %s, and the driver compiles that code again",
                        command_of(p, r, "prune --damaged --yes"), sum->entries == 1 ? "it" : "them"));
    jw_buf_free(&names);
}

static void warn_others(struct problems *p, const struct jw_status_report *r)
{
    if (r->list.links)
        warn(p, "%s below the folder: not followed", JW_N(r->list.links, "symbolic link", "symbolic links"));
    if (r->list.foreign)
        warn(p, "%s that the driver does not use: skipped",
             JW_N(r->list.foreign, "other file or folder", "other files or folders"));
    if (r->list.more)
        warn(p, "%s not read: jitwarm reads at most %zu", JW_N(r->list.more, "entry was", "entries were"),
             JW_MAX_CACHE_FILES);
}

enum { SCREEN_GROUPS = 12, SCREEN_LARGEST = 3 };

const char *status_kind_words(enum jw_cache_kind kind)
{
    static const char *const words[] = { "CUDA", "NVRTC", "OpenCL", "other" };

    return words[kind];
}

static void cell_status(struct jw_table *t, const struct jw_status_group *g)
{
    static const char *const words[] = { [JW_STANDING_CURRENT] = "current driver",
                                         [JW_STANDING_EARLIER] = "outdated: earlier driver here",
                                         [JW_STANDING_FOREIGN] = "outdated: unknown driver",
                                         [JW_STANDING_UNKNOWN] = "-" };
    bool known = g->driver && g->driver->version;

    jw_table_cellf(t, g->standing == JW_STANDING_CURRENT ? TINT_GOOD : TINT_FAINT, "%s%s%s",
                   words[g->standing], known ? ", " : "", known ? g->driver->version : "");
}

/* "torch, libggml-cuda.so and 3 more" */
static void cell_origins(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < g->n_origins; i++)
        jw_say(&text, "%s%s", i ? ", " : "", g->origins[i].origin);
    if (g->more_origins)
        jw_say(&text, " and %zu more", g->more_origins);
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
    size_t shown = cli->common.verbose || r->n_groups <= SCREEN_GROUPS ? r->n_groups : SCREEN_GROUPS;
    bool origins = know_origins(r, shown);
    const struct jw_column columns[] = {
        { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
        { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
        { "SIZE", COLUMN_RIGHT }, { "STATUS", origins ? COLUMN_LEFT : COLUMN_TEXT },
        { "FROM", COLUMN_TEXT }
    };
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns) - !origins);
    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_table_cell(&t, TINT_NONE, status_kind_words(g->kind));
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
        jw_table_cell_bytes(&t, jw_cache_weight(&f->entry));
        jw_table_cell(&t, TINT_NONE, *f->arch ? f->arch : "-");
        jw_table_cell(&t, TINT_NONE, status_kind_words(f->kind));
        jw_table_cell(&t, TINT_NONE, *f->stamp ? jw_stamp_text(f->stamp).text : "-");
        if (origins)
            jw_table_cell(&t, TINT_NONE, r->largest[i].origin ? r->largest[i].origin : "-");
    }
    jw_output_text(&cli->out, "\n");
    return jw_table_print(&t, cli->out.paint, cli->out.columns, jw_output_sink(&cli->out), err);
}

/* The limit, or the largest default of any driver. 0: unknown. */
static uint64_t limit_of(const struct jw_status_report *r)
{
    if (r->dir.limit_known)
        return r->dir.limit;
    return r->dir.limit_from.value ? 0 : r->documented.since;
}

static const char *limit_words(const struct jw_status_report *r)
{
    return r->dir.limit_known ? "the limit" : "the driver's default limit";
}

/* How to make room for so many bytes. */
static const char *room_for(const struct problems *p, const struct jw_status_report *r, uint64_t bytes)
{
    uint64_t better = jw_cache_limit_for(bytes, r->dir.usual);

    return better ? jw_arena_printf(p->a, "Set CUDA_CACHE_MAXSIZE=%llu", (unsigned long long)better)
                  : "No cache can hold that much: give each framework its own (CUDA_CACHE_PATH)";
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
static bool warn_thrash(struct problems *p, const struct jw_status_report *r)
{
    uint64_t limit = limit_of(r), need = r->primed.need.bytes;

    if (!limit || need <= limit)
        return false;
    warn(p,
         "the primed modules need %s, more than %s (%s): programs that use all of them compile them again at "
         "every start. %s",
         JW_SIZE(need), limit_words(r), LIMIT(limit), room_for(p, r, need > whole(r) ? need : whole(r)));
    return true;
}

static void warn_emptied(struct problems *p, const struct jw_status_report *r)
{
    warn(p,
         "the folder is %s: %s (%s) that jitwarm compiled or verified no longer exist. The next starts "
         "compile "
         "them again. Run jitwarm %s first",
         r->list.found ? "empty" : "gone", JW_N(r->primed.recorded.entries, "entry", "entries"),
         JW_SIZE(r->primed.recorded.bytes), command_of(p, r, "prime"));
}

/* `limit_told`: the problems name the limit already. Returns whether they do now. */
static bool warn_gone(struct problems *p, const struct jw_status_report *r, bool limit_told)
{
    const struct jw_status_sum *gone = &r->primed.gone;
    uint64_t limit = limit_of(r);
    bool tell = !limit_told && limit && whole(r) > limit;

    if (gone->entries)
        warn(p,
             "%s (%s) that jitwarm compiled or verified %s evicted or removed. The next starts compile %s "
             "again. Run jitwarm %s first%s",
             JW_N(gone->entries, "entry", "entries"), JW_SIZE(gone->bytes),
             gone->entries == 1 ? "was" : "were", gone->entries == 1 ? "it" : "them",
             command_of(p, r, "prime"),
             tell ? jw_arena_printf(p->a, ". All entries together exceed %s (%s). %s", limit_words(r),
                                    LIMIT(limit), room_for(p, r, whole(r)))
                  : "");
    return limit_told || (gone->entries && tell);
}

static void warn_changed(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *changed = &r->primed.changed;

    if (changed->entries)
        warn(
            p,
            "%s a different size than jitwarm recorded: another program wrote %s. jitwarm %s checks that the "
            "next start compiles nothing",
            JW_N(changed->entries, "entry has", "entries have"), changed->entries == 1 ? "it" : "them",
            command_of(p, r, "verify"));
}

/* Primed entries that are gone or do not fit. True: a limit was recommended. */
static bool warn_primed(struct problems *p, const struct jw_status_report *r)
{
    bool limit_told;

    if (!r->primed.known)
        return false;
    limit_told = warn_thrash(p, r);
    if (r->primed.emptied)
        warn_emptied(p, r);
    limit_told = warn_gone(p, r, limit_told);
    warn_changed(p, r);
    return limit_told;
}

static bool show_problems(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    struct problems p = { .a = cli->arena };

    jw_page_open(&p.page, cli, 2, err);
    warn_notes(&p, &r->dir.notes);
    warn_index_lost(&p, r);
    warn_trust(&p, r);
    if (!warn_primed(&p, r))
        warn_fill(&p, r);
    warn_outdated(&p, r);
    warn_carried(&p, r);
    warn_damaged(&p, r, false);
    warn_damaged(&p, r, true);
    warn_index(&p, r);
    warn_others(&p, r);
    warn_notes(&p, &r->list.notes);
    warn_notes(&p, &r->drivers.notes);
    warn_notes(&p, &r->memory.notes);
    return !p.page.bad;
}

enum { LABEL = 9 }; /* columns of "Checked  " */

static void show_root(struct jw_page *p, const struct jw_status_report *r)
{
    const char *root = r->dir.root ? r->dir.root : "none";

    if (r->dir.root_from.value)
        jw_page_say(p, TINT_STRONG, "Cache", "%s (from %s)", root, r->dir.root_from.origin);
    else
        jw_page_say(p, TINT_STRONG, "Cache", "%s (the driver's default; CUDA_CACHE_PATH is not set)", root);
}

static void show_disabled(struct jw_page *p, const struct jw_status_report *r)
{
    if (r->dir.disabled)
        jw_page_say(p, TINT_BAD, "Off",
                    "CUDA_CACHE_DISABLE=1: programs do not use the cache, and compile again at every start");
}

static void show_limit(struct jw_page *p, const struct jw_status_report *r)
{
    if (!r->dir.limit_known)
        jw_page_say(
            p, TINT_STRONG, "Limit",
            "unknown: %s, and CUDA_CACHE_MAXSIZE is not set. The default is %s for drivers of CUDA 12 "
            "and newer, %s for older ones and Jetson",
            r->current ? "the driver does not say its version" : "no driver was probed here yet",
            LIMIT(r->documented.since), LIMIT(r->documented.before));
    else if (r->dir.limit_from.value)
        jw_page_say(p, TINT_STRONG, "Limit", "%s (CUDA_CACHE_MAXSIZE=%s)", LIMIT(r->dir.limit),
                    r->dir.limit_from.value);
    else
        jw_page_say(p, TINT_STRONG, "Limit", "%s, the default of driver %s; CUDA_CACHE_MAXSIZE is not set",
                    LIMIT(r->dir.limit), r->current->version);
}

/* "7 %" of a limit */
static struct jw_words percent_of(uint64_t bytes, uint64_t limit)
{
    struct jw_words words = { "less than 1 %" };
    unsigned percent = jw_status_percent(bytes, limit);

    if (percent)
        (void)snprintf(words.text, sizeof words.text, "%u %%", percent);
    return words;
}

/* ": 7 % of the limit", or of both default limits. */
static void add_fill(struct jw_buf *text, const struct jw_status_report *r, uint64_t bytes)
{
    if (r->dir.limit_known)
        jw_say(text, ": %s of the limit", percent_of(bytes, r->dir.limit).text);
    else if (!r->dir.limit_from.value)
        jw_say(text, ": %s of %s, %s of %s", percent_of(bytes, r->documented.since).text,
               LIMIT(r->documented.since), percent_of(bytes, r->documented.before).text,
               LIMIT(r->documented.before));
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

static void show_used(struct jw_page *p, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->list.refused)
        jw_say(&text, "unknown: %s", r->list.refused);
    else if (!r->list.found)
        jw_say(&text, r->primed.emptied ? "nothing: the folder no longer exists"
                                        : "nothing: the folder does not exist; no program has cached code "
                                          "there yet");
    else if (!r->files.entries && !r->recorded.entries)
        jw_say(&text, "nothing: the folder is empty; the next start compiles what it needs");
    else
        say_used(&text, r);
    jw_page_line(p, TINT_STRONG, "Used", &text);
}

/* "41 entries (3.4 MiB) for this driver, 2 of them gone; primed modules need 3.4 MiB: 1 % of the limit" */
static void show_primed(struct jw_page *p, const struct jw_status_report *r)
{
    const struct jw_status_primed *was = &r->primed;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!was->known)
        return;
    jw_say(&text, "%s (%s) for this machine's driver", JW_N(was->recorded.entries, "entry", "entries"),
           JW_SIZE(was->recorded.bytes));
    if (was->emptied)
        jw_say(&text, ", all gone");
    else if (was->gone.entries)
        jw_say(&text, ", %s of them gone", JW_NUM(was->gone.entries));
    else if (was->compared)
        jw_say(&text, was->recorded.entries == 1 ? ", still there" : ", all still there");
    if (was->need.entries) {
        jw_say(&text, "; primed modules need %s", JW_SIZE(was->need.bytes));
        add_fill(&text, r, was->need.bytes);
    }
    if (was->compile_milliseconds >= 1000)
        jw_say(&text, "; saves up to %s of compiling", JW_CLOCK((double)was->compile_milliseconds / 1000));
    jw_page_line(p, TINT_STRONG, "Primed", &text);
}

/* Another process holds the lock of the cache, and has not reported its progress yet. */
static void show_silent(struct jw_page *p, const struct jw_progress_record *running)
{
    jw_page_say(p, TINT_GOOD, "Running", "another jitwarm%s%s%s: it has not compiled anything yet",
                running->who.pid ? JW_PHRASE(" (process %lu)", running->who.pid) : "",
                running->who.since ? ", for " : "", running->who.since ? JW_CLOCK(running->now.seconds) : "");
}

static void show_running(struct jw_page *p, const struct jw_progress_record *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct prime_meter meter = { 0 };

    jw_say(&text, "prime (process %lu), for %s: ", running->who.pid, JW_CLOCK(running->now.seconds));
    prime_meter_feed(&meter, &running->now);
    prime_meter_sentence(&text, &meter, &running->now);
    prime_meter_say_slots(&text, &running->now);
    jw_page_line(p, TINT_GOOD, "Running", &text);
}

static void show_checked(struct jw_page *p, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;
    enum jw_tint tint = r->damaged.entries ? TINT_BAD : TINT_STRONG;

    if (!r->files.entries)
        return;
    if (!v->check)
        jw_page_say(p, tint, "Checked", "headers only (--check reads every byte)");
    else
        jw_page_say(p, tint, "Checked", "every byte of %s: %s damaged",
                    JW_N(r->files.entries - r->unread.entries, "entry", "entries"),
                    r->damaged.entries ? JW_NUM(r->damaged.entries) : "none");
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

static void show_drivers(struct jw_page *p, const struct jw_status_report *r, bool verbose)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t shown = verbose || r->drivers.n <= 2 ? r->drivers.n : 2;

    if (!r->drivers.n)
        jw_say(&text, "none was probed here yet, so jitwarm does not know which entries are outdated");
    for (size_t i = 0; i < shown; i++) {
        const struct jw_driver_state *d = &r->drivers.v[i];

        jw_say(&text, "%s%s", i ? "; earlier: " : "", d->version ? d->version : d->build);
        if (d->stamp)
            jw_say(&text, " (build %s)", jw_stamp_text(d->stamp).text);
        jw_say(&text, ": %s, %s", jw_level_name(d->level), level_words(d->level));
    }
    if (shown < r->drivers.n)
        jw_say(&text, "; and %zu more (--verbose)", r->drivers.n - shown);
    jw_page_line(p, TINT_STRONG, "Driver", &text);
}

static void show_packs_of_store(struct jw_page *p, const struct jw_status_report *r)
{
    const char *dir = r->store.dir;

    if (r->store.refused)
        jw_page_say(p, TINT_WARN, "Store", "%s%s%s", dir ? dir : "", dir ? ": " : "", r->store.refused);
    else if (r->store_packs)
        jw_page_say(p, TINT_STRONG, "Store", "%s (%s), %s", JW_N(r->store_packs, "pack", "packs"),
                    JW_SIZE(r->store.bytes),
                    !r->current         ? "jitwarm list shows for which drivers"
                    : !r->store_current ? "none for this machine's driver"
                                        : JW_PHRASE("%zu for this machine's driver", r->store_current));
}

/* ---- the page ---- */

static void show_status_stats(struct cli *cli, const struct jw_status_report *r)
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
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    show_root(&page, r);
    show_disabled(&page, r);
    show_limit(&page, r);
    if (r->dir.root)
        show_used(&page, r);
    show_primed(&page, r);
    if (r->running)
        (r->running_silent ? show_silent : show_running)(&page, r->running);
    show_checked(&page, v);
    show_drivers(&page, r, cli->common.verbose);
    show_packs_of_store(&page, r);
    if (page.bad || !show_groups(cli, r, err) || !show_largest(cli, r, err) || !show_problems(cli, r, err))
        return false;
    if (v->stats)
        show_status_stats(cli, r);
    jw_page_end(&page, r->current ? r->current->stamp : NULL);
    return !page.bad;
}
