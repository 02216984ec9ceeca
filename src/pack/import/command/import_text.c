#include "pack/import/command/import_view.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "prime/command/prime_view.h"

#include <string.h>

/* ---- words ---- */

/* "12 entries (3.4 MiB)" */
static void say_entries(struct jw_buf *out, uint64_t n, uint64_t bytes)
{
    prime_say_count(out, n, "entry", "entries");
    jw_buf_text(out, " (");
    jw_text_bytes(out, bytes);
    jw_buf_text(out, ")");
}

/* "driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86" */
static void say_for(struct jw_buf *out, const struct jw_pack_manifest *m)
{
    jw_buf_printf(out, "%sdriver %s (built %s), sm_%u", m->simulated ? "simulated " : "",
                  m->driver ? m->driver : "of unknown version", jw_stamp_text(m->stamp).text, m->sm);
}

/* Why an entry of this state is not in the cache, of `n` of them; "" when it is. */
static const char *why_out(enum jw_import_state s, uint64_t n)
{
    switch (s) {
    case JW_IMPORT_FOREIGN:
        return n == 1 ? "is of software that was not found here" : "are of software that was not found here";
    case JW_IMPORT_BEYOND:
        return n == 1 ? "is of software that the key is not trusted for"
                      : "are of software that the key is not trusted for";
    case JW_IMPORT_UNPROVEN:
        return n == 1 ? "was not made by this driver (carried over or forged)"
                      : "were not made by this driver (carried over or forged)";
    case JW_IMPORT_NO_ROOM:
        return n == 1 ? "has no room under the cache's limit" : "have no room under the cache's limit";
    case JW_IMPORT_REJECTED: return n == 1 ? "could not be placed" : "could not be placed";
    default: return "";
    }
}

static void say_why(struct jw_buf *out, const char *before, const struct jw_import_report *r,
                    const char *otherwise)
{
    jw_buf_printf(out, "%s: ", before);
    jw_text_clean(out, r->why ? r->why : otherwise);
}

static uint64_t here(const struct jw_import_report *r)
{
    return r->counts[JW_IMPORT_IMPORTED] + r->counts[JW_IMPORT_PRESENT];
}

static void say_before(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    if (!n)
        return;
    jw_buf_text(out, "; ");
    jw_text_count(out, n);
    jw_buf_text(out, n == 1 ? " more was there already" : " more were there already");
}

static void say_done(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_buf_text(out, "Imported ");
    say_entries(out, r->counts[JW_IMPORT_IMPORTED], r->bytes[JW_IMPORT_IMPORTED]);
    jw_buf_text(out, ", in ");
    jw_text_clock(out, (double)r->milliseconds / 1000);
    say_before(out, r);
}

static void say_nothing_to_do(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    jw_buf_text(out, "Nothing to do: ");
    if (n == 1)
        jw_buf_text(out, "the one entry for this machine is");
    else {
        jw_buf_text(out, "all ");
        prime_say_count(out, n, "entry", "entries");
        jw_buf_text(out, " for this machine are");
    }
    jw_buf_text(out, " in the cache already");
}

/* "12 of 143 entries are in the cache" */
static void say_state(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_text_count(out, here(r));
    jw_buf_text(out, " of ");
    prime_say_count(out, r->n_entries, "entry", "entries");
    jw_buf_text(out, here(r) == 1 ? " is in the cache" : " are in the cache");
}

static void say_partly(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!here(r) && r->counts[JW_IMPORT_FOREIGN] == r->n_entries) {
        jw_buf_text(out, "Nothing was imported: ");
        jw_buf_text(out, r->n_entries == 1 ? "the one entry " : "all entries ");
        jw_buf_text(out, why_out(JW_IMPORT_FOREIGN, r->n_entries));
        return;
    }
    if (here(r) + r->counts[JW_IMPORT_FOREIGN] == r->n_entries && !r->records) {
        say_done(out, r);
        jw_buf_text(out, ", but not all could be verified");
        return;
    }
    jw_buf_text(out, "Not all: ");
    say_state(out, r);
}

static void say_stopped(struct jw_buf *out, const struct jw_import_report *r)
{
    bool some = r->counts[JW_IMPORT_IMPORTED] > 0;

    say_why(out, some ? "Stopped" : "Nothing was imported", r, "the cache cannot be written");
    if (some) {
        jw_buf_text(out, "; ");
        say_state(out, r);
    }
}

static void say_interrupted(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_buf_text(out, "Interrupted: ");
    if (!r->counts[JW_IMPORT_IMPORTED]) {
        jw_buf_text(out, "nothing was imported");
        return;
    }
    say_state(out, r);
    jw_buf_text(out, "; the same command goes on from there");
}

static void say_plan(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!r->counts[JW_IMPORT_NEW] && r->end == JW_END_NOTHING) {
        say_nothing_to_do(out, r);
        return;
    }
    say_entries(out, r->counts[JW_IMPORT_NEW], r->bytes[JW_IMPORT_NEW]);
    jw_buf_text(out, " would be imported");
    say_before(out, r);
}

/* The first line: what was done, or why it was not. */
static void say_head(struct jw_buf *out, const struct jw_import_report *r)
{
    switch (r->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
        if (r->dry_run)
            say_plan(out, r);
        else if (r->end == JW_END_DONE)
            say_done(out, r);
        else if (r->end == JW_END_NOTHING)
            say_nothing_to_do(out, r);
        else
            say_partly(out, r);
        break;
    case JW_END_NO_GPU: say_why(out, "Nothing was imported", r, "there is no usable GPU"); break;
    case JW_END_CANNOT_WRITE: say_stopped(out, r); break;
    case JW_END_UNFIT: say_why(out, "Does not fit this machine", r, "its driver is not understood"); break;
    case JW_END_REFUSED: say_why(out, "Refused, and nothing was changed", r, ""); break;
    case JW_END_CONSENT: say_why(out, "Nothing was imported yet", r, "confirm with --yes"); break;
    case JW_END_BUSY: say_why(out, "Nothing was done", r, "another run is at work"); break;
    case JW_END_STOPPED: say_why(out, "Nothing was done", r, "the settings make it useless"); break;
    case JW_END_INTERRUPTED: say_interrupted(out, r); break;
    default: break;
    }
}

/* ======== import_text.c ======== */
/* The page of an import: what was done first, then whose pack it was, what was left out and why, and the proof. */

enum { LABEL = 10, MOST_ENTRIES = 12, MOST_NAMES = 3, MOST_MISSES = 4 };

struct showing {
    struct jw_page page;
    const struct jw_import_report *r;
    struct jw_arena *arena;
    bool verbose, stats;
};

static void line(struct showing *t, enum jw_tint tint, const char *label, struct jw_buf *text)
{
    jw_page_line(&t->page, tint, label, text);
}

/* ---- the pack ---- */

static void show_pack(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->manifest)
        return;
    jw_text_clean(&text, r->pack);
    jw_buf_text(&text, ", ");
    jw_text_bytes(&text, r->pack_bytes);
    jw_buf_text(&text, ": ");
    prime_say_count(&text, r->manifest->n_entries, "entry", "entries");
    jw_buf_text(&text, " for ");
    say_for(&text, r->manifest);
    line(t, TINT_NONE, "Pack", &text);
}

static void show_signature(struct showing *t)
{
    const struct jw_import_signature *s = &t->r->signature;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!s->state || !t->r->manifest)
        return;
    if (strcmp(s->state, "trusted") != 0) {
        if (strcmp(s->state, "unsigned") == 0)
            jw_buf_text(&text, "no; nobody vouches for what is in it");
        else
            jw_buf_printf(&text, "by key %s, which is not trusted here", s->key ? s->key : "unknown");
        line(t, TINT_WARN, "Signed", &text);
        return;
    }
    jw_buf_printf(&text, "by key %s (", s->key ? s->key : "unknown");
    jw_text_clean(&text, s->from ? s->from : "");
    jw_buf_text(&text, ")");
    if (s->comment && *s->comment) {
        jw_buf_text(&text, ": ");
        jw_text_clean(&text, s->comment);
    }
    line(t, TINT_NONE, "Signed", &text);
}

/* ---- entries ---- */

static enum jw_tint tint_of(enum jw_import_state s)
{
    return s == JW_IMPORT_IMPORTED                        ? TINT_GOOD
           : s == JW_IMPORT_NEW || s == JW_IMPORT_PRESENT ? TINT_NONE
                                                          : TINT_WARN;
}

static void put_entry(struct jw_table *table, const struct jw_import_entry *e)
{
    struct jw_buf size = JW_BUF(64);

    jw_text_bytes(&size, e->bytes);
    jw_table_cell(table, tint_of(e->state), jw_import_state_name(e->state));
    jw_table_cell(table, TINT_NONE, jw_buf_cstr(&size));
    jw_table_cell(table, TINT_NONE, jw_cache_name(e->of->name).text);
    jw_table_cell(table, TINT_NONE, e->origin ? e->origin : "unknown");
    jw_buf_free(&size);
}

/* A dry run is asked for what would become of each. */
static void show_entries(struct showing *t)
{
    static const struct jw_column columns[] = {
        { "STATE", COLUMN_LEFT }, { "SIZE", COLUMN_RIGHT }, { "ENTRY", COLUMN_LEFT }, { "OF", COLUMN_TEXT }
    };
    size_t most = t->verbose ? SIZE_MAX : t->r->dry_run ? MOST_ENTRIES : 0;
    size_t n = t->r->n_entries < most ? t->r->n_entries : most;
    struct jw_table table;
    struct jw_buf more = JW_BUF(JW_MAX_LINE);

    if (!n)
        return;
    jw_page_put(&t->page, "\n");
    jw_table_begin(&table, t->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < n; i++)
        put_entry(&table, &t->r->entries[i]);
    jw_page_table(&t->page, &table);
    if (n < t->r->n_entries) {
        jw_buf_text(&more, "and ");
        prime_say_count(&more, t->r->n_entries - n, "more entry", "more entries");
        jw_buf_text(&more, " (--verbose lists all)");
    }
    jw_page_sentence(&t->page, TINT_NONE, &more);
    jw_page_put(&t->page, "\n");
}

/* Which origins have entries in this state; behind them, whether there are such of unknown software. */
static bool *origins_of(const struct showing *t, enum jw_import_state s)
{
    const struct jw_import_report *r = t->r;
    bool *any = jw_arena_alloc(t->arena, r->manifest->n_origins + 1);

    for (size_t i = 0; i < r->n_entries; i++) {
        uint32_t origin = r->entries[i].of->origin;

        if (r->entries[i].state == s)
            any[origin == JW_PACK_NO_ORIGIN ? r->manifest->n_origins : origin] = true;
    }
    return any;
}

/* "libfoo.so, torch and 3 more", of the entries in this state. */
static void say_origins(struct jw_buf *out, const struct showing *t, enum jw_import_state s)
{
    const struct jw_pack_manifest *m = t->r->manifest;
    const bool *any = origins_of(t, s);
    size_t n = 0, more = 0;

    for (size_t k = 0; any && k <= m->n_origins; k++) {
        if (!any[k])
            continue;
        if (n == MOST_NAMES) {
            more++;
            continue;
        }
        jw_buf_text(out, n++ ? ", " : "");
        jw_text_clean(out, k < m->n_origins ? m->origins[k].name : "unknown software");
    }
    if (more)
        jw_buf_printf(out, " and %zu more", more);
}

static const char *first_why(const struct jw_import_report *r, enum jw_import_state s)
{
    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state == s && r->entries[i].why)
            return r->entries[i].why;
    return NULL;
}

static void show_left_out(struct showing *t)
{
    static const enum jw_import_state out[] = { JW_IMPORT_FOREIGN, JW_IMPORT_BEYOND, JW_IMPORT_UNPROVEN,
                                                JW_IMPORT_NO_ROOM, JW_IMPORT_REJECTED };
    const struct jw_import_report *r = t->r;
    bool first = true;

    for (size_t i = 0; i < JW_COUNT(out); i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        uint64_t n = r->counts[out[i]];
        const char *why = first_why(r, out[i]);

        if (!n)
            continue;
        prime_say_count(&text, n, "entry", "entries");
        jw_buf_text(&text, " (");
        jw_text_bytes(&text, r->bytes[out[i]]);
        jw_buf_printf(&text, ") %s: ", why_out(out[i], n));
        if (why)
            jw_text_clean(&text, why);
        else
            say_origins(&text, t, out[i]);
        if (out[i] == JW_IMPORT_FOREIGN && !r->signature.scoped)
            jw_buf_printf(&text, " (--foreign imports %s, too)", n == 1 ? "it" : "them");
        line(t, TINT_WARN, first ? "Left out" : "", &text);
        first = false;
    }
}

/* ---- the cache, the store ---- */

static void show_cache(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t now = r->prime.used + r->bytes[JW_IMPORT_IMPORTED] + (r->dry_run ? r->bytes[JW_IMPORT_NEW] : 0);

    if (!r->prime.root || !r->n_entries)
        return;
    jw_text_clean(&text, r->prime.root);
    jw_buf_text(&text, r->dry_run ? ": would hold " : ": ");
    prime_say_bytes_of(&text, now, r->prime.limit);
    line(t, TINT_NONE, "Cache", &text);
}

static void show_store(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->stored)
        return;
    jw_buf_text(&text, r->stored_before ? "the pack was there already: " : "the pack is kept: ");
    jw_text_clean(&text, jw_path_base(r->stored));
    if (r->end == JW_END_UNFIT)
        jw_buf_text(&text, "; import it again once this machine is like that");
    else if (r->end == JW_END_NO_GPU)
        jw_buf_text(&text, "; import it again once the driver and a GPU are here");
    line(t, TINT_NONE, "Store", &text);
}

/* ---- the rest ---- */

static void show_audit(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    const struct jw_import_report *r = t->r;
    uint64_t imported = r->counts[JW_IMPORT_IMPORTED];

    if (!r->drawn || r->end == JW_END_REFUSED)
        return;
    if (!r->audited)
        jw_buf_text(&text, "no entry could be compiled again here in time");
    else {
        prime_say_count(&text, r->audited, "entry", "entries");
        jw_buf_text(&text, " compiled again here, and the same to the byte");
    }
    if (r->audited < imported)
        jw_buf_text(&text, "; the code of the others is believed");
    line(t, r->audited ? TINT_NONE : TINT_WARN, "Audit", &text);
}

static void show_notes(struct showing *t)
{
    for (size_t i = 0; i < t->r->prime.n_notes; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, t->r->prime.notes[i]);
        line(t, TINT_NONE, i ? "" : "Note", &text);
    }
}

/* Commands are copied: they stay whole. */
static void show_advice(struct showing *t)
{
    for (size_t i = 0; i < t->r->prime.n_advice; i++)
        jw_page_whole(&t->page, TINT_STRONG, i ? "" : "To do", t->r->prime.advice[i]);
}

static void show_misses(struct showing *t)
{
    const struct jw_verify_report *v = &t->r->prime.verify;
    size_t most = t->verbose ? SIZE_MAX : MOST_MISSES, n = v->n_misses < most ? v->n_misses : most;

    for (size_t i = 0; i < n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&text, "entry %s: ", jw_cache_name(t->r->prime.jobs[v->misses[i].job].name).text);
        jw_text_clean(&text, v->misses[i].cause);
        line(t, TINT_BAD, i ? "" : "Missing", &text);
    }
}

static void show_stats(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!t->stats)
        return;
    jw_text_bytes(&text, t->r->pack_bytes);
    jw_buf_printf(&text, " of pack, %llu ms", (unsigned long long)t->r->milliseconds);
    line(t, TINT_FAINT, "Stats", &text);
}

static void show_verdict(struct showing *t)
{
    struct prime_view v = { .verb = PRIME_PRIME, .report = &t->r->prime };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->r->prime.verify.why) {
        jw_buf_text(&text, "not verified: ");
        jw_text_clean(&text, t->r->prime.verify.why);
    } else if (!t->r->prime.verify.done && t->r->counts[JW_IMPORT_IMPORTED])
        jw_buf_text(&text, "not verified; jitwarm verify does it");
    if (!t->r->prime.verify.done) {
        jw_page_sentence(&t->page, TINT_WARN, &text);
        return;
    }
    bool proven = prime_say_verdict(&text, &v);

    jw_page_sentence(&t->page, proven ? TINT_GOOD : TINT_BAD, &text);
}

static enum jw_tint tint_of_head(const struct jw_import_report *r)
{
    switch (r->end) {
    case JW_END_DONE:
    case JW_END_NOTHING: return TINT_STRONG;
    case JW_END_PARTLY:
    case JW_END_CONSENT:
    case JW_END_BUSY:
    case JW_END_INTERRUPTED: return TINT_WARN;
    default: return TINT_BAD;
    }
}

bool import_write_text(struct cli *cli, const struct jw_import_report *r, struct jw_err *err)
{
    struct showing t = {
        .r = r, .arena = cli->arena, .verbose = cli->common.verbose, .stats = cli->common.stats
    };
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    jw_page_open(&t.page, cli, LABEL, err);
    say_head(&head, r);
    jw_page_sentence(&t.page, tint_of_head(r), &head);
    show_entries(&t);
    show_pack(&t);
    show_signature(&t);
    show_left_out(&t);
    show_audit(&t);
    show_misses(&t);
    show_cache(&t);
    show_store(&t);
    show_notes(&t);
    show_advice(&t);
    show_stats(&t);
    show_verdict(&t);
    jw_page_simulated(&t.page, r->prime.simulated);
    return !t.page.bad;
}
