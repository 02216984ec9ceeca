#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "fleet/command/fleet_view.h"
#include "os/machine/env.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 10, MAX_LAYERS = 12 };

struct shown {
    struct jw_page page;
    struct cli *cli;
    const char *public_key;
};

static void put_for(struct shown *t, const char *driver, const char *stamp, uint16_t sm)
{
    if (driver)
        jw_page_say(&t->page, TINT_NONE, "For", "driver %s, sm_%u", driver, (unsigned)sm);
    else /* "Jan  7 202622:51:46" */
        jw_page_say(&t->page, TINT_NONE, "For", "driver built %s, sm_%u", jw_stamp_text(stamp).text,
                    (unsigned)sm);
}

/* ---- push ---- */

static void push_head(struct shown *t, const struct jw_push_report *r)
{
    uint64_t left = r->layers - r->layers_moved;

    if (!r->layers_moved)
        jw_page_say(&t->page, TINT_GOOD, NULL, "Nothing to push: %s%s (%s) %s there already",
                    r->layers == 1 ? "" : "all ", JW_N(r->layers, "layer", "layers"), JW_SIZE(r->bytes),
                    r->layers == 1 ? "is" : "are");
    else if (left)
        jw_page_say(&t->page, TINT_GOOD, NULL, "Pushed %s (%s); %llu more %s there already",
                    JW_N(r->layers_moved, "layer", "layers"), JW_SIZE(r->bytes_moved),
                    (unsigned long long)left, left == 1 ? "was" : "were");
    else
        jw_page_say(&t->page, TINT_GOOD, NULL, "Pushed %s (%s)", JW_N(r->layers_moved, "layer", "layers"),
                    JW_SIZE(r->bytes_moved));
}

static void end_table(struct shown *t, struct jw_table *table, size_t shown, size_t all)
{
    jw_page_put(&t->page, "\n");
    jw_page_table(&t->page, table);
    if (all > shown)
        jw_page_put(&t->page, "and %zu more (--verbose lists all)\n", all - shown);
    jw_page_put(&t->page, "\n");
}

/* Of one kind: its layers. Of several: each row says of which kind it is. */
static void push_table(struct shown *t, const struct jw_push_kind *kinds, size_t n)
{
    static const struct jw_column columns[] = { { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },
                                                { "LAYER", COLUMN_LEFT },    { "SIZE", COLUMN_RIGHT },
                                                { "ENTRIES", COLUMN_RIGHT }, { "SOFTWARE", COLUMN_TEXT } };
    size_t skipped = n == 1 ? 2 : 0, all = 0, shown = 0;
    struct jw_table table;

    for (size_t k = 0; k < n; k++)
        all += kinds[k].n;
    size_t max = t->cli->common.verbose || all <= MAX_LAYERS ? all : MAX_LAYERS;

    jw_table_begin(&table, t->cli->arena, columns + skipped, JW_COUNT(columns) - skipped);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < kinds[k].n && shown < max; i++, shown++) {
            const struct jw_push_layer *l = &kinds[k].layers[i];

            if (!skipped) {
                jw_table_cell(&table, TINT_NONE,
                              kinds[k].driver ? kinds[k].driver : jw_stamp_text(kinds[k].stamp).text);
                jw_table_cellf(&table, TINT_NONE, "sm_%u", (unsigned)kinds[k].sm);
            }
            jw_table_cell(&table, l->moved ? TINT_GOOD : TINT_FAINT,
                          l->kept    ? "kept"
                          : l->moved ? "pushed"
                                     : "there");
            jw_table_cell_bytes(&table, l->size);
            jw_table_cell_count(&table, l->entries);
            jw_table_cell(&table, TINT_NONE, l->software);
        }
    end_table(t, &table, max, all);
}

/* As export's last line: it works where it is pasted, also where jitwarm does not find the software by itself. Of packs
 * that were signed before, only their signer has the public key. The second line is for good; a folder is the same one for
 * each run of a machine only by its whole name. */
static void show_use(struct shown *t, const struct jw_ref *ref, bool is_signed)
{
    bool windows = jw_os_is_windows(), lasts = is_signed && t->public_key;
    const char *key = t->public_key ? t->public_key : "KEY", *note = "   # KEY: the public key of the signer";
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_command_line(&text, (const char *const[]){ "jitwarm", "pull", ref->text, NULL }, windows);
    if (is_signed)
        jw_say(&text, " --trust %s", key);
    else
        jw_buf_text(&text, " --allow-unsigned");
    jw_say(&text, " --everything%s", is_signed && !lasts ? note : "");
    jw_page_whole(&t->page, TINT_STRONG, "Use it", "%s", jw_buf_cstr(&text));
    if (lasts && (ref->kind != JW_REF_FOLDER || jw_path_absolute(ref->text))) {
        jw_buf_clear(&text);
        if (!windows)
            jw_buf_text(&text, "sudo ");
        jw_command_line(&text,
                        (const char *const[]){ "jitwarm", "startup", "install", "--system", "--source",
                                               ref->text, "--trust", key, NULL },
                        windows);
        jw_page_whole(&t->page, TINT_STRONG, "Or enrol", "%s", jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
}

/* How many layers stayed, and went. */
static void show_earlier(struct shown *t, const struct jw_push_kind *kinds, size_t n)
{
    const char *key = NULL;
    uint64_t kept = 0, replaced = 0;

    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < kinds[k].n; i++)
            kept += kinds[k].layers[i].kept;
        replaced += kinds[k].replaced;
        key = kinds[k].replaced_key ? kinds[k].replaced_key : key;
    }
    if (kept)
        jw_page_say(&t->page, TINT_NONE, "Kept", "%s of earlier pushes (to remove: --replace)",
                    JW_N(kept, "layer", "layers"));
    if (replaced)
        jw_page_say(&t->page, key ? TINT_WARN : TINT_NONE, "Replaced", "%s of earlier pushes%s%s",
                    JW_N(replaced, "layer", "layers"), key ? ", signed by key " : "", key ? key : "");
}

static void push_kind(struct shown *t, const struct jw_push_kind *k, const struct jw_ref *ref)
{
    push_table(t, k, 1);
    show_earlier(t, k, 1);
    put_for(t, k->driver, k->stamp, k->sm);
    jw_page_whole(&t->page, TINT_NONE, "To", "%s", jw_ref_with_tag(ref, k->tag, t->cli->arena));
    jw_page_rows(&t->page, TINT_FAINT, fleet_push_rows, k);
}

static bool all_signed(const struct jw_push_report *r)
{
    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            if (!r->kinds[k].layers[i].key && !r->kinds[k].layers[i].kept)
                return false;
    return true;
}

bool fleet_push_text(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     const char *public_key, bool a_part, struct jw_err *err)
{
    struct shown t = { .cli = cli, .public_key = public_key };

    jw_page_open(&t.page, cli, LABEL, err);
    push_head(&t, r);
    if (r->n == 1 || cli->common.verbose)
        for (size_t i = 0; i < r->n; i++)
            push_kind(&t, &r->kinds[i], ref);
    else if (r->n) {
        push_table(&t, r->kinds, r->n);
        show_earlier(&t, r->kinds, r->n);
        jw_page_whole(&t.page, TINT_NONE, "To", "%s", ref->text);
    }
    if (r->n && !a_part)
        show_use(&t, ref, all_signed(r));
    if (r->n)
        jw_page_end(&t.page, r->kinds[0].stamp);
    return !t.page.bad;
}

bool fleet_push_use(struct cli *cli, const struct jw_ref *ref, const char *public_key, struct jw_err *err)
{
    struct shown t = { .cli = cli, .public_key = public_key };

    jw_page_open(&t.page, cli, LABEL, err);
    show_use(&t, ref, public_key != NULL);
    return !t.page.bad;
}

/* ---- pull ---- */

static enum jw_tint say_end(struct jw_buf *out, const struct jw_pull_report *r)
{
    uint64_t to_fetch = 0;

    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            to_fetch += r->kinds[k].layers[i].state == JW_PULL_NEW;
    if (jw_pull_fits_none(r)) {
        jw_say(out, "No pack fits this machine: %s", r->kinds[0].missing);
        return TINT_WARN;
    }
    if (to_fetch) {
        jw_say(out, "%s would be downloaded", JW_N(to_fetch, "layer", "layers"));
        return TINT_NONE;
    }
    if (r->why && r->end != JW_END_PARTLY) {
        jw_say(out, "%s: %s", r->end == JW_END_REFUSED ? "Refused" : "Not imported", r->why);
        return TINT_BAD;
    }
    if (r->end == JW_END_INTERRUPTED)
        jw_say(out, "Interrupted: ");
    if (r->counts[JW_IMPORT_IMPORTED])
        jw_say(out, "%s %s (%s); downloaded %s in %s", r->end == JW_END_INTERRUPTED ? "imported" : "Imported",
               JW_N(r->counts[JW_IMPORT_IMPORTED], "entry", "entries"), JW_SIZE(r->bytes[JW_IMPORT_IMPORTED]),
               JW_SIZE(r->bytes_fetched), JW_TOOK((double)r->milliseconds / 1000));
    else if (r->end == JW_END_INTERRUPTED || (r->end == JW_END_PARTLY && r->fetched))
        jw_say(out, r->end == JW_END_PARTLY ? "Nothing was imported" : "nothing was imported");
    else
        jw_say(out, "%s%s for this machine %s in the cache already",
               r->end == JW_END_NOTHING ? "Nothing to do: " : "",
               r->layers == 1 ? "the one layer" : JW_PHRASE("all %s layers", JW_NUM(r->layers)),
               r->layers == 1 ? "is" : "are");
    if (r->end == JW_END_PARTLY && r->why)
        jw_say(out, ", but %s", r->why);
    out->p[0] = (uint8_t)toupper(out->p[0]);
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
    size_t max = t->cli->common.verbose || k->n <= MAX_LAYERS ? k->n : MAX_LAYERS;
    struct jw_table table;

    if (!k->n)
        return;
    jw_table_begin(&table, t->cli->arena, columns, 3);
    for (size_t i = 0; i < max; i++) {
        jw_table_cell(&table, TINT_NONE, state_of(&k->layers[i]));
        jw_table_cell_bytes(&table, k->layers[i].size);
        jw_table_cell(&table, TINT_NONE, k->layers[i].software);
    }
    end_table(t, &table, max, k->n);
}

static void pull_key(struct shown *t, const struct jw_pull_kind *k)
{
    const char *key = NULL;
    size_t keyed = 0, looked = 0, bare = 0;

    for (size_t i = 0; i < k->n; i++) {
        looked += k->layers[i].state == JW_PULL_IMPORTED && k->layers[i].end != JW_END_INTERRUPTED;
        keyed += k->layers[i].key != NULL;
        bare += k->layers[i].is_unsigned;
        key = k->layers[i].key ? k->layers[i].key : key;
    }
    if (!looked || (keyed && keyed < looked))
        return;
    jw_page_say(&t->page, key ? TINT_NONE : TINT_WARN, "Signed", "%s%s",
                key              ? "by key "
                : bare == looked ? "no: nothing shows who made the packs"
                                 : "not by a trusted key",
                key ? key : "");
}

static void pull_skipped(struct shown *t, const struct jw_pull_report *r)
{
    static const struct {
        enum jw_import_state state;
        const char *why;
    } all[] = { { JW_IMPORT_FOREIGN, "was not found here; name its folder or use --everything" } };

    for (size_t i = 0; i < JW_COUNT(all); i++)
        if (r->counts[all[i].state])
            jw_page_say(&t->page, TINT_WARN, "Skipped", "%s (%s) of software that %s",
                        JW_N(r->counts[all[i].state], "entry", "entries"), JW_SIZE(r->bytes[all[i].state]),
                        all[i].why);
}

bool fleet_pull_text(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref,
                     bool to_stderr, struct jw_err *err)
{
    struct shown t = { .cli = cli };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    (to_stderr ? jw_page_open_stderr : jw_page_open)(&t.page, cli, LABEL, err);
    enum jw_tint tint = say_end(&text, r);
    jw_page_head(&t.page, tint, &text);
    for (size_t i = 0; i < r->n; i++) {
        const struct jw_pull_kind *k = &r->kinds[i];

        pull_table(&t, k);
        put_for(&t, r->machine.driver, r->machine.stamp, k->sm);
        if (!jw_pull_fits_none(r))
            jw_page_rows(&t.page, TINT_WARN, fleet_pull_kind_rows, k);
        pull_key(&t, k);
    }
    pull_skipped(&t, r);
    jw_page_rows(&t.page, TINT_FAINT, fleet_pull_rows, r);
    if (jw_pull_fits_none(r))
        jw_page_whole(&t.page, TINT_STRONG, "To do", "jitwarm prime && %s   # on a machine of this kind",
                      JW_COMMAND(cli->arena, jw_os_is_windows(), "jitwarm", "push", ref->text));
    jw_page_end(&t.page, r->machine.stamp);
    return jw_page_close(&t.page, cli);
}
