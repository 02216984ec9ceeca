#include "cli/progress_block.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

/* Moves to the start of the block; returns its rows. */
static unsigned to_start(const struct jw_block *b, unsigned columns, struct jw_buf *out)
{
    unsigned rows = 0;

    for (unsigned i = 0; i < b->n; i++)
        rows += b->widths[i] > columns ? (unsigned)((b->widths[i] + columns - 1) / columns) : 1;
    jw_buf_text(out, "\r");
    if (rows > 1)
        jw_buf_printf(out, "\033[%uA", rows - 1);
    return rows;
}

static size_t put_line(struct jw_buf *out, const char *line, unsigned columns, enum jw_tint tint,
                       struct jw_paint paint)
{
    size_t width = jw_text_width(line);

    if (width >= columns)
        width = columns - 1;
    jw_buf_text(out, jw_paint_on(paint, tint));
    jw_text_fit(out, line, width);
    jw_buf_text(out, jw_paint_off(paint, tint));
    jw_buf_text(out, "\033[K");
    return width;
}

void jw_block_draw(struct jw_block *b, const char *text, unsigned columns, struct jw_paint paint,
                   struct jw_buf *out)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    unsigned before;

    if (columns < 2)
        return;
    before = to_start(b, columns, out);
    b->n = 0;
    for (const char *end; b->n < JW_BLOCK_LINES; text = end + 1) {
        end = text + strcspn(text, "\n");
        jw_buf_clear(&line);
        jw_buf_add(&line, text, (size_t)(end - text));
        jw_buf_text(out, b->n ? "\n" : "");
        b->widths[b->n] = put_line(out, jw_buf_cstr(&line), columns, b->n ? TINT_FAINT : TINT_NONE, paint);
        b->n++;
        if (!*end)
            break;
    }
    if (before > b->n)
        jw_buf_text(out, "\033[J");
    jw_buf_free(&line);
}

void jw_block_erase(struct jw_block *b, unsigned columns, struct jw_buf *out)
{
    if (!b->n)
        return;
    (void)to_start(b, columns ? columns : 1, out);
    jw_buf_text(out, "\033[J");
    b->n = 0;
}
