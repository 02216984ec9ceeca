/* import: entries of a pack into the driver's cache. */
#include "verbs/net.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/status/status.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "machine/whoami.h"
#include "pack/import/import.h"
#include "pack/kit/kit.h"
#include "prime/memory/primed.h"
#include "prime/prime_rows.h"
#include "prime/report/job_words.h"

#include <ctype.h>
#include <string.h>

struct import_args {
    const char *cache;
    struct jw_import_options o;
    struct jw_texts words;
    const char *audit;
};

#define AT(member) offsetof(struct import_args, member)

static const struct opt import_opts[] = {
    { "dry-run", 'n', OPT_FLAG, AT(o.dry_run), NULL,
      "show what would happen to each entry, and change nothing", NULL, HINT_NONE },
    { "everything", 0, OPT_FLAG, AT(o.everything), NULL,
      "also entries of software that is not here (default: only entries whose PTX was found in files here)",
      NULL, HINT_NONE },
    { "audit", 0, OPT_TEXT, AT(audit), "PERCENT",
      "compile this share of the new entries again and compare, chosen at random; refuse the pack if any "
      "result differs (default: 8 entries in at most a minute; none if a trusted key signed the pack)",
      NULL, HINT_NONE },
    { "no-verify", 0, OPT_FLAG, AT(o.no_verify), NULL,
      "do not load a sample of the new entries in fresh processes afterwards", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, AT(o.allow_unsigned), NULL, "accept an unsigned pack", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, AT(o.trust), "KEY",
      "trust this public key (a file, or its text) for this run; may be repeated", NULL, HINT_FILES },
    OPT_CACHE(import_args, cache, "import into this cache"),
    { "wait", 0, OPT_MAYBE_DURATION, AT(o.wait_s), "TIME",
      "if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 at once)",
      NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, AT(o.yes), NULL, "do not ask: import only what fits", NULL, HINT_NONE },
    { "as-root", 0, OPT_FLAG, AT(o.as_root), NULL, "as root: import into root's own cache", NULL, HINT_NONE },
    { 0 },
};

/* ---- the report of one pack: its first line ---- */

#define R struct jw_import_report

/* Why one entry, or several, of this state are not in the cache. */
static const char *const reasons[JW_IMPORT_STATES][2] = {
    [JW_IMPORT_FOREIGN] = { "belongs to software that was not found here",
                            "belong to software that was not found here" },
    [JW_IMPORT_NO_ROOM] = { "does not fit under the cache's limit", "do not fit under the cache's limit" },
    [JW_IMPORT_UNPROVEN] = { "cannot be compiled again here, so only a trusted key can vouch for it",
                             "cannot be compiled again here, so only a trusted key can vouch for them" },
    [JW_IMPORT_REJECTED] = { "could not be written", "could not be written" },
};

static void say_why(struct jw_buf *out, const char *before, const R *r, const char *otherwise)
{
    jw_say(out, "%s: %s", before, r->run->why ? r->run->why : otherwise);
}

static uint64_t in_cache(const R *r)
{
    return r->counts[JW_IMPORT_IMPORTED] + r->counts[JW_IMPORT_PRESENT];
}

static void say_before(struct jw_buf *out, const R *r)
{
    if (r->counts[JW_IMPORT_PRESENT])
        jw_say(out, "; %s already there", JW_N(r->counts[JW_IMPORT_PRESENT], "more was", "more were"));
}

static void say_done(struct jw_buf *out, const R *r)
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

static void say_present(struct jw_buf *out, const R *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    if (n == 1)
        jw_say(out, "the only entry for this machine is already in the cache");
    else
        jw_say(out, "all %s for this machine are already in the cache", JW_N(n, "entry", "entries"));
}

static void say_nothing_to_do(struct jw_buf *out, const R *r)
{
    jw_say(out, "Nothing to do: ");
    if (!r->n_entries)
        jw_say(out, r->n_kit ? "all its files are in their places already" : "it has no entries");
    else
        say_present(out, r);
}

/* "12 of 143 entries are in the cache" */
static void say_state(struct jw_buf *out, const R *r)
{
    jw_say(out, "%s of %s %s in the cache", JW_NUM(in_cache(r)), JW_N(r->n_entries, "entry", "entries"),
           in_cache(r) == 1 ? "is" : "are");
}

static void say_partly(struct jw_buf *out, const R *r)
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

static void say_stopped(struct jw_buf *out, const R *r)
{
    bool some = r->counts[JW_IMPORT_IMPORTED] > 0;

    say_why(out, some ? "Stopped" : "Nothing was imported", r, "the cache cannot be written");
    if (some) {
        jw_say(out, "; ");
        say_state(out, r);
    }
}

static void say_interrupted(struct jw_buf *out, const R *r)
{
    if (!r->counts[JW_IMPORT_IMPORTED]) {
        jw_say(out, "Interrupted: nothing was imported");
        return;
    }
    jw_say(out, "Interrupted: ");
    say_state(out, r);
    jw_say(out, "; the same command continues");
}

static void say_dry_run(struct jw_buf *out, const R *r)
{
    jw_say(out, "%s (%s) would be imported", JW_N(r->counts[JW_IMPORT_NEW], "entry", "entries"),
           JW_SIZE(r->bytes[JW_IMPORT_NEW]));
    say_before(out, r);
}

static void say_head(struct jw_buf *out, const R *r)
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

static enum jw_tint tint_of_head(enum jw_end end)
{
    switch (end) {
    case JW_END_DONE:
    case JW_END_NOTHING: return TINT_STRONG;
    case JW_END_PARTLY:
    case JW_END_CONSENT:
    case JW_END_BUSY:
    case JW_END_INTERRUPTED: return TINT_WARN;
    default: return TINT_BAD;
    }
}

static void show_head(struct jw_page *p, const void *of)
{
    const R *r = of;
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    say_head(&head, r);
    jw_page_head(p, tint_of_head(r->run->end), &head);
}

enum { LABEL = 10, MAX_ENTRIES = 12, MAX_NAMES = 3, MAX_MISSES = 4 };

/* ---- the pack ---- */

static void show_pack_read(struct jw_page *p, const R *r)
{
    const struct jw_pack_manifest *m = r->manifest;

    if (m)
        jw_page_say(p, TINT_NONE, "Pack", "%s, %s: %s for driver %s (built %s), sm_%u", r->pack,
                    JW_SIZE(r->pack_bytes), JW_N(m->n_entries, "entry", "entries"),
                    m->driver ? m->driver : "of unknown version", jw_stamp_text(m->stamp).text, m->sm);
}

static void show_signature(struct jw_page *p, const R *r)
{
    const struct jw_import_signature *s = &r->signature;
    const char *key = s->key ? s->key : "unknown";
    bool has_comment = s->comment && *s->comment;

    if (!s->state || !r->manifest)
        return;
    if (strcmp(s->state, "unsigned") == 0)
        jw_page_say(p, TINT_WARN, "Signed", "no: nothing shows who made the pack");
    else if (strcmp(s->state, "trusted") != 0)
        jw_page_say(p, TINT_WARN, "Signed", "by key %s, which is not trusted here", key);
    else
        jw_page_say(p, TINT_NONE, "Signed", "by key %s (%s)%s%s", key, s->from ? s->from : "",
                    has_comment ? ": " : "", has_comment ? s->comment : "");
}

static void show_pack(struct jw_page *p, const void *of)
{
    show_pack_read(p, of);
    show_signature(p, of);
}

/* ---- entries ---- */

static enum jw_tint tint_of_state(enum jw_import_state s)
{
    return s == JW_IMPORT_IMPORTED                        ? TINT_GOOD
           : s == JW_IMPORT_NEW || s == JW_IMPORT_PRESENT ? TINT_NONE
                                                          : TINT_WARN;
}

static void show_entries(struct jw_page *p, const void *of)
{
    const R *r = of;
    static const struct jw_column columns[] = {
        { "STATE", COLUMN_LEFT }, { "SIZE", COLUMN_RIGHT }, { "ENTRY", COLUMN_LEFT }, { "OF", COLUMN_TEXT }
    };
    size_t max = p->verbose ? SIZE_MAX : r->dry_run ? MAX_ENTRIES : 0;
    size_t n = r->n_entries < max ? r->n_entries : max;
    struct jw_table table;

    if (!n)
        return;
    jw_page_put(p, "\n");
    jw_table_begin(&table, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < n; i++) {
        const struct jw_import_entry *e = &r->entries[i];

        jw_table_cell(&table, tint_of_state(e->state), jw_import_state_names[e->state]);
        jw_table_cell_bytes(&table, e->bytes);
        jw_table_cell(&table, TINT_NONE, jw_cache_name(e->of->name).text);
        jw_table_cell(&table, TINT_NONE, e->origin ? e->origin : "unknown");
    }
    jw_page_table(p, &table);
    jw_page_more(p, NULL, n, r->n_entries, "more entry", "more entries");
    jw_page_put(p, "\n");
}

/* For each origin: has it entries in this state? The last element is for unknown software. */
static bool *origins_of(struct jw_arena *a, const R *r, enum jw_import_state s)
{
    bool *any = jw_arena_alloc(a, r->manifest->n_origins + 1);

    for (size_t i = 0; i < r->n_entries; i++) {
        uint32_t origin = r->entries[i].of->origin;

        if (r->entries[i].state == s)
            any[origin == JW_PACK_NO_ORIGIN ? r->manifest->n_origins : origin] = true;
    }
    return any;
}

/* "libfoo.so, torch and 3 more", of the entries in this state. */
static void say_origins(struct jw_buf *out, struct jw_arena *a, const R *r, enum jw_import_state s)
{
    const struct jw_pack_manifest *m = r->manifest;
    const bool *any = origins_of(a, r, s);
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

static const char *first_why(const R *r, enum jw_import_state s)
{
    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state == s && r->entries[i].why)
            return r->entries[i].why;
    return NULL;
}

static void show_skipped(struct jw_page *p, const void *of)
{
    const R *r = of;
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
            say_origins(&text, p->arena, r, s);
        if (s == JW_IMPORT_FOREIGN)
            jw_say(&text, " (--everything imports %s, too)", n == 1 ? "it" : "them");
        jw_page_line(p, TINT_WARN, first ? "Skipped" : "", &text);
        first = false;
    }
}

/* ---- the cache, the store ---- */

static void show_cache_use(struct jw_page *p, const void *of)
{
    const R *r = of;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t now = r->cache.used + r->bytes[JW_IMPORT_IMPORTED] + (r->dry_run ? r->bytes[JW_IMPORT_NEW] : 0);

    if (!r->cache.folder || !r->n_entries)
        return;
    jw_say(&text, "%s: %s", r->cache.folder, r->dry_run ? "would hold " : "");
    jw_text_bytes_of(&text, now, r->cache.limit.bytes);
    jw_page_line(p, TINT_NONE, "Cache", &text);
}

static void show_stored(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (r->stored)
        jw_page_say(p, TINT_NONE, "Store", "%s: %s%s",
                    r->stored_before ? "has the pack already" : "keeps the pack", jw_path_base(r->stored),
                    r->run->end == JW_END_UNFIT    ? "; prime imports it when this machine matches"
                    : r->run->end == JW_END_NO_GPU ? "; prime imports it when the driver and a GPU are here"
                                                   : "");
}

static void say_placed(struct jw_buf *out, const R *r, const struct jw_kit_sum *s)
{
    uint64_t rest = s->files - s->present - s->kept;

    jw_say(out, "%s: %s (%s) in %s: ", jw_compiler_cache_owner(s->name), JW_N(s->files, "file", "files"),
           JW_SIZE(s->bytes), s->folder);
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

/* Every program of this user that uses such a cache will execute these files. */
static void show_kit(struct jw_page *p, const void *of)
{
    const R *r = of;
    const struct jw_whoami *me = r->n_kit ? jw_session_user(r->run->session) : NULL;

    for (size_t i = 0; i < r->n_kit; i++) {
        const struct jw_kit_sum *s = &r->kit[i];
        const char *owner = jw_compiler_cache_owner(s->name);
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (s->left)
            jw_say(&text, "%s: %s skipped: %s", owner, JW_N(s->files, "file", "files"), s->left);
        else if (s->folder)
            say_placed(&text, r, s);
        else
            jw_say(&text, "%s: %s skipped: jitwarm does not know its folder", owner,
                   JW_N(s->files, "file", "files"));
        jw_page_line(p, s->folder && !s->kept && !s->left ? TINT_NONE : TINT_WARN, i ? "" : "Others", &text);
        if (s->folder && !s->left && s->programs + s->python)
            jw_page_say(p, TINT_NONE, "", "with %s, which %s executes in programs that use %s",
                        say_programs(s, p->arena), me->user ? me->user : "this user", owner);
    }
}

static void show_audit(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (r->drawn && r->run->end != JW_END_REFUSED)
        jw_page_say(p, r->audited ? TINT_NONE : TINT_WARN, "Audit", "%s%s%s",
                    r->audited ? JW_N(r->audited, "entry", "entries")
                               : "no entry could be compiled again here in time",
                    r->audited ? " compiled again here with an identical result" : "",
                    r->audited < r->counts[JW_IMPORT_IMPORTED] ? "; the others were not compared" : "");
}

static void show_misses(struct jw_page *p, const void *of)
{
    const R *r = of;
    const struct jw_verify_report *v = &r->verify;
    size_t max = p->verbose ? SIZE_MAX : MAX_MISSES, n = v->n_misses < max ? v->n_misses : max;

    for (size_t i = 0; i < n; i++)
        jw_page_say(p, TINT_BAD, i ? "" : "Missing", "%s%s%sentry %s: %s", v->misses[i].pass ? "in " : "",
                    v->misses[i].pass ? v->passes[v->misses[i].pass].where : "", v->misses[i].pass ? " " : "",
                    jw_cache_name(r->loaded[v->misses[i].job]).text, v->misses[i].cause);
}

static void show_verified(struct jw_page *p, const void *of)
{
    const R *r = of;
    const struct jw_verify_report *proof = &r->verify;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool proven = proof->done && jw_verify_say(&text, proof, r->to_verify, &(struct jw_prime_starts){ 0 });

    if (proven && r->verify_sampled)
        jw_say(&text, "; this is a sample, the others were not loaded");
    if (proof->done)
        jw_page_sentence(p, proven ? TINT_GOOD : TINT_BAD, &text);
    else if (proof->why)
        jw_page_say(p, TINT_WARN, NULL, "not verified: %s", proof->why);
    else if (r->counts[JW_IMPORT_IMPORTED])
        jw_page_say(p, TINT_WARN, NULL, "not verified%s", r->run->advice.n ? "" : "; run jitwarm verify");
}

static void show_notes(struct jw_page *p, const void *of)
{
    jw_page_rows(p, TINT_FAINT, jw_run_notes, of);
}

/* The last line is the next command. */
static void show_next(struct jw_page *p, const void *of)
{
    const struct jw_notes *advice = &((const R *)of)->run->advice;

    jw_page_advice(p, advice->v, advice->n);
}

/* ---- its rows ---- */

#define M struct jw_pack_manifest
#define E struct jw_import_entry
#define F struct jw_import_factor
#define SUM struct import_sum

struct import_sum {
    uint64_t entries, bytes;
};

static const struct jw_row made_by_rows[] = {
    { JW_ROW("tool", M, tool), JW_NULLABLE, JW_ABOUT("version of jitwarm that made it") },
    { JW_ROW("os", M, os), JW_NULLABLE, JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", M, arch), JW_NULLABLE, JW_ABOUT("of the host") },
    { JW_ROW("driver", M, driver), JW_NULLABLE, JW_ABOUT("version") },
    JW_STAMP(M, stamp),
    { JW_SPELT("gpu", M, sm, &jw_spell_sm), JW_NULLABLE },
    { 0 },
};

static const struct jw_row signature_rows[] = {
    { JW_ROW("state", R, signature.state), JW_NULLABLE, JW_PATTERN("^(unsigned|trusted|unknown|wrong)$"),
      JW_ABOUT("null: it was not looked at") },
    { JW_ROW("key", R, signature.key), JW_NULLABLE, JW_ABOUT("id of the key that it names") },
    { JW_ROW("trusted_comment", R, signature.comment), JW_NULLABLE, JW_ABOUT("only when it is trusted") },
    { JW_ROW("where", R, signature.where), JW_NULLABLE, JW_ABOUT("the file that it is in") },
    { 0 },
};

static const struct jw_row pack_rows[] = {
    { JW_ROW("name", R, pack), JW_NULLABLE, JW_ABOUT("as it was given, or \"standard input\"") },
    { JW_ROW("bytes", R, pack_bytes), JW_ABOUT("of the file") },
    { JW_PART_AT(R, manifest, made_by_rows) },
    { JW_SUB_OF("signature", signature_rows) },
    { 0 },
};

static const struct jw_row factor_rows[] = {
    { JW_ROW("factor", F, name), JW_PATTERN("^(os|arch|stamp|sm)$") },
    { JW_ROW("pack", F, pack) },
    { JW_ROW("here", F, machine) },
    { 0 },
};

static const struct jw_row cache_rows[] = {
    { JW_PART(R, cache, prime_cache_rows) },
    { JW_ROW("free_disk_bytes", R, cache.free_disk) },
    { 0 },
};

static const struct jw_row totals_rows[] = {
    { JW_ROW("entries", R, n_entries), JW_ABOUT("in the pack") },
    { JW_ROW("need_bytes", R, need), JW_ABOUT("of all that is to be imported, whether it fits or not") },
    { JW_ROW("drawn", R, drawn), JW_ABOUT("drawn by chance, to be compiled again") },
    { JW_ROW("audited", R, audited), JW_ABOUT("of them those that were compiled again, and are the same") },
    { 0 },
};

static const struct jw_row sum_rows[] = {
    { JW_ROW("entries", SUM, entries) },
    { JW_ROW("bytes", SUM, bytes), JW_ABOUT("key and payload") },
    { 0 },
};

static void write_counts(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_object(j, row->key);
    for (unsigned s = 0; s < JW_IMPORT_STATES; s++)
        jw_rows_object(j, row->names[s], sum_rows, &(SUM){ r->counts[s], r->bytes[s] });
    jw_json_close(j);
}

static const struct jw_row entry_file_rows[] = {
    { JW_SPELT("digest", struct jw_pack_entry, digest, &jw_spell_digest),
      JW_ABOUT("BLAKE2b-256 of the file") },
    { 0 },
};

static const struct jw_row entry_rows[] = {
    { JW_SPELT_AT("name", E, of, &jw_spell_entry) }, /* its first member */
    { JW_NAMED("state", E, state, jw_import_state_names) },
    { JW_ROW("why", E, why), JW_NULLABLE, JW_ABOUT("of this one") },
    { JW_ROW("bytes", E, bytes), JW_ABOUT("key and payload") },
    { JW_ROW("origin", E, origin), JW_NULLABLE, JW_ABOUT("the software that it is of") },
    { JW_PART_AT(E, of, entry_file_rows) },
    { 0 },
};

static const struct jw_row miss_rows[] = { { .key = "entry", .kind = JW_ROW_TEXT },
                                           { .key = "cause", .kind = JW_ROW_TEXT },
                                           { 0 } };

static void write_misses(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->verify.n_misses; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "entry", jw_cache_name(r->loaded[r->verify.misses[i].job]).text);
        jw_json_text(j, "cause", r->verify.misses[i].cause);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_verified(struct jw_json *j, const struct jw_row *row, const void *of)
{
    jw_json_bool(j, row->key, jw_is_verified(&((const R *)of)->verify));
}

static const struct jw_row verify_rows[] = {
    { JW_ROW("done", R, verify.done) },
    { JW_CUSTOM("verified", JW_ROW_BOOL, write_verified),
      JW_ABOUT("all that was loaded was found, and nothing was compiled") },
    { JW_ROW("why", R, verify.why), JW_NULLABLE, JW_ABOUT("it could not be done") },
    { JW_LIST("passes", R, verify.passes, verify.n_passes, prime_pass_rows) },
    { JW_CUSTOM("misses", JW_ROW_LIST, write_misses), .rows = miss_rows },
    { 0 },
};

#define S struct jw_kit_sum

static const struct jw_row kit_rows[] = {
    { JW_ROW("name", S, name) },
    { JW_ROW("folder", S, folder), JW_NULLABLE, JW_ABOUT("null: jitwarm does not know this cache") },
    { JW_ROW("files", S, files) },
    { JW_ROW("bytes", S, bytes) },
    { JW_ROW("programs", S, programs), JW_ABOUT("of the files, by their names: machine code") },
    { JW_ROW("python", S, python), JW_ABOUT("the same: what Python runs or unpickles") },
    { JW_ROW("left", S, left), JW_NULLABLE, JW_ABOUT("why its files were skipped; null: they were not") },
    { JW_ROW("placed", S, placed) },
    { JW_ROW("present", S, present), JW_ABOUT("were there already, the same") },
    { JW_ROW("kept", S, kept), JW_ABOUT("left as they are: another content has the name") },
    { 0 },
};

static const struct jw_row store_rows[] = {
    { JW_ROW("path", R, stored), JW_NULLABLE, JW_ABOUT("of the pack in the store; null: it is not there") },
    { 0 },
};

static const struct jw_row ending_rows[] = JW_RUN_END(IMPORT_ENDS);

static const struct jw_row rows[] = {
    { JW_PART_AT(R, run, ending_rows) },
    { JW_PART(R, next_start, jw_next_start_rows) },
    { JW_ROW("dry_run", R, dry_run), JW_ABOUT("nothing was changed") },
    { JW_TEXT_ALONE(show_head) },
    { JW_TEXT_ALONE(show_entries) },
    { JW_SUB_OF("pack", pack_rows), JW_SHOW(show_pack),
      JW_ABOUT("fields are null if the pack is not trusted") },
    { JW_ARRAY("differs", R, factors, n_factors, factor_rows),
      JW_ABOUT("in which this machine is not as the pack needs it") },
    { JW_SUB("driver", R, driver, prime_driver_rows), JW_ABOUT("here") },
    { JW_LIST("other_caches", R, kit, n_kit, kit_rows), JW_SHOW(show_kit),
      JW_ABOUT("files for caches of CuPy, Triton and others") },
    { JW_CUSTOM("counts", JW_ROW_MAP, write_counts), JW_NAMES(jw_import_state_names), .rows = sum_rows,
      JW_SHOW(show_skipped), JW_ABOUT("entries by their state") },
    { JW_SUB_OF("totals", totals_rows), JW_SHOW(show_audit) },
    { JW_SUB_OF("verify", verify_rows), JW_SHOW(show_misses) },
    { JW_SUB_OF("cache", cache_rows), JW_SHOW(show_cache_use) },
    { JW_SUB_OF("store", store_rows), JW_SHOW(show_stored) },
    { JW_LIST("entries", R, entries, n_entries, entry_rows), JW_ABOUT("none: they were not checked") },
    { JW_PART_AT(R, run, jw_run_says), JW_SHOW(show_notes) },
    { JW_TEXT_ALONE(show_verified) },
    { JW_LAST_LINE(R, driver.stamp) },
    { JW_TEXT_ALONE(show_next) },
    { 0 },
};

const struct jw_form import_form = { .verb = "import",
                                     .about = "What became, or would become, of the entries of a pack.",
                                     .rows = rows,
                                     .label = LABEL };

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

#define T struct jw_import_set

static void show_set_head(struct jw_page *p, const void *of)
{
    const T *s = of;
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    say_set_head(&head, s);
    jw_page_head(p, s->end == JW_END_DONE || s->end == JW_END_NOTHING ? TINT_STRONG : TINT_WARN, &head);
}

static void show_each(struct jw_page *p, const void *of)
{
    const T *s = of;

    for (size_t i = 0; i < s->n; i++) {
        jw_page_put(p, "\n");
        jw_page_rows(p, TINT_NONE, rows, &s->packs[i]);
    }
}

static void show_set_next(struct jw_page *p, const void *of)
{
    const T *s = of;

    jw_page_advice(p, s->todo, s->n_todo);
}

static const struct jw_row set_rows[] = {
    { JW_ENDING(T, end, IMPORT_ENDS), JW_ABOUT("the worst of all packs; unfit: none is for this machine") },
    { JW_TEXT_ALONE(show_set_head) },
    { JW_TEXTS("skipped", T, skipped, n_skipped), JW_LABEL("Skipped"),
      JW_ABOUT("files of packs for other machines") },
    { JW_LIST("packs", T, packs, n, rows), JW_SHOW(show_each), JW_ABOUT("those that fit this machine") },
    { JW_COMMANDS("todo", T, todo, n_todo), JW_SHOW(show_set_next), JW_ABOUT("what to do next: a command") },
    { 0 },
};

const struct jw_form import_set_form = {
    .verb = "import-set", .about = "What became of several packs.", .rows = set_rows, .label = LABEL
};

/* ---- the run ---- */

/* "5" or "5%" */
static bool read_percent(const char *text, unsigned *out, struct jw_err *err)
{
    char digits[8] = "";
    size_t n = text ? strcspn(text, "%") : 0;
    uint64_t value = 0;

    *out = 0;
    if (!text)
        return true;
    if (n && n < sizeof digits && (!text[n] || !text[n + 1]))
        memcpy(digits, text, n);
    if (!jw_text_u64(digits, &value) || !value || value > 100)
        return jw_fail(err, JW_E_USAGE, "--audit: %.40s is not a percentage from 1 to 100", text);
    *out = (unsigned)value;
    return true;
}

/* The first word is a pack, or a folder of packs; so is each further *.tar.zst. All others are software. */
static bool sort_words(struct cli *cli, const struct import_args *a, struct jw_import_files *packs,
                       struct jw_import_options *o, struct jw_err *err)
{
    o->paths.items = jw_arena_alloc(cli->arena, (a->words.n + 1) * sizeof *o->paths.items);
    for (size_t i = 0; i < a->words.n; i++) {
        const char *word = a->words.items[i];

        if (i && !jw_text_ends(word, ".tar.zst"))
            o->paths.items[o->paths.n++] = word;
        else if (!jw_import_list(word, cli->arena, packs, err))
            return false;
    }
    for (size_t i = 0; packs->n > 1 && i < packs->n; i++)
        if (!jw_is_file(packs->v[i]))
            return jw_fail(err, JW_E_USAGE, "%s: no such file", packs->v[i]);
    return true;
}

static bool read_import_args(struct cli *cli, const struct import_args *a, struct jw_import_files *packs,
                             struct jw_import_options *o, struct jw_err *err)
{
    *o = a->o;
    cli->session.cache = a->cache;
    return read_percent(a->audit, &o->audit, err) && sort_words(cli, a, packs, o, err);
}

/* The line of status: the cache is another one now. After a pack that does not fit, the software that was named is
 * still to be primed, and nothing remembers it. NULL: there is none, or the import has one itself. */
static const char *next_of(struct cli *cli, const struct jw_import_options *o, enum jw_end end, const R *last)
{
    static const enum jw_end whole[] = { JW_END_DONE, JW_END_NOTHING, JW_END_PARTLY, JW_END_UNFIT };
    const struct jw_status_options brief = { .brief = true };
    const struct jw_texts named = end == JW_END_UNFIT ? o->paths : (struct jw_texts){ 0 };
    struct jw_status_report report = { 0 };
    struct jw_primed primed = { 0 };
    struct jw_err ignored;
    bool ended = false;

    for (size_t i = 0; i < JW_COUNT(whole); i++)
        ended |= end == whole[i];
    if (!ended || (last && (last->dry_run || last->run->advice.n)))
        return NULL;
    jw_session_changed(&cli->session);
    bool ok = jw_status(&cli->session, &brief, &report, &ignored)
              && jw_primed_look(&cli->session, &report, named, &primed, &ignored);

    jw_status_free(&report);
    return ok ? primed.next : NULL;
}

static int import_several(struct cli *cli, const struct jw_import_options *o,
                          const struct jw_import_files *packs)
{
    struct jw_run run = jw_cli_run(cli);
    struct jw_import_set set;
    struct jw_err err = { 0 };
    bool ok = jw_import_all(&run, o, packs, &set, &err);

    const char *next = ok ? next_of(cli, o, set.end, set.n ? &set.packs[set.n - 1] : NULL) : NULL;

    set.todo = &next;
    set.n_todo = next != NULL;
    jw_messages_progress_end(&cli->messages);
    return ok && jw_cli_report(cli, &import_set_form, &set, &err) ? jw_cli_exit(set.end)
                                                                  : jw_cli_fail(cli, &err);
}

static int import_one(struct cli *cli, struct jw_import_options *o, const char *file)
{
    struct jw_import_report report = { 0 };
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    o->file = file;
    if (strcmp(o->file, "-") == 0)
        run.ask = NULL; /* standard input is the pack */
    bool ok = jw_import(&run, o, &report, &err);

    const char *next = ok ? next_of(cli, o, run.end, &report) : NULL;

    if (next)
        JW_ADVISE(&run, "%s", next);
    jw_messages_progress_end(&cli->messages);
    return ok && jw_cli_report(cli, &import_form, &report, &err) ? jw_cli_exit(run.end)
                                                                 : jw_cli_fail(cli, &err);
}

static int import_run(struct cli *cli, const void *args)
{
    struct jw_import_files packs = { 0 };
    struct jw_import_options o;
    struct jw_err err = { 0 };

    if (!read_import_args(cli, args, &packs, &o, &err))
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    return packs.n == 1 ? import_one(cli, &o, packs.v[0]) : import_several(cli, &o, &packs);
}

static const struct example import_examples[] = {
    { "jitwarm import llama.tar.zst",
      "the entries of the CUDA software here, from a pack that a trusted key signed" },
    { "jitwarm import llama.tar.zst /opt/llama", "for software in a folder that jitwarm does not search" },
    { "jitwarm import --dry-run llama.tar.zst", "what would happen to each entry" },
    { "jitwarm import /srv/packs", "of all packs in this folder, those for this machine" },
    { "jitwarm import --allow-unsigned --audit 5% mine.tar.zst", "an unsigned pack; compile 5% of it again" },
    { "ssh other jitwarm export -o - | jitwarm import --allow-unsigned -", "from one machine to its twin" },
    { 0 },
};

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|DIR|- [FILE...] [PATH...]",
    .details =
        "Adds the entries of a pack to the driver's cache, so that the next start compiles nothing. A copy "
        "of a signed pack goes to the store. A pack fits machines with the same operating system, driver "
        "build and GPU architecture. A signed pack for another machine goes to the store only, and prime "
        "imports it when this machine matches. import shows the differences. Of several packs, or of a "
        "folder, it takes those that fit and skips the others; FILE after the first must end in .tar.zst.\n\n"
        "First import checks the pack's digest and its signature. The signing key must be trusted: a *.pub "
        "file in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, a trust line in jitwarm.conf, or "
        "--trust. A bad pack never changes the cache.\n\n"
        "import takes the entries whose PTX it finds in CUDA software here: in PATH, or without PATH in what "
        "was primed before and what is found on this machine. --everything takes all entries, and so does a "
        "pack of one command (export --run CMD).\n\n"
        "import proves that the pack is whole, that each entry has the key of its own PTX, and that the "
        "driver finds it. It cannot see what machine code does. With --allow-unsigned import compiles 8 "
        "random new entries again, for at most a minute, and compares every byte. One difference refuses the "
        "pack. The other entries are not compared: trust the pack as you trust a program from the same "
        "person. --audit 100% compares all of them. What cannot be compiled again (of NVRTC, nvJitLink, "
        "OpenCL) needs a trusted key, and is skipped otherwise.\n\n"
        "CUDA programs can keep running. Afterwards fresh processes load a sample and must compile nothing. "
        "An interrupted import leaves whole entries only; the same command continues.\n\n"
        "The exit code is 0 when all entries for this machine are in the cache; 1 when some are not, or none "
        "is for software here; 2 for a wrong option or file; 3 without a usable driver or GPU; 4 when the "
        "cache cannot be written or the disk is full; 5 when the pack is for another machine; 6 when it is "
        "damaged or not trusted; 7 when --yes is missing or another jitwarm uses the cache; 130 after "
        "Ctrl-C.",
    .examples = import_examples,
    .opts = import_opts,
    .often = "trust allow-unsigned everything audit cache yes dry-run",
    .args_size = sizeof(struct import_args),
    .positional_at = AT(words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = import_run,
};
