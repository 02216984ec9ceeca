/*
 * A text table: two blanks between columns, a faint header, wide characters aligned. To fit a terminal it cuts its flexible column, but
 * not below twenty columns; then it drops columns from the right, never the first.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/paint.h"

struct jw_table_column {
    const char *title;
    bool right;    /* numbers */
    bool path;     /* cut in its middle */
    bool flexible; /* at most one */
};

struct jw_table_cell {
    const char *text; /* cleaned */
    enum jw_tint tint;
};

/* Appends it: `cells` row by row. `width` 0: no limit. Without rows: nothing. */
void jw_table_put(struct jw_buf *out, struct jw_arena *a, const struct jw_table_column *columns,
                  size_t n_columns, const struct jw_table_cell *cells, size_t n_rows, struct jw_paint paint,
                  unsigned width);

#endif
