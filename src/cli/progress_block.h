/* A few lines at the bottom of a terminal that are drawn over and over: what has to be sent, as one write. */
#ifndef CLI_PROGRESS_BLOCK_H
#define CLI_PROGRESS_BLOCK_H

#include "base/buf.h"
#include "cli/paint.h"

enum { JW_BLOCK_LINES = 8 };

struct jw_block {
    unsigned n;                    /* lines that stand there now; the cursor is at the end of the last one */
    size_t widths[JW_BLOCK_LINES]; /* of each: a terminal that was made narrower has wrapped them since */
};

/* Appends what draws `text`, lines with a line feed between them, over the block. Each is cut before the last column, so
 * that nothing wraps; those past JW_BLOCK_LINES are left out. Below the first they are faint. */
void jw_block_draw(struct jw_block *b, const char *text, unsigned columns, struct jw_paint paint,
                   struct jw_buf *out);

/* Appends what makes the block disappear, with the cursor where it began. */
void jw_block_erase(struct jw_block *b, unsigned columns, struct jw_buf *out);

#endif
