/*
 * A text table: two blanks between columns, a faint header, wide characters aligned. To fit a terminal it cuts the
 * flexible column; if that is not enough, each row takes several lines. Without a width nothing is cut.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/arena.h"
#include "base/source.h"
#include "cli/paint.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_column_kind {
    COLUMN_LEFT,
    COLUMN_RIGHT,
    COLUMN_TEXT, /* left, flexible: cut at its end */
    COLUMN_GPU,  /* left, flexible: its last word, the compute capability, is never cut */
    COLUMN_PATH  /* left, flexible: cut in its middle */
};

struct jw_column {
    const char *title;
    enum jw_column_kind kind;
};

struct jw_table_row;

struct jw_table {
    struct jw_arena *arena;
    const struct jw_column *columns;
    size_t n;
    struct jw_table_row *first, *last;
    size_t filled; /* cells of the last row */
};

/* `columns` is borrowed; at most one of them may be flexible. Rows live in `a`. */
void jw_table_begin(struct jw_table *t, struct jw_arena *a, const struct jw_column *columns, size_t n);

/* Adds the next cell; after the last column a new row starts. Copies and cleans the text. */
void jw_table_cell(struct jw_table *t, enum jw_tint tint, const char *text);
void jw_table_cellf(struct jw_table *t, enum jw_tint tint, const char *fmt, ...) JW_PRINTF(3, 4);
void jw_table_cell_bytes(struct jw_table *t, uint64_t bytes); /* "12.3 MiB" */
void jw_table_cell_count(struct jw_table *t, uint64_t n);     /* "12,345" */

/* `width`: columns of the terminal; 0: no limit. A table without rows prints nothing. */
bool jw_table_print(const struct jw_table *t, struct jw_paint paint, unsigned width, struct jw_sink to,
                    struct jw_err *err) JW_MUST;

#endif
