#include "cli/table.h"

#include "base/text.h"

enum { GAP = 2, NARROWEST = 20 };

struct table {
    const struct jw_table_column *columns;
    size_t n_columns, *widths; /* a width of 0: dropped */
    const struct jw_table_cell *cells;
    size_t n_rows;
    struct jw_paint paint;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure(struct table *t, unsigned width)
{
    size_t total = 0, flexible = t->n_columns;

    for (size_t c = 0; c < t->n_columns; c++) {
        t->widths[c] = jw_text_width(t->columns[c].title);
        for (size_t r = 0; r < t->n_rows; r++)
            t->widths[c] = larger(t->widths[c], jw_text_width(t->cells[r * t->n_columns + c].text));
        t->widths[c] = larger(t->widths[c], 1);
        total += t->widths[c] + (c ? GAP : 0);
        if (t->columns[c].flexible)
            flexible = c;
    }

    size_t spare =
        flexible < t->n_columns && t->widths[flexible] > NARROWEST ? t->widths[flexible] - NARROWEST : 0;

    for (size_t c = t->n_columns; width && total > width + spare && --c > 0;)
        if (c != flexible) {
            total -= t->widths[c] + GAP;
            t->widths[c] = 0;
        }
    if (width && total > width && flexible < t->n_columns)
        t->widths[flexible] -= total - width < t->widths[flexible] ? total - width : 0;
}

/* Padding is not coloured, and none ends a line. */
static void put_row(const struct table *t, const struct jw_table_cell *cells, struct jw_buf *out)
{
    size_t owed = 0; /* blanks before the next text */

    for (size_t c = 0; c < t->n_columns; c++) {
        const struct jw_table_column *column = &t->columns[c];
        const char *text = cells ? cells[c].text : column->title;
        enum jw_tint tint = cells ? cells[c].tint : TINT_FAINT;
        size_t width = t->widths[c], natural = jw_text_width(text), shown = natural < width ? natural : width;

        if (!width)
            continue;
        owed += column->right ? width - shown : 0;
        if (shown) {
            jw_buf_fill(out, ' ', owed);
            owed = 0;
            jw_buf_text(out, jw_paint_on(t->paint, tint));
            (column->path ? jw_text_fit_path : jw_text_fit)(out, text, shown);
            jw_buf_text(out, jw_paint_off(t->paint, tint));
        }
        owed += GAP + (column->right ? 0 : width - shown);
    }
    while (out->n && !out->bad && out->p[out->n - 1] == ' ') /* half a wide character was cut */
        out->n--;
    jw_buf_text(out, "\n");
}

void jw_table_put(struct jw_buf *out, struct jw_arena *a, const struct jw_table_column *columns,
                  size_t n_columns, const struct jw_table_cell *cells, size_t n_rows, struct jw_paint paint,
                  unsigned width)
{
    struct table t = { columns, n_columns, jw_arena_alloc(a, n_columns * sizeof *t.widths),
                       cells,   n_rows,    paint };

    if (!n_rows)
        return;
    measure(&t, width);
    put_row(&t, NULL, out);
    for (size_t r = 0; r < n_rows; r++)
        put_row(&t, cells + r * n_columns, out);
}
