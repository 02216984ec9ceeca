/* Prints the report of an import: the result, the pack and its signature, skipped entries, the verification. */
#include "pack/import/command/import_view.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/status/status.h"
#include "machine/whoami.h"
#include "pack/kit/kit.h"
#include "prime/command/prime_view.h"

#include <ctype.h>
#include <string.h>

/* Why one entry, or several, of this state are not in the cache. */
static const char *const reasons[JW_IMPORT_STATES][2] = {
    [JW_IMPORT_FOREIGN] = { "belongs to software that was not found here",
                            "belong to software that was not found here" },
    [JW_IMPORT_NO_ROOM] = { "does not fit under the cache's limit", "do not fit under the cache's limit" },
    [JW_IMPORT_UNPROVEN] = { "cannot be compiled again here, so only a trusted key can vouch for it",
                             "cannot be compiled again here, so only a trusted key can vouch for them" },
    [JW_IMPORT_REJECTED] = { "could not be written", "could not be written" },
};

static void say_why(struct jw_buf *out, const char *before, const struct jw_import_report *r,
                    const char *otherwise)
{
    jw_say(out, "%s: %s", before, r->run->why ? r->run->why : otherwise);
}

static uint64_t in_cache(const struct jw_import_report *r)
{
    return r->counts[JW_IMPORT_IMPORTED] + r->counts[JW_IMPORT_PRESENT];
}

static void say_before(struct jw_buf *out, const struct jw_import_report *r)
{
    if (r->counts[JW_IMPORT_PRESENT])
        jw_say(out, "; %s already there", JW_N(r->counts[JW_IMPORT_PRESENT], "more was", "more were"));
}

static void say_done(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t placed = 0;

    for (size_t i = 0; i < r->n_kit; i++)
        placed += r->kit[i].placed;
    if (placed && !r->n_entries) {
        jw_say(out, "Placed %s in other caches, in %s", JW_N(placed, "file", "files"),
               JW_TOOK((double)r->run->milliseconds / 1000));
        return;
    }
    jw_say(out, "Imported %s (%s), in %s", JW_N(r->counts[JW_IMPORT_IMPORTED], "entry", "entries"),
           JW_SIZE(r->bytes[JW_IMPORT_IMPORTED]), JW_TOOK((double)r->run->milliseconds / 1000));
    say_before(out, r);
}

static void say_present(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    if (n == 1)
        jw_say(out, "the only entry for this machine is already in the cache");
    else
        jw_say(out, "all %s for this machine are already in the cache", JW_N(n, "entry", "entries"));
}

static void say_nothing_to_do(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_say(out, "Nothing to do: ");
    if (!r->n_entries)
        jw_say(out, r->n_kit ? "all its files are in their places already" : "it has no entries");
    else
        say_present(out, r);
}

/* "12 of 143 entries are in the cache" */
static void say_state(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_say(out, "%s of %s %s in the cache", JW_NUM(in_cache(r)), JW_N(r->n_entries, "entry", "entries"),
           in_cache(r) == 1 ? "is" : "are");
}

static void say_partly(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!in_cache(r) && r->counts[JW_IMPORT_FOREIGN] == r->n_entries) {
        jw_say(out, "Nothing was imported: %s %s", r->n_entries == 1 ? "the only entry" : "all entries",
               reasons[JW_IMPORT_FOREIGN][r->n_entries != 1]);
    } else if (in_cache(r) + r->counts[JW_IMPORT_FOREIGN] == r->n_entries && !r->records) {
        size_t first = out->n;

        if (r->counts[JW_IMPORT_IMPORTED] || !r->n_entries)
            say_done(out, r);
        else
            say_present(out, r);
        if (out->n > first)
            out->p[first] = (uint8_t)toupper(out->p[first]);
        if (r->next_start.why && r->n_entries)
            jw_say(out, ", but %s", r->next_start.why);
    } else {
        jw_say(out, "Not all: ");
        say_state(out, r);
    }
}

static void say_stopped(struct jw_buf *out, const struct jw_import_report *r)
{
    bool some = r->counts[JW_IMPORT_IMPORTED] > 0;

    say_why(out, some ? "Stopped" : "Nothing was imported", r, "the cache cannot be written");
    if (some) {
        jw_say(out, "; ");
        say_state(out, r);
    }
}

static void say_interrupted(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!r->counts[JW_IMPORT_IMPORTED]) {
        jw_say(out, "Interrupted: nothing was imported");
        return;
    }
    jw_say(out, "Interrupted: ");
    say_state(out, r);
    jw_say(out, "; the same command continues");
}

static void say_dry_run(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_say(out, "%s (%s) would be imported", JW_N(r->counts[JW_IMPORT_NEW], "entry", "entries"),
           JW_SIZE(r->bytes[JW_IMPORT_NEW]));
    say_before(out, r);
}

static void say_head(struct jw_buf *out, const struct jw_import_report *r)
{
    switch (r->run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
        if (r->dry_run && r->counts[JW_IMPORT_NEW])
            say_dry_run(out, r);
        else if (r->run->end == JW_END_DONE)
            say_done(out, r);
        else if (r->run->end == JW_END_NOTHING)
            say_nothing_to_do(out, r);
        else
            say_partly(out, r);
        break;
    case JW_END_NO_GPU: say_why(out, "Nothing was imported", r, "there is no usable GPU"); break;
    case JW_END_CANNOT_WRITE: say_stopped(out, r); break;
    case JW_END_UNFIT: say_why(out, "Does not fit this machine", r, "its driver is not supported"); break;
    case JW_END_REFUSED: say_why(out, "Refused, nothing was changed", r, ""); break;
    case JW_END_CONSENT: say_why(out, "Nothing was imported yet", r, "confirm with --yes"); break;
    case JW_END_BUSY: say_why(out, "Nothing was done", r, "another run is at work"); break;
    case JW_END_STOPPED: say_why(out, "Nothing was done", r, "the current settings prevent it"); break;
    case JW_END_INTERRUPTED: say_interrupted(out, r); break;
    default: break;
    }
}

enum { LABEL = 10, MAX_ENTRIES = 12, MAX_NAMES = 3, MAX_MISSES = 4 };

struct showing {
    struct jw_page page;
    const struct jw_import_report *r;
    struct jw_arena *arena;
    bool verbose, stats;
};

/* ---- the pack ---- */

static void show_pack_read(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    const struct jw_pack_manifest *m = r->manifest;

    if (m)
        jw_page_say(&t->page, TINT_NONE, "Pack", "%s, %s: %s for driver %s (built %s), sm_%u", r->pack,
                    JW_SIZE(r->pack_bytes), JW_N(m->n_entries, "entry", "entries"),
                    m->driver ? m->driver : "of unknown version", jw_stamp_text(m->stamp).text, m->sm);
}

static void show_signature(struct showing *t)
{
    const struct jw_import_signature *s = &t->r->signature;
    const char *key = s->key ? s->key : "unknown";
    bool has_comment = s->comment && *s->comment;

    if (!s->state || !t->r->manifest)
        return;
    if (strcmp(s->state, "unsigned") == 0)
        jw_page_say(&t->page, TINT_WARN, "Signed", "no: nothing shows who made the pack");
    else if (strcmp(s->state, "trusted") != 0)
        jw_page_say(&t->page, TINT_WARN, "Signed", "by key %s, which is not trusted here", key);
    else
        jw_page_say(&t->page, TINT_NONE, "Signed", "by key %s (%s)%s%s", key, s->from ? s->from : "",
                    has_comment ? ": " : "", has_comment ? s->comment : "");
}

/* ---- entries ---- */

static enum jw_tint tint_of_state(enum jw_import_state s)
{
    return s == JW_IMPORT_IMPORTED                        ? TINT_GOOD
           : s == JW_IMPORT_NEW || s == JW_IMPORT_PRESENT ? TINT_NONE
                                                          : TINT_WARN;
}

static void show_entries(struct showing *t)
{
    static const struct jw_column columns[] = {
        { "STATE", COLUMN_LEFT }, { "SIZE", COLUMN_RIGHT }, { "ENTRY", COLUMN_LEFT }, { "OF", COLUMN_TEXT }
    };
    size_t max = t->verbose ? SIZE_MAX : t->r->dry_run ? MAX_ENTRIES : 0;
    size_t n = t->r->n_entries < max ? t->r->n_entries : max;
    struct jw_table table;

    if (!n)
        return;
    jw_page_put(&t->page, "\n");
    jw_table_begin(&table, t->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < n; i++) {
        const struct jw_import_entry *e = &t->r->entries[i];

        jw_table_cell(&table, tint_of_state(e->state), jw_import_state_name(e->state));
        jw_table_cell_bytes(&table, e->bytes);
        jw_table_cell(&table, TINT_NONE, jw_cache_name(e->of->name).text);
        jw_table_cell(&table, TINT_NONE, e->origin ? e->origin : "unknown");
    }
    jw_page_table(&t->page, &table);
    if (n < t->r->n_entries)
        jw_page_say(&t->page, TINT_NONE, NULL, "and %s (--verbose lists all)",
                    JW_N(t->r->n_entries - n, "more entry", "more entries"));
    jw_page_put(&t->page, "\n");
}

/* For each origin: has it entries in this state? The last element is for unknown software. */
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
        if (n == MAX_NAMES) {
            more++;
            continue;
        }
        jw_say(out, "%s%s", n++ ? ", " : "", k < m->n_origins ? m->origins[k].name : "unknown software");
    }
    if (more)
        jw_say(out, " and %zu more", more);
}

static const char *first_why(const struct jw_import_report *r, enum jw_import_state s)
{
    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state == s && r->entries[i].why)
            return r->entries[i].why;
    return NULL;
}

static void show_skipped(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    bool first = true;

    for (enum jw_import_state s = JW_IMPORT_FOREIGN; s <= JW_IMPORT_REJECTED; s++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        uint64_t n = r->counts[s];
        const char *why = first_why(r, s);

        if (!n)
            continue;
        jw_say(&text, "%s (%s) %s: %s", JW_N(n, "entry", "entries"), JW_SIZE(r->bytes[s]), reasons[s][n != 1],
               why ? why : "");
        if (!why)
            say_origins(&text, t, s);
        if (s == JW_IMPORT_FOREIGN)
            jw_say(&text, " (--everything imports %s, too)", n == 1 ? "it" : "them");
        jw_page_line(&t->page, TINT_WARN, first ? "Skipped" : "", &text);
        first = false;
    }
}

/* ---- the cache, the store ---- */

static void show_cache_use(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t now = r->cache.used + r->bytes[JW_IMPORT_IMPORTED] + (r->dry_run ? r->bytes[JW_IMPORT_NEW] : 0);

    if (!r->cache.root || !r->n_entries)
        return;
    jw_say(&text, "%s: %s", r->cache.root, r->dry_run ? "would hold " : "");
    prime_say_bytes_of(&text, now, r->cache.limit);
    jw_page_line(&t->page, TINT_NONE, "Cache", &text);
}

static void show_stored(struct showing *t)
{
    const struct jw_import_report *r = t->r;

    if (r->stored)
        jw_page_say(&t->page, TINT_NONE, "Store", "%s: %s%s",
                    r->stored_before ? "has the pack already" : "keeps the pack", jw_path_base(r->stored),
                    r->run->end == JW_END_UNFIT    ? "; prime imports it when this machine matches"
                    : r->run->end == JW_END_NO_GPU ? "; prime imports it when the driver and a GPU are here"
                                                   : "");
}

static void say_placed(struct jw_buf *out, const struct jw_import_report *r, const struct jw_kit_sum *s)
{
    uint64_t rest = s->files - s->present - s->kept;

    jw_say(out, "%s: %s (%s) in %s: ", s->name, JW_N(s->files, "file", "files"), JW_SIZE(s->bytes), s->root);
    jw_say(out, "%s %s, %s there already", JW_NUM(r->dry_run ? rest : s->placed),
           r->dry_run ? "would be placed" : "placed", JW_NUM(s->present));
    if (s->kept)
        jw_say(out, ", %s with other content there, which stays (--yes replaces it)", JW_NUM(s->kept));
}

/* "2 files of machine code, 1 file that Python runs" */
static const char *say_programs(const struct jw_kit_sum *s, struct jw_arena *a)
{
    const char *programs = jw_arena_printf(a, "%s of machine code", JW_N(s->programs, "file", "files")),
               *python = jw_arena_printf(a, "%s that Python runs", JW_N(s->python, "file", "files"));

    return !s->python ? programs : !s->programs ? python : jw_arena_printf(a, "%s, %s", programs, python);
}

/* Who will execute what: every program of this user that uses such a cache. */
static void show_kit(struct showing *t)
{
    const struct jw_import_report *r = t->r;
    const struct jw_whoami *me = r->n_kit ? jw_session_user(r->run->session) : NULL;

    for (size_t i = 0; i < r->n_kit; i++) {
        const struct jw_kit_sum *s = &r->kit[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (s->left)
            jw_say(&text, "%s: %s skipped: %s", s->name, JW_N(s->files, "file", "files"), s->left);
        else if (s->root)
            say_placed(&text, r, s);
        else
            jw_say(&text, "%s: %s skipped: jitwarm does not know its folder", s->name,
                   JW_N(s->files, "file", "files"));
        jw_page_line(&t->page, s->root && !s->kept && !s->left ? TINT_NONE : TINT_WARN, i ? "" : "Others",
                     &text);
        if (s->root && !s->left && s->programs + s->python)
            jw_page_say(&t->page, TINT_NONE, "", "with %s, which %s executes in programs that use %s",
                        say_programs(s, t->arena), me->user ? me->user : "this user", s->name);
    }
}

static void show_audit(struct showing *t)
{
    const struct jw_import_report *r = t->r;

    if (r->drawn && r->run->end != JW_END_REFUSED)
        jw_page_say(&t->page, r->audited ? TINT_NONE : TINT_WARN, "Audit", "%s%s%s",
                    r->audited ? JW_N(r->audited, "entry", "entries")
                               : "no entry could be compiled again here in time",
                    r->audited ? " compiled again here with an identical result" : "",
                    r->audited < r->counts[JW_IMPORT_IMPORTED] ? "; the others were not compared" : "");
}

static void show_misses(struct showing *t)
{
    const struct jw_verify_report *v = &t->r->verify;
    size_t max = t->verbose ? SIZE_MAX : MAX_MISSES, n = v->n_misses < max ? v->n_misses : max;

    for (size_t i = 0; i < n; i++)
        jw_page_say(&t->page, TINT_BAD, i ? "" : "Missing", "%s%s%sentry %s: %s",
                    v->misses[i].pass ? "in " : "",
                    v->misses[i].pass ? v->passes[v->misses[i].pass].where : "", v->misses[i].pass ? " " : "",
                    jw_cache_name(t->r->loaded[v->misses[i].job]).text, v->misses[i].cause);
}

static void show_verified(struct showing *t)
{
    const struct jw_verify_report *proof = &t->r->verify;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool proven = proof->done && prime_say_proof(&text, proof, t->r->to_verify);

    if (proof->done)
        jw_page_sentence(&t->page, proven ? TINT_GOOD : TINT_BAD, &text);
    else if (proof->why)
        jw_page_say(&t->page, TINT_WARN, NULL, "not verified: %s", proof->why);
    else if (t->r->counts[JW_IMPORT_IMPORTED])
        jw_page_say(&t->page, TINT_WARN, NULL, "not verified; run jitwarm verify");
}

static enum jw_tint tint_of_head(const struct jw_import_report *r)
{
    switch (r->run->end) {
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
    jw_page_head(&t.page, tint_of_head(r), &head);
    show_entries(&t);
    show_pack_read(&t);
    show_signature(&t);
    show_kit(&t);
    show_skipped(&t);
    show_audit(&t);
    show_misses(&t);
    show_cache_use(&t);
    show_stored(&t);
    jw_page_rows(&t.page, TINT_FAINT, jw_run_notes, r->run);
    jw_page_advice(&t.page, r->run->advice.v, r->run->advice.n);
    if (t.stats)
        jw_page_say(&t.page, TINT_FAINT, "Stats", "%s of pack, %llu ms", JW_SIZE(r->pack_bytes),
                    (unsigned long long)r->run->milliseconds);
    show_verified(&t);
    jw_page_end(&t.page, r->driver.stamp);
    return !t.page.bad;
}

/* ---- several packs ---- */

static void say_set_head(struct jw_buf *out, const struct jw_import_set *s)
{
    size_t done = 0;

    for (size_t i = 0; i < s->n; i++)
        done += s->packs[i].run->end == JW_END_DONE || s->packs[i].run->end == JW_END_NOTHING;
    if (!s->n)
        jw_say(out, "Nothing was imported: none of %s is for this machine",
               JW_N(s->n_skipped, "pack", "packs"));
    else if (done == s->n)
        jw_say(out, "%s of %s %s this machine, and %s in the cache", JW_NUM(s->n),
               JW_N(s->n + s->n_skipped, "pack", "packs"), s->n == 1 ? "fits" : "fit",
               s->n == 1 ? "is" : "are");
    else
        jw_say(out, "%s of %s %s this machine; %s in the cache", JW_NUM(s->n),
               JW_N(s->n + s->n_skipped, "pack", "packs"), s->n == 1 ? "fits" : "fit",
               done ? JW_N(done, "is completely", "are completely") : "none is completely");
}

bool import_set_text(struct cli *cli, const struct jw_import_set *s, struct jw_err *err)
{
    struct jw_page page;
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    jw_page_open(&page, cli, LABEL, err);
    say_set_head(&head, s);
    jw_page_head(&page, s->end == JW_END_DONE || s->end == JW_END_NOTHING ? TINT_STRONG : TINT_WARN, &head);
    jw_page_rows(&page, TINT_NONE, import_set_form.rows, s);
    for (size_t i = 0; !page.bad && i < s->n; i++) {
        jw_page_put(&page, "\n");
        if (page.bad || !import_write_text(cli, &s->packs[i], err))
            return false;
    }
    return !page.bad;
}
