/* A page for people: sentences over the whole width, and lines with a label that are wrapped under themselves. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/buf.h"
#include "base/source.h"
#include "cli/paint.h"
#include "cli/table.h"

struct cli;

struct jw_page {
    struct jw_sink to;
    struct jw_paint paint;
    size_t label;     /* columns of a label, its gap included */
    size_t width;     /* at which text wraps */
    unsigned columns; /* of the terminal; 0: none, and tables are not cut */
    struct jw_err *err;
    bool bad; /* see err; later calls do nothing */
};

/* Into the answer of `cli`. */
void jw_page_open(struct jw_page *p, struct cli *cli, size_t label, struct jw_err *err);

void jw_page_put(struct jw_page *p, const char *text); /* as it is */

/* The last line of what a simulated driver had a hand in. */
void jw_page_simulated(struct jw_page *p, bool simulated);

/* Both free `text`, and write nothing when it is empty. Its blanks may become line breaks. */
void jw_page_line(struct jw_page *p, enum jw_tint tint, const char *label, struct jw_buf *text);
void jw_page_sentence(struct jw_page *p, enum jw_tint tint, struct jw_buf *text);

/* The same of a text as jw_say has it; `label` NULL: a sentence. */
void jw_page_say(struct jw_page *p, enum jw_tint tint, const char *label, const char *fmt, ...)
    JW_PRINTF(4, 5);

/* What is copied rather than read (a command, a path) keeps its blanks. Control characters are shown. */
void jw_page_whole(struct jw_page *p, enum jw_tint tint, const char *label, const char *text);

void jw_page_table(struct jw_page *p, const struct jw_table *t);

/* Rows that a terminal of `width` columns needs for what is written to the sink. Zeroed but for its first two. */
struct jw_rows {
    struct jw_buf line; /* JW_BUF(JW_MAX_LINE) */
    size_t width;
    size_t n;
};

struct jw_sink jw_rows_sink(struct jw_rows *r);

#endif
