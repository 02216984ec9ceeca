/* A few lines at the bottom of a terminal, redrawn in place. Each update is one write. */
#ifndef CLI_PROGRESS_BLOCK_H
#define CLI_PROGRESS_BLOCK_H

#include "base/buf.h"
#include "cli/paint.h"

enum { JW_BLOCK_LINES = 8 };

struct jw_block {
    unsigned n;                    /* lines on the screen; the cursor is at the end of the last one */
    size_t widths[JW_BLOCK_LINES]; /* of each line: a narrowed terminal has wrapped them */
};

/* Appends the codes that replace the block with the lines of `text`. Each line is cut before the last column, so that
 * nothing wraps; lines after JW_BLOCK_LINES are dropped. All but the first are faint. */
void jw_block_draw(struct jw_block *b, const char *text, unsigned columns, struct jw_paint paint,
                   struct jw_buf *out);

/* Appends the codes that erase the block; the cursor returns to its start. */
void jw_block_erase(struct jw_block *b, unsigned columns, struct jw_buf *out);

#endif
