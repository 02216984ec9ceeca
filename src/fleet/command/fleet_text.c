#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "fleet/command/fleet_view.h"
#include "prime/command/prime_view.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 10, MOST_LAYERS = 12 };

struct shown {
    struct jw_page page;
    struct cli *cli;
    struct jw_buf text; /* for stderr */
    bool to_stderr;
};

static void begin(struct shown *t, struct cli *cli, bool to_stderr, struct jw_err *err)
{
    *t = (struct shown){ .cli = cli, .text = JW_BUF(JW_MAX_PAGE), .to_stderr = to_stderr };
    jw_page_open(&t->page, cli, LABEL, err);
    if (to_stderr)
        t->page.to = jw_sink_buf(&t->text);
}

static bool end(struct shown *t)
{
    bool ok = !t->page.bad;

    if (ok && t->to_stderr && t->cli->messages.level != MESSAGES_QUIET)
        jw_messages_page(&t->cli->messages, jw_buf_cstr(&t->text));
    jw_buf_free(&t->text);
    return ok;
}

static void say_layers(struct jw_buf *out, uint64_t n, uint64_t bytes)
{
    prime_say_count(out, n, "layer", "layers");
    jw_buf_text(out, " (");
    jw_text_bytes(out, bytes);
    jw_buf_text(out, ")");
}

static void put_for(struct shown *t, const char *driver, const char *stamp, uint16_t sm)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, "driver ");
    if (driver)
        jw_text_clean(&text, driver);
    else /* "Jan  7 202622:51:46" */
        jw_buf_printf(&text, "built %.11s %s", stamp, strlen(stamp) > 11 ? stamp + 11 : "");
    jw_buf_printf(&text, ", sm_%u", (unsigned)sm);
    jw_page_line(&t->page, TINT_NONE, "For", &text);
}

/* ---- push ---- */

static void push_head(struct shown *t, const struct jw_push_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, r->layers_moved  ? "Pushed "
                       : r->layers == 1 ? "Nothing to push: "
                                        : "Nothing to push: all ");
    say_layers(&text, r->layers_moved ? r->layers_moved : r->layers,
               r->layers_moved ? r->bytes_moved : r->bytes);
    if (!r->layers_moved)
        jw_buf_text(&text, r->layers == 1 ? " is there already" : " are there already");
    else if (r->layers > r->layers_moved)
        jw_buf_printf(&text, "; %llu more %s there already",
                      (unsigned long long)(r->layers - r->layers_moved),
                      r->layers - r->layers_moved == 1 ? "was" : "were");
    jw_page_sentence(&t->page, TINT_GOOD, &text);
}

static void end_table(struct shown *t, struct jw_table *table, size_t shown, size_t all)
{
    jw_page_put(&t->page, "\n");
    jw_page_table(&t->page, table);
    if (all > shown) {
        char text[64];

        (void)snprintf(text, sizeof text, "and %zu more (--verbose lists all)\n", all - shown);
        jw_page_put(&t->page, text);
    }
    jw_page_put(&t->page, "\n");
}

static void push_table(struct shown *t, const struct jw_push_kind *k)
{
    static const struct jw_column columns[] = { { "LAYER", COLUMN_LEFT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "ENTRIES", COLUMN_RIGHT },
                                                { "SOFTWARE", COLUMN_TEXT } };
    size_t most = t->cli->common.verbose || k->n <= MOST_LAYERS ? k->n : MOST_LAYERS;
    struct jw_table table;

    jw_table_begin(&table, t->cli->arena, columns, 4);
    for (size_t i = 0; i < most; i++) {
        jw_table_cell(&table, k->layers[i].moved ? TINT_GOOD : TINT_FAINT,
                      k->layers[i].mounted ? "mounted"
                      : k->layers[i].kept  ? "kept"
                      : k->layers[i].moved ? "pushed"
                                           : "there");
        jw_table_cell_bytes(&table, k->layers[i].size);
        jw_table_cell_count(&table, k->layers[i].entries);
        jw_table_cell(&table, TINT_NONE, k->layers[i].software);
    }
    end_table(t, &table, most, k->n);
}

static void push_kind(struct shown *t, const struct jw_push_kind *k, const struct jw_ref *ref)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const char *to = jw_ref_with_tag(ref, k->tag, t->cli->arena);
    bool is_signed = true;
    uint64_t kept = 0;

    for (size_t i = 0; i < k->n; i++) {
        is_signed = is_signed && (k->layers[i].is_signed || k->layers[i].kept);
        kept += k->layers[i].kept;
    }
    push_table(t, k);
    if (kept) {
        prime_say_count(&text, kept, "layer", "layers");
        jw_buf_text(&text, " of earlier pushes (to remove: --replace)");
        jw_page_line(&t->page, TINT_NONE, "Kept", &text);
    }
    if (k->replaced) {
        prime_say_count(&text, k->replaced, "layer", "layers");
        jw_buf_text(&text, " of earlier pushes");
        jw_page_line(&t->page, TINT_NONE, "Replaced", &text);
    }
    put_for(t, k->driver, k->stamp, k->sm);
    jw_page_whole(&t->page, TINT_NONE, "To", to);
    jw_page_whole(&t->page, TINT_FAINT, "Digest", k->digest);
    jw_buf_printf(&text, "jitwarm pull %s%s", ref->text, is_signed ? "" : " --allow-unsigned");
    jw_page_whole(&t->page, TINT_STRONG, "Use it", jw_buf_cstr(&text));
    jw_buf_free(&text);
    jw_page_simulated(&t->page, k->simulated);
}

bool fleet_push_text(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     bool to_stderr, struct jw_err *err)
{
    struct shown t;

    begin(&t, cli, to_stderr, err);
    push_head(&t, r);
    for (size_t i = 0; i < r->n; i++)
        push_kind(&t, &r->kinds[i], ref);
    return end(&t);
}

/* ---- pull ---- */

static void say_entries(struct jw_buf *out, const struct jw_pull_report *r, enum jw_import_state s)
{
    prime_say_count(out, r->counts[s], "entry", "entries");
    jw_buf_text(out, " (");
    jw_text_bytes(out, r->bytes[s]);
    jw_buf_text(out, ")");
}

static void say_fetched(struct jw_buf *out, const struct jw_pull_report *r)
{
    jw_buf_text(out, "; downloaded ");
    jw_text_bytes(out, r->bytes_fetched);
    jw_buf_text(out, " in ");
    jw_text_clock(out, (double)r->milliseconds / 1000);
}

static enum jw_tint say_end(struct jw_buf *out, const struct jw_pull_report *r)
{
    uint64_t to_fetch = 0;

    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            to_fetch += r->kinds[k].layers[i].state == JW_PULL_NEW;
    if (r->missing == r->n) {
        jw_buf_text(out, "No pack fits this machine: ");
        jw_text_clean(out, r->kinds[0].missing);
        return TINT_WARN;
    }
    if (to_fetch) {
        prime_say_count(out, to_fetch, "layer", "layers");
        jw_buf_text(out, " would be downloaded");
        return TINT_NONE;
    }
    if (r->why && r->end != JW_END_PARTLY) {
        jw_buf_text(out, r->end == JW_END_REFUSED ? "Refused: " : "Not imported: ");
        jw_text_clean(out, r->why);
        return TINT_BAD;
    }
    if (r->end == JW_END_INTERRUPTED)
        jw_buf_text(out, "Interrupted: ");
    if (r->counts[JW_IMPORT_IMPORTED]) {
        jw_buf_text(out, r->end == JW_END_INTERRUPTED ? "imported " : "Imported ");
        say_entries(out, r, JW_IMPORT_IMPORTED);
        say_fetched(out, r);
    } else if (r->end == JW_END_PARTLY || r->end == JW_END_INTERRUPTED)
        jw_buf_text(out, r->end == JW_END_PARTLY ? "Nothing was imported" : "nothing was imported");
    else if (r->layers == 1)
        jw_buf_text(out, "Nothing to do: the one layer for this machine is in the cache already");
    else
        jw_buf_printf(out, "Nothing to do: all %llu layers for this machine are in the cache already",
                      (unsigned long long)r->layers);
    return r->end == JW_END_INTERRUPTED || (r->end == JW_END_PARTLY && !r->counts[JW_IMPORT_IMPORTED])
               ? TINT_WARN
               : TINT_GOOD;
}

static const char *state_of(const struct jw_pull_layer *l)
{
    if (l->state == JW_PULL_NEW)
        return "new";
    if (l->state == JW_PULL_HERE || l->end == JW_END_NOTHING)
        return "present";
    if (l->end == JW_END_PARTLY && !l->counts[JW_IMPORT_IMPORTED])
        return "skipped";
    return l->end == JW_END_DONE ? "imported" : jw_end_name(l->end);
}

static void pull_table(struct shown *t, const struct jw_pull_kind *k)
{
    static const struct jw_column columns[] = { { "LAYER", COLUMN_LEFT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "SOFTWARE", COLUMN_TEXT } };
    size_t most = t->cli->common.verbose || k->n <= MOST_LAYERS ? k->n : MOST_LAYERS;
    struct jw_table table;

    if (!k->n)
        return;
    jw_table_begin(&table, t->cli->arena, columns, 3);
    for (size_t i = 0; i < most; i++) {
        jw_table_cell(&table, TINT_NONE, state_of(&k->layers[i]));
        jw_table_cell_bytes(&table, k->layers[i].size);
        jw_table_cell(&table, TINT_NONE, k->layers[i].software);
    }
    end_table(t, &table, most, k->n);
}

static void pull_key(struct shown *t, const struct jw_pull_kind *k)
{
    const char *key = NULL;
    size_t keyed = 0, looked = 0;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < k->n; i++) {
        looked += k->layers[i].state == JW_PULL_IMPORTED && k->layers[i].end != JW_END_INTERRUPTED;
        keyed += k->layers[i].key != NULL;
        key = k->layers[i].key ? k->layers[i].key : key;
    }
    if (!looked || (keyed && keyed < looked))
        return;
    if (key)
        jw_buf_printf(&text, "by key %s", key);
    else
        jw_buf_text(&text, "not by a trusted key");
    jw_page_line(&t->page, key ? TINT_NONE : TINT_WARN, "Signed", &text);
}

static void pull_skipped(struct shown *t, const struct jw_pull_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->counts[JW_IMPORT_FOREIGN]) {
        say_entries(&text, r, JW_IMPORT_FOREIGN);
        jw_buf_text(&text, " of software that was not found here; name its folder or use --foreign");
        jw_page_line(&t->page, TINT_WARN, "Skipped", &text);
    }
    if (r->counts[JW_IMPORT_OUT_OF_SCOPE]) {
        say_entries(&text, r, JW_IMPORT_OUT_OF_SCOPE);
        jw_buf_text(&text, " of software that the key is not trusted for");
        jw_page_line(&t->page, TINT_WARN, "Skipped", &text);
    }
}

bool fleet_pull_text(struct cli *cli, const struct jw_pull_report *r, bool to_stderr, struct jw_err *err)
{
    struct shown t;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    begin(&t, cli, to_stderr, err);
    enum jw_tint tint = say_end(&text, r);
    jw_page_head(&t.page, tint, &text);
    for (size_t i = 0; i < r->n; i++) {
        const struct jw_pull_kind *k = &r->kinds[i];

        pull_table(&t, k);
        put_for(&t, r->machine.driver, r->machine.stamp, k->sm);
        if (k->missing && r->missing < r->n) {
            jw_text_clean(&text, k->missing);
            jw_page_line(&t.page, TINT_WARN, "Missing", &text);
        }
        pull_key(&t, k);
    }
    pull_skipped(&t, r);
    jw_page_whole(&t.page, TINT_NONE, "Cache", r->cache);
    for (size_t i = 0; i < r->notes.n; i++) {
        jw_text_clean(&text, r->notes.v[i]);
        jw_page_line(&t.page, TINT_FAINT, i ? "" : "Note", &text);
    }
    if (r->missing == r->n)
        jw_page_whole(&t.page, TINT_STRONG, "To do",
                      "jitwarm prime, then jitwarm push, on a machine of this kind");
    jw_page_simulated(&t.page, r->machine.simulated);
    return end(&t);
}
