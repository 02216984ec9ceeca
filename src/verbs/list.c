/* list: shows the packs in this machine's store, the content of one pack, or the packs of a remote. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/memory/state_folder.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "fleet/matrix.h"
#include "machine/listing.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/file/pack_read.h"
#include "pack/store/store_list.h"
#include "verbs/net.h"
#include "verbs/status.h"

#include <string.h>

enum { LABEL = 9 }; /* columns of "Unpacked " */

struct list_args {
    struct net_args net;
    struct jw_texts files;
};

static const struct opt list_opts[] = { NET_OPT_CACERT(list_args), NET_OPT_DEADLINE(list_args), { 0 } };

/* ---- what is in a pack ---- */

struct contents_origin {
    struct jw_pack_origin is;
    struct jw_status_sum sum;
};

struct contents {
    const char *file; /* as it was named; "-" for standard input */
    struct jw_pack_peeked seen;
    struct contents_origin *origins;
    struct jw_status_sum unnamed; /* of no known origin */
    uint64_t largest;             /* of all entries, in bytes */
};

#define C struct contents
#define M struct jw_pack_manifest
#define O struct contents_origin
#define E struct jw_pack_entry

static void show_file(struct jw_page *p, const void *of)
{
    const C *c = of;

    jw_page_whole(p, TINT_STRONG, "Pack", "%s", strcmp(c->file, "-") == 0 ? "standard input" : c->file);
}

static void show_manifest(struct jw_page *p, const void *of)
{
    const M *m = of;

    jw_page_say(p, TINT_STRONG, "For", "sm_%u on %s %s, driver %s, build of %s", m->sm, m->os, m->arch,
                m->driver ? m->driver : "unknown", jw_stamp_text(m->stamp).text);
    jw_page_say(p, TINT_STRONG, "Made", "by jitwarm %s", m->tool);
}

static void show_bytes(struct jw_page *p, const void *of)
{
    const C *c = of;
    size_t n = c->seen.manifest.n_entries;

    jw_page_say(p, TINT_STRONG, "Holds", "%s, %s unpacked, %s packed%s%s", JW_N(n, "entry", "entries"),
                JW_SIZE(c->seen.tar_bytes), JW_SIZE(c->seen.bytes), n > 1 ? "; the largest entry has " : "",
                n > 1 ? JW_SIZE(c->largest) : "");
}

static void show_signature(struct jw_page *p, const void *of)
{
    const struct jw_pack_peeked *s = &((const C *)of)->seen;

    if (s->signature == JW_PACK_SEEN_NONE)
        jw_page_say(p, TINT_STRONG, "Signed", "no");
    else
        jw_page_say(p, TINT_STRONG, "Signed", "%s%s%s %s", s->key[0] ? "with key " : "", s->key,
                    s->key[0] ? ", not verified" : "there is a signature, which cannot be read",
                    s->signature == JW_PACK_SEEN_INSIDE ? "(signature in the pack)" : "(.minisig beside it)");
}

static void show_origins(struct jw_page *p, const void *of)
{
    enum { SCREEN_ORIGINS = 20 };
    static const struct jw_column columns[] = { { "ENTRIES", COLUMN_RIGHT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "VERSION", COLUMN_LEFT },
                                                { "FROM", COLUMN_TEXT } };
    const C *c = of;
    size_t n = c->seen.manifest.n_origins, max = p->columns && !p->verbose ? SCREEN_ORIGINS : SIZE_MAX,
           shown = 0;
    struct jw_table t;

    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i <= n; i++) {
        const O *o = i < n ? &c->origins[i] : NULL;
        const struct jw_status_sum *sum = o ? &o->sum : &c->unnamed;

        if (!sum->entries || shown++ >= max)
            continue;
        jw_table_cell_count(&t, sum->entries);
        jw_table_cell_bytes(&t, sum->bytes);
        jw_table_cell(&t, TINT_FAINT, o && o->is.version ? o->is.version : "-");
        jw_table_cell(&t, o ? TINT_NONE : TINT_FAINT, o ? o->is.name : "unknown software");
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
    jw_page_more(p, NULL, max, shown, "more", "more");
}

static void show_entries(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = {
        { "ENTRY", COLUMN_LEFT }, { "KEY", COLUMN_RIGHT }, { "CODE", COLUMN_RIGHT }, { "FROM", COLUMN_TEXT }
    };
    const M *m = &((const C *)of)->seen.manifest;
    struct jw_table t;

    if (!p->verbose)
        return;
    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < m->n_entries; i++) {
        const E *e = &m->entries[i];

        jw_table_cell(&t, TINT_NONE, jw_cache_name(e->name).text);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->key_bytes);
        jw_table_cellf(&t, TINT_NONE, "%llu", (unsigned long long)e->payload_bytes);
        jw_table_cell(&t, TINT_NONE, e->origin == JW_PACK_NO_ORIGIN ? "-" : m->origins[e->origin].name);
    }
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

static void show_not_verified(struct jw_page *p, const void *of)
{
    jw_page_put(p, "\n");
    jw_page_say(p, TINT_FAINT, NULL,
                "Not verified; jitwarm import --dry-run verifies a pack without changing anything.");
    jw_page_end(p, ((const C *)of)->seen.manifest.stamp);
}

static const char *const where_names[] = { "none", "inside", "beside" };

static const struct jw_row manifest_rows[] = {
    { JW_ROW("tool", M, tool) },
    { JW_ROW("os", M, os), JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", M, arch), JW_PATTERN("^(x86_64|aarch64)$") },
    { JW_ROW("driver", M, driver), JW_NULLABLE },
    JW_STAMP(M, stamp),
    { JW_ROW("sm", M, sm) },
    { 0 },
};

static const struct jw_row signature_rows[] = {
    { JW_NAMED("where", C, seen.signature, where_names) },
    { JW_ROW("key", C, seen.key), JW_NULLABLE, JW_PATTERN("^[0-9A-F]{16}$"),
      JW_ABOUT("id of the key in the signature, not verified") },
    { 0 },
};

static const struct jw_row contents_origin_rows[] = {
    { JW_ROW("name", O, is.name) },
    { JW_ROW("version", O, is.version), JW_NULLABLE },
    { JW_PART(O, sum, status_sum_rows) },
    { 0 },
};

static const struct jw_row entry_rows[] = {
    { JW_SPELT("name", E, name, &jw_spell_entry) },
    { JW_ROW("key_bytes", E, key_bytes) },
    { JW_ROW("payload_bytes", E, payload_bytes) },
    { JW_SPELT("digest", E, digest, &jw_spell_digest) },
    { JW_ROW_AT("origin", E, origin), .kind = JW_ROW_SIGNED, JW_NULLABLE, JW_ABOUT("index into origins") },
    { 0 },
};

static const struct jw_row contents_rows[] = {
    { JW_ROW("file", C, file), JW_SHOW(show_file), JW_ABOUT("as it was named; - is standard input") },
    { JW_PART(C, seen.manifest, manifest_rows), JW_SHOW(show_manifest) },
    { JW_ROW("bytes", C, seen.bytes), JW_SHOW(show_bytes), JW_ABOUT("of the pack") },
    { JW_SUB_OF("signature", signature_rows), JW_SHOW(show_signature) },
    { JW_LIST("origins", C, origins, seen.manifest.n_origins, contents_origin_rows), JW_SHOW(show_origins) },
    { JW_LIST("entries", C, seen.manifest.entries, seen.manifest.n_entries, entry_rows),
      JW_SHOW(show_entries) },
    { JW_TEXT_ALONE(show_not_verified) },
    { 0 },
};

const struct jw_form contents_form = { .verb = "contents",
                                       .about = "The contents of a pack, not verified.",
                                       .rows = contents_rows,
                                       .label = LABEL,
                                       .tint = TINT_STRONG };

static void sum_up_pack(C *c, struct jw_arena *a)
{
    const M *m = &c->seen.manifest;

    c->origins = jw_arena_alloc(a, (m->n_origins + 1) * sizeof *c->origins);
    for (size_t i = 0; i < m->n_origins; i++)
        c->origins[i].is = m->origins[i];
    for (size_t i = 0; i < m->n_entries; i++) {
        const E *e = &m->entries[i];
        uint64_t bytes = jw_pack_entry_bytes(e);

        jw_status_add(e->origin == JW_PACK_NO_ORIGIN ? &c->unnamed : &c->origins[e->origin].sum, bytes);
        c->largest = bytes > c->largest ? bytes : c->largest;
    }
}

/* The manifest is at the end, so a pack from a pipe is stored in a temporary file first. */
static bool peek_pack(struct cli *cli, const char *file, struct jw_pack_peeked *seen, struct jw_err *err)
{
    struct jw_pack_open_options o = { .interrupted = cli->session.interrupted };
    char *spool = NULL;
    bool ok = true;

    if (strcmp(file, "-") == 0) {
        ok = jw_state_scratch(JW_STATE_LIST, cli->arena, &spool, err);
        o.spool_dir = spool;
    }
    ok = ok && jw_pack_peek(file, &o, cli->arena, seen, err);
    jw_scratch_remove(spool);
    return ok;
}

static int list_pack(struct cli *cli, const char *file)
{
    C c = { .file = file };
    struct jw_err err = { 0 };

    if (strcmp(file, "-") == 0 && jw_term_is(stdin))
        (void)jw_fail(&err, JW_E_USAGE, "standard input is a terminal; name a file or use a pipe");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    if (!peek_pack(cli, file, &c.seen, &err)) {
        (void)jw_pack_open_failed(file, &err);
        return jw_cli_fail(cli, &err);
    }
    sum_up_pack(&c, cli->arena);
    return jw_cli_report(cli, &contents_form, &c, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
}

/* ---- the packs of the store ---- */

#define R struct jw_store_report
#define S struct jw_store_shown
#define P struct jw_store_pack

/* "3 packs: 40 MiB of 2 GiB" */
static void show_store_bytes(struct jw_page *p, const void *of)
{
    const R *r = of;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->store.refused)
        return;
    if (!r->n_shown)
        jw_say(&text, "no packs yet; import, prune and export without PATH add them");
    else {
        jw_say(&text, "%s: %s of ", JW_N(r->n_shown, "pack", "packs"), JW_SIZE(r->store.bytes));
        jw_cache_say_limit(&text, r->cap);
        if (strcmp(r->cap_origin, "default") != 0)
            jw_say(&text, ", from %s", r->cap_origin);
    }
    jw_page_line(p, TINT_STRONG, "Holds", &text);
}

/* "12 m", "3 h", "45 d" */
static void cell_age(struct jw_table *t, int64_t at)
{
    enum { HOUR_S = 60 * 60, DAY_S = 24 * HOUR_S };
    int64_t s = jw_time_unix() - at;

    if (s < 0)
        s = 0;
    if (s < HOUR_S)
        jw_table_cellf(t, TINT_NONE, "%lld m", (long long)s / 60);
    else if (s < 2 * DAY_S)
        jw_table_cellf(t, TINT_NONE, "%lld h", (long long)s / HOUR_S);
    else
        jw_table_cellf(t, TINT_NONE, "%lld d", (long long)s / DAY_S);
}

static void cell_truncated(struct jw_table *t, enum jw_tint tint, const char *text, size_t columns)
{
    struct jw_buf shortened = JW_LINE(t->arena), clean = JW_LINE(t->arena);

    jw_text_clean(&clean, text);
    if (jw_text_width(jw_buf_cstr(&clean)) > columns) {
        jw_text_fit(&shortened, jw_buf_cstr(&clean), columns);
        jw_table_cell(t, tint, jw_buf_cstr(&shortened));
    } else
        jw_table_cell(t, tint, jw_buf_cstr(&clean));
}

/* "alice" for /etc/jitwarm/keys/alice.pub; for other keys the first half of the id. */
static void cell_signed(struct jw_table *t, const S *s)
{
    enum { KEY = 8 };
    struct jw_buf name = JW_LINE(t->arena);

    if (s->key_file) {
        jw_say(&name, "%s", jw_path_base(s->key_file));
        if (jw_text_ends(jw_buf_cstr(&name), ".pub"))
            name.n -= 4;
        cell_truncated(t, TINT_GOOD, jw_buf_cstr(&name), KEY);
    } else if (*s->key)
        jw_table_cellf(t, TINT_NONE, "%.*s", KEY, s->key);
    else
        jw_table_cell(t, s->is_signed ? TINT_WARN : TINT_NONE, s->is_signed ? "?" : "no");
}

/* "torch, libggml-cuda.so, 4 more" */
static void cell_origins(struct jw_table *t, const S *s)
{
    enum { NAMED = 3 };
    struct jw_buf text = JW_LINE(t->arena);
    size_t shown = s->n_origins < NAMED ? s->n_origins : NAMED;

    for (size_t i = 0; i < shown; i++)
        jw_say(&text, "%s%s", i ? ", " : "", s->origins[i].name);
    if (shown < s->n_origins)
        jw_say(&text, ", %zu more", s->n_origins - shown);
    if (s->unnamed)
        jw_say(&text, shown ? ", others" : "-");
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
}

static void cells_unknown(struct jw_table *t, size_t n)
{
    while (n--)
        jw_table_cell(t, TINT_NONE, "-");
}

static void add_pack(struct jw_table *t, const S *s)
{
    enum { DRIVER = 12 };
    const struct jw_store_key *k = &s->pack->key;

    cell_truncated(t, s->current ? TINT_GOOD : TINT_NONE, k->driver ? k->driver : "?", DRIVER);
    jw_table_cellf(t, TINT_NONE, "sm_%u", k->sm);
    if (s->damage) {
        jw_table_cell(t, TINT_BAD, s->pack->refused ? "refused" : "damaged");
        cells_unknown(t, 1);
    } else {
        jw_table_cell_count(t, s->entries);
        jw_table_cell_bytes(t, s->raw);
    }
    if (s->pack->refused) {
        cells_unknown(t, 2);
    } else {
        jw_table_cell_bytes(t, s->pack->size);
        cell_age(t, s->pack->added_at);
    }
    if (s->damage) {
        cells_unknown(t, 2);
    } else {
        cell_signed(t, s);
        cell_origins(t, s);
    }
}

static void show_packs(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT }, { "RAW", COLUMN_RIGHT },
                                                { "PACKED", COLUMN_RIGHT },  { "AGE", COLUMN_RIGHT },
                                                { "SIGNED", COLUMN_LEFT },   { "OF", COLUMN_TEXT } };
    const R *r = of;
    struct jw_table t;

    if (!r->n_shown)
        return;
    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_shown; i++)
        add_pack(&t, &r->shown[i]);
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

static bool has_remarks(const struct jw_page *p, const R *r)
{
    bool any = r->n_others || r->notes.n || (p->verbose && r->n_shown);

    for (size_t i = 0; i < r->n_shown; i++)
        any |= r->shown[i].damage != NULL;
    return any;
}

static void show_remarks(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (has_remarks(p, r))
        jw_page_put(p, "\n");
    for (size_t i = 0; i < r->n_shown; i++)
        if (r->shown[i].damage)
            jw_page_say(p, TINT_WARN, NULL, "* %s: %s", r->shown[i].pack->name, r->shown[i].damage);
    for (size_t i = 0; p->verbose && i < r->n_shown; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s: driver build of %s", r->shown[i].pack->name,
                    jw_stamp_text(r->shown[i].pack->key.stamp).text);
    for (size_t i = 0; i < r->n_others; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s: not a file of jitwarm, ignored", r->others[i]->name);
    for (size_t i = 0; i < r->notes.n; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s", r->notes.v[i]);
    jw_page_end(p, r->n_shown ? r->shown[0].pack->key.stamp : NULL);
}

static const struct jw_row store_rows[] = {
    { JW_ROW("folder", R, store.dir), JW_NULLABLE, JW_LABEL("Store") },
    { JW_ROW("exists", R, store.exists) },
    { JW_ROW("refused", R, store.refused), JW_NULLABLE, JW_ABOUT("why it cannot be used") },
    { JW_ROW("bytes", R, store.bytes), JW_SHOW(show_store_bytes) },
    { 0 },
};

static const struct jw_row origin_rows[] = {
    { JW_ROW("name", struct jw_pack_origin, name) },
    { JW_ROW("version", struct jw_pack_origin, version), JW_NULLABLE },
    { 0 },
};

static const struct jw_row pack_manifest_rows[] = {
    { JW_ROW("entries", S, entries) },
    { JW_LIST("origins", S, origins, n_origins, origin_rows) },
    { JW_ROW("others", S, unnamed), JW_ABOUT("some entries have no origin") },
    { JW_ROW("signed", S, is_signed), JW_ABOUT("it has a signature, not verified") },
    { JW_ROW("key", S, key), JW_NULLABLE },
    { 0 },
};

static const struct jw_row kind_rows[] = {
    { JW_ROW("file", P, path) },
    { JW_ROW("driver", P, key.driver), JW_NULLABLE },
    JW_STAMP(P, key.stamp),
    { JW_ROW("sm", P, key.sm) },
    { JW_ROW("packed_bytes", P, size) },
    { 0 },
};

static void write_pack_manifest(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const S *s = of;

    if (s->damage)
        jw_json_null(j, row->key);
    else
        jw_rows_object(j, row->key, row->rows, s);
}

static const struct jw_row pack_rows[] = {
    { JW_PART_AT(S, pack, kind_rows) },
    { JW_ROW("current", S, current), JW_ABOUT("for the last driver seen here") },
    { JW_ROW("damage", S, damage), JW_NULLABLE },
    { JW_SUB_OF("manifest", pack_manifest_rows), JW_NULLABLE, .write = write_pack_manifest,
      JW_ABOUT("from the pack's manifest, not verified") },
    { 0 },
};

static const struct jw_row list_rows[] = {
    { JW_SUB_OF("store", store_rows) },
    { JW_LIST("packs", R, shown, n_shown, pack_rows), JW_SHOW(show_packs) },
    { JW_TEXTS("notes", R, notes.v, notes.n) },
    { JW_TEXT_ALONE(show_remarks) },
    { 0 },
};

const struct jw_form list_form = { .verb = "list",
                                   .about = "The packs in this machine's store.",
                                   .rows = list_rows,
                                   .label = LABEL,
                                   .tint = TINT_STRONG };

/* Nothing can ever be stored there, because jitwarm makes no home. */
static const char *why_homeless(const struct jw_store *s, struct jw_arena *a)
{
    const char *home = jw_env_home(a);

    return !s->exists && s->dir && home && jw_text_starts(s->dir, home) && !jw_is_folder(home)
               ? jw_arena_printf(a, "the home folder %.200s %s", home, jw_why_no_folder(home))
               : NULL;
}

static int list_store(struct cli *cli)
{
    R r;
    struct jw_err err = { 0 };
    bool ok = jw_store_list(&cli->session, &r, &err);

    if (ok && !r.store.refused)
        r.store.refused = why_homeless(&r.store, cli->arena);
    if (ok && !r.store.refused && r.store.dir && !r.store.exists)
        r.store.refused = jw_store_why_not(r.store.dir, cli->arena);
    if (!ok || !jw_cli_report(cli, &list_form, &r, &err))
        return jw_cli_fail(cli, &err);
    if (!r.store.refused)
        return EXIT_DONE;
    jw_messages_error(&cli->messages, "%s%s%s", r.store.dir ? r.store.dir : "", r.store.dir ? ": " : "",
                      r.store.refused);
    return EXIT_PARTLY;
}

/* ---- the packs of a remote ---- */

#define X struct jw_matrix
#define K struct jw_matrix_kind

static void show_machines(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = {
        { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },    { "ENTRIES", COLUMN_RIGHT },
        { "PACKED", COLUMN_RIGHT },  { "PUSHED", COLUMN_LEFT }, { "SIGNED", COLUMN_LEFT },
        { "SOFTWARE", COLUMN_TEXT },
    };
    const X *m = of;
    struct jw_table table;

    if (!m->n)
        jw_page_say(p, TINT_WARN, NULL, "%s has no packs", m->from);
    jw_table_begin(&table, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < m->n; i++) {
        const K *k = &m->kinds[i];

        jw_table_cell(&table, TINT_NONE, k->driver ? k->driver : jw_stamp_text(k->stamp).text);
        jw_table_cellf(&table, TINT_NONE, "sm_%u", (unsigned)k->sm);
        jw_table_cell_count(&table, k->entries);
        jw_table_cell_bytes(&table, k->packed ? k->packed : k->bytes);
        jw_table_cell(&table, k->pushed ? TINT_NONE : TINT_FAINT, k->pushed ? k->pushed : "-");
        jw_table_cell(&table, k->key ? TINT_NONE : TINT_FAINT, k->key ? k->key : "-");
        jw_table_cell(&table, TINT_NONE, k->software);
    }
    jw_page_table(p, &table);
}

static const struct jw_row machine_rows[] = {
    { JW_ROW("tag", K, tag) },
    { JW_ROW("driver", K, driver), JW_NULLABLE },
    JW_STAMP(K, stamp),
    { JW_ROW("sm", K, sm) },
    { JW_ROW("system", K, system), JW_NULLABLE },
    { JW_ROW("software", K, software) },
    { JW_ROW("entries", K, entries) },
    { JW_ROW("bytes", K, bytes), JW_ABOUT("of the entries") },
    { JW_ROW("packed_bytes", K, packed), JW_NULLABLE, JW_ABOUT("of its packs") },
    { JW_ROW("key", K, key), JW_NULLABLE,
      JW_ABOUT("id of the key that signed each of its packs, as their pusher says; null: several, or none") },
    { JW_ROW("pushed", K, pushed), JW_NULLABLE,
      JW_ABOUT("since which day these packs are there, as their pusher says") },
    { 0 },
};

static const struct jw_row matrix_rows[] = {
    { JW_ROW("from", X, from) },
    { JW_LIST("kinds", X, kinds, n, machine_rows), JW_ABOUT("by driver, then by architecture") },
    { JW_TEXT_ALONE(show_machines) },
    { JW_TEXTS("missing", X, missing, n_missing), JW_SENTENCE("Missing"),
      JW_ABOUT("of each driver the architectures that another driver has, and it has not") },
    { JW_ROW("requests", X, requests), JW_ABOUT("indexes that were read") },
    { 0 },
};

const struct jw_form matrix_form = { .verb = "matrix",
                                     .about = "The kinds of machines that a remote has packs for.",
                                     .rows = matrix_rows,
                                     .label = LABEL + 1,
                                     .tint = TINT_WARN };

static bool is_remote(struct cli *cli, const char *word)
{
    return strstr(word, "://") || jw_is_file(jw_path_join(cli->arena, word, "index.json"));
}

static int list_remote(struct cli *cli, const struct net_args *net, const char *word)
{
    struct jw_matrix m;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };
    const char *text = strstr(word, "://") || jw_path_absolute(word) || jw_text_starts(word, ".")
                           ? word
                           : jw_arena_printf(cli->arena, "./%s", word);

    if (!jw_ref_parse(text, cli->arena, &ref, &err))
        return jw_cli_usage(cli, &err);

    struct jw_remote_options o = net_options(cli, net, &ref);

    const struct jw_run run = jw_session_run(&cli->session);

    o.run = &run;
    bool ok = jw_matrix_list(&o, &ref, cli->arena, &m, &err) && jw_cli_report(cli, &matrix_form, &m, &err);

    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}

/* ---- the verb ---- */

static int list_run(struct cli *cli, const void *args)
{
    const struct list_args *a = args;

    if (a->files.n && is_remote(cli, a->files.items[0]))
        return list_remote(cli, &a->net, a->files.items[0]);
    return a->files.n ? list_pack(cli, a->files.items[0]) : list_store(cli);
}

static const struct example list_examples[] = {
    { "jitwarm list", "the packs here, with their drivers and GPUs" },
    { "jitwarm list -v", "also the file of each pack, and the build date of its driver" },
    { "jitwarm list laptop.tar.zst", "the driver, GPU and software of one pack" },
    { "jitwarm list oci://reg.example/team/jit:v3",
      "for which drivers and GPUs a remote has packs, and what is missing" },
    { NULL, NULL },
};

const struct cmd jw_cmd_list = {
    .name = "list",
    .summary = "list the packs on this machine, or what is in one",
    .synopsis_args = "[FILE|-|REF]",
    .details =
        "The store has signed packs that were imported, copies of exported packs, and packs that prune saved "
        "from an old driver. One that has all entries of another one for the same driver build and GPU takes "
        "its place. prime imports those that fit, before it compiles. Above 2 GiB (store_cap in "
        "jitwarm.conf) "
        "jitwarm deletes packs that have a newer one beside them, then the oldest, but not the newest of "
        "this "
        "machine's driver. RAW is the unpacked size. SIGNED is the signing key: a trusted key by its file's "
        "name, another one by its id.\n\n"
        "With FILE list shows what is in that pack; -v and --json show every entry.\n\n"
        "With REF (as in jitwarm push and pull) list shows the matrix there: driver builds, GPUs, sizes, who "
        "signed, and of each driver the GPUs that only other drivers have. Without a tag it reads an index "
        "for each kind of machine; a tag of your own is one.\n\n"
        "list reads manifests only. It does not verify digests or signatures; import does, and import "
        "--dry-run does so without changing anything.\n\n"
        "The exit code is 1 when the store cannot be read, or other users can write to it; 6 when FILE is "
        "not a pack or its manifest is damaged.",
    .examples = list_examples,
    .opts = list_opts,
    .args_size = sizeof(struct list_args),
    .positional_at = offsetof(struct list_args, files),
    .max_pos = 1,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = list_run,
};
