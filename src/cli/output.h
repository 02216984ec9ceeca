/*
 * Standard output, and how words are coloured and wrapped. Every write is checked: the first failure is kept, later writes do nothing,
 * and jw_output_close returns it. A reader that stops early (head, a pager) is no failure.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdio.h>

enum rep_tone { REP_PLAIN, REP_GOOD, REP_WARN, REP_BAD, REP_FAINT };

struct jw_output {
    FILE *to;
    unsigned columns; /* of the terminal, else $COLUMNS; 0: unknown, and tables are not cut */
    size_t width;     /* at which text wraps */
    bool colours, wrote;
    int failed; /* errno of the first write that failed */
};

void jw_output_text(struct jw_output *o, const char *text);
void jw_output_flush(struct jw_output *o);
/* Flushes; call it once, at the end. */
bool jw_output_close(struct jw_output *o, struct jw_err *err) JW_MUST;

/* The escape codes around words, or "" without colours. */
const char *jw_paint_on(bool colours, enum rep_tone tone);
const char *jw_paint_off(bool colours, enum rep_tone tone);

/* Appends `text`, wrapped at `width`: its first line goes on at column `at`, the others begin at `indent`. An empty line in the text
 * stays. A longer word is not broken. */
void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width);

#endif
