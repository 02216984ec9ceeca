#include "base/limits.h"
#include "cache/status/command/status_view.h"
#include "cli/table.h"

enum { SCREEN_GROUPS = 12, SCREEN_LARGEST = 3 };

static const char *kind_words(enum jw_cache_kind kind)
{
    static const char *const words[] = { "CUDA", "NVRTC", "OpenCL", "other" };

    return words[kind];
}

static void cell_whose(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = TINT_FAINT;

    switch (g->standing) {
    case JW_STANDING_CURRENT:
        jw_buf_text(&text, "this machine's driver");
        tint = TINT_GOOD;
        break;
    case JW_STANDING_EARLIER: jw_buf_text(&text, "dead: an earlier driver of this machine"); break;
    case JW_STANDING_FOREIGN: jw_buf_text(&text, "dead: a driver that was never probed here"); break;
    case JW_STANDING_UNKNOWN: jw_buf_text(&text, "-"); break;
    }
    if (g->driver && g->driver->version)
        jw_buf_printf(&text, ", %s%s", g->driver->version, g->driver->simulated ? " (simulated)" : "");
    jw_table_cell(t, tint, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* "torch, libggml-cuda.so and 3 more" */
static void cell_origins(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < g->n_origins; i++)
        jw_buf_printf(&text, "%s%s", i ? ", " : "", g->origins[i].origin);
    if (g->more_origins)
        jw_buf_printf(&text, " and %zu more", g->more_origins);
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

/* Where no origin is known, there is no column for it. */
bool status_tell_groups(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    static const struct jw_column plain[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                              { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                              { "SIZE", COLUMN_RIGHT }, { "WHOSE", COLUMN_TEXT } };
    static const struct jw_column full[] = { { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
                                             { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
                                             { "SIZE", COLUMN_RIGHT }, { "WHOSE", COLUMN_LEFT },
                                             { "FROM", COLUMN_TEXT } };
    size_t shown = cli->common.verbose || r->n_groups <= SCREEN_GROUPS ? r->n_groups : SCREEN_GROUPS;
    bool origins = know_origins(r, shown);
    struct jw_table t;

    jw_table_begin(&t, cli->arena, origins ? full : plain, origins ? JW_COUNT(full) : JW_COUNT(plain));
    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_table_cell(&t, TINT_NONE, kind_words(g->kind));
        jw_table_cell(&t, TINT_NONE, *g->stamp ? jw_stamp_text(g->stamp).text : "-");
        jw_table_cell(&t, TINT_NONE, *g->arch ? g->arch : "-");
        jw_table_cell_count(&t, g->entries);
        jw_table_cell_bytes(&t, g->bytes);
        cell_whose(&t, g);
        if (origins)
            cell_origins(&t, g);
    }
    if (shown)
        jw_answer_text(&cli->answer, "\n");
    if (!jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err))
        return false;
    if (shown < r->n_groups)
        jw_answer_printf(&cli->answer, "and %zu more (--verbose lists all)\n", r->n_groups - shown);
    return true;
}

bool status_tell_largest(struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
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
        jw_table_cell_bytes(&t, f->entry.key_size + f->entry.payload_size);
        jw_table_cell(&t, TINT_NONE, *f->arch ? f->arch : "-");
        jw_table_cell(&t, TINT_NONE, kind_words(f->kind));
        jw_table_cell(&t, TINT_NONE, *f->stamp ? jw_stamp_text(f->stamp).text : "-");
        if (origins)
            jw_table_cell(&t, TINT_NONE, r->largest[i].origin ? r->largest[i].origin : "-");
    }
    jw_answer_text(&cli->answer, "\n");
    return jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err);
}
