#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/status/command/status_view.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "os/machine/time.h"
#include "pack/store/command/store_view.h"

#include <string.h>

enum { LABEL = 9, DAY_S = 24 * 60 * 60, HOUR_S = 60 * 60, DRIVER = 12, KEY = 8, NAMED = 3 };

/* ---- the head ---- */

static size_t older(const struct jw_store_report *r, uint64_t *bytes)
{
    size_t n = 0;

    *bytes = 0;
    for (size_t i = 0; i < r->n_shown; i++) {
        n += r->shown[i].pack->older;
        *bytes += r->shown[i].pack->older ? r->shown[i].pack->weight : 0;
    }
    return n;
}

static void show_store_head(struct jw_page *p, const struct jw_store_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t bytes;
    size_t before = older(r, &bytes);

    jw_page_rows(p, TINT_STRONG, list_store_rows, r);
    if (r->store.refused)
        return;
    if (!r->n_shown)
        jw_say(&text, "no packs yet; import, prune and export without PATH add them");
    else {
        jw_say(&text, "%s", JW_N(r->n_shown - before, "pack", "packs"));
        if (before)
            jw_say(&text, " and %s (%s)", JW_N(before, "replaced one", "replaced ones"), JW_SIZE(bytes));
        jw_say(&text, ": %s of ", JW_SIZE(r->store.bytes));
        status_say_limit(&text, r->cap);
        if (strcmp(r->cap_origin, "default") != 0)
            jw_say(&text, ", from %s", r->cap_origin);
    }
    jw_page_line(p, TINT_STRONG, "Holds", &text);
}

/* ---- the table ---- */

/* "12 min", "3 h", "45 d": in a column of five. */
static void cell_age(struct jw_table *t, int64_t at)
{
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

static void truncated_cell(struct jw_table *t, enum jw_tint tint, const char *text, size_t columns)
{
    struct jw_buf cut = JW_BUF(JW_MAX_LINE), clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, text);
    if (jw_text_width(jw_buf_cstr(&clean)) > columns) {
        jw_text_fit(&cut, jw_buf_cstr(&clean), columns, false);
        jw_table_cell(t, tint, jw_buf_cstr(&cut));
    } else
        jw_table_cell(t, tint, jw_buf_cstr(&clean));
    jw_buf_free(&clean);
    jw_buf_free(&cut);
}

/* "alice" for /etc/jitwarm/keys/alice.pub; for other keys the first half of the id. */
static void cell_signed(struct jw_table *t, const struct jw_store_shown *s)
{
    struct jw_buf name = JW_BUF(JW_MAX_LINE);

    if (s->key_file) {
        jw_say(&name, "%s", jw_path_base(s->key_file));
        if (jw_text_ends(jw_buf_cstr(&name), ".pub"))
            name.n -= 4;
        truncated_cell(t, TINT_GOOD, jw_buf_cstr(&name), KEY);
    } else if (*s->key)
        jw_table_cellf(t, TINT_NONE, "%.*s", KEY, s->key);
    else
        jw_table_cell(t, s->is_signed ? TINT_WARN : TINT_NONE, s->is_signed ? "?" : "no");
    jw_buf_free(&name);
}

/* "torch, libggml-cuda.so, 4 more" */
static void cell_origins(struct jw_table *t, const struct jw_store_shown *s)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t shown = s->n_origins < NAMED ? s->n_origins : NAMED;

    for (size_t i = 0; i < shown; i++)
        jw_say(&text, "%s%s", i ? ", " : "", s->origins[i].name);
    if (shown < s->n_origins)
        jw_say(&text, ", %zu more", s->n_origins - shown);
    if (s->unnamed)
        jw_say(&text, shown ? ", others" : "-");
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void add_pack_row(struct jw_table *t, const struct jw_store_shown *s)
{
    const struct jw_store_key *k = &s->pack->key;

    truncated_cell(t, s->current ? TINT_GOOD : TINT_NONE, k->driver ? k->driver : "?", DRIVER);
    jw_table_cellf(t, TINT_NONE, "sm_%u", k->sm);
    if (s->damage) {
        jw_table_cell(t, TINT_BAD, s->pack->refused ? "refused" : "damaged");
        jw_table_cell(t, TINT_NONE, "-");
    } else {
        jw_table_cell_count(t, s->entries);
        jw_table_cell_bytes(t, s->raw);
    }
    if (s->pack->refused) {
        jw_table_cell(t, TINT_NONE, "-");
        jw_table_cell(t, TINT_NONE, "-");
    } else {
        jw_table_cell_bytes(t, s->pack->size);
        cell_age(t, s->pack->added_at);
    }
    if (s->damage) {
        jw_table_cell(t, TINT_NONE, "-");
        jw_table_cell(t, TINT_NONE, "-");
    } else {
        cell_signed(t, s);
        cell_origins(t, s);
    }
}

static void show_packs(struct jw_page *p, struct cli *cli, const struct jw_store_report *r)
{
    static const struct jw_column columns[] = { { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT }, { "RAW", COLUMN_RIGHT },
                                                { "PACKED", COLUMN_RIGHT },  { "AGE", COLUMN_RIGHT },
                                                { "SIGNED", COLUMN_LEFT },   { "OF", COLUMN_TEXT } };
    struct jw_table t;

    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_shown; i++)
        if (!r->shown[i].pack->older || cli->common.verbose)
            add_pack_row(&t, &r->shown[i]);
    if (!r->n_shown)
        return;
    jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

/* ---- remarks ---- */

static void show_remarks(struct jw_page *p, const struct jw_store_shown *s)
{
    if (s->damage)
        jw_page_say(p, TINT_WARN, NULL, "* %s: %s", s->pack->name, s->damage);
}

static void show_sentences(struct jw_page *p, struct cli *cli, const struct jw_store_report *r)
{
    for (size_t i = 0; i < r->n_shown; i++)
        show_remarks(p, &r->shown[i]);
    for (size_t i = 0; cli->common.verbose && i < r->n_shown; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s: driver build of %s", r->shown[i].pack->name,
                    jw_stamp_text(r->shown[i].pack->key.stamp).text);
    for (size_t i = 0; i < r->n_others; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s: not a file of jitwarm, ignored", r->others[i]->name);
    for (size_t i = 0; i < r->notes.n; i++)
        jw_page_say(p, TINT_NONE, NULL, "* %s", r->notes.v[i]);
}

static bool has_sentences(const struct cli *cli, const struct jw_store_report *r)
{
    bool any = r->n_others || r->notes.n || (cli->common.verbose && r->n_shown);

    for (size_t i = 0; i < r->n_shown; i++)
        any |= r->shown[i].damage != NULL;
    return any;
}

bool list_write_text(struct cli *cli, const struct jw_store_report *r, struct jw_err *err)
{
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    show_store_head(&p, r);
    show_packs(&p, cli, r);
    if (has_sentences(cli, r))
        jw_page_put(&p, "\n");
    show_sentences(&p, cli, r);
    jw_page_end(&p, r->n_shown ? r->shown[0].pack->key.stamp : NULL);
    return !p.bad;
}
