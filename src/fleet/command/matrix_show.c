/* list REF: the kinds of machines that a registry, a web server or a folder has packs for. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "fleet/command/fleet_view.h"
#include "fleet/matrix.h"
#include "machine/listing.h"

#include <string.h>

enum { LABEL = 10 };

#define M struct jw_matrix
#define K struct jw_matrix_kind

static const struct jw_row kind_rows[] = {
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

static const struct jw_row rows[] = {
    { JW_ROW("from", M, from) },
    { JW_LIST("kinds", M, kinds, n, kind_rows), JW_ABOUT("by driver, then by architecture") },
    { JW_TEXTS("missing", M, missing, n_missing),
      JW_ABOUT("of each driver the architectures that another driver has, and it has not") },
    { JW_ROW("requests", M, requests), JW_ABOUT("indexes that were read") },
    { 0 },
};

const struct jw_form matrix_form = { .verb = "matrix",
                                     .about = "The kinds of machines that a remote has packs for.",
                                     .rows = rows };

static void put_kinds(struct jw_page *page, struct cli *cli, const M *m)
{
    static const struct jw_column columns[] = {
        { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },    { "ENTRIES", COLUMN_RIGHT },
        { "PACKED", COLUMN_RIGHT },  { "PUSHED", COLUMN_LEFT }, { "SIGNED", COLUMN_LEFT },
        { "SOFTWARE", COLUMN_TEXT },
    };
    struct jw_table table;

    jw_table_begin(&table, cli->arena, columns, JW_COUNT(columns));
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
    jw_page_table(page, &table);
}

static bool write_matrix(struct cli *cli, const M *m, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    if (!m->n)
        jw_page_say(&page, TINT_WARN, NULL, "%s has no packs", m->from);
    else
        put_kinds(&page, cli, m);
    for (size_t i = 0; i < m->n_missing; i++)
        jw_page_say(&page, TINT_WARN, i ? "" : "Missing", "%s", m->missing[i]);
    return !page.bad;
}

bool matrix_is_remote(struct cli *cli, const char *word)
{
    return strstr(word, "://") || jw_is_file(jw_path_join(cli->arena, word, "index.json"));
}

int matrix_list(struct cli *cli, const struct net_args *net, const char *word)
{
    struct jw_matrix m;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };
    const char *text = strstr(word, "://") || jw_path_absolute(word) || jw_text_starts(word, ".")
                           ? word
                           : jw_arena_printf(cli->arena, "./%s", word);

    if (!jw_ref_parse(text, cli->arena, &ref, &err))
        return jw_cli_usage(cli, &err);

    struct jw_remote_options o = fleet_net(cli, net, &ref);

    const struct jw_run run = jw_session_run(&cli->session);

    o.run = &run;
    bool ok = jw_matrix_list(&o, &ref, cli->arena, &m, &err)
              && (cli->common.json ? jw_output_report(&cli->out, &matrix_form, &m, &err)
                                   : write_matrix(cli, &m, &err));

    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}
