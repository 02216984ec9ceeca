/*
 * Standard output. Every write is checked: the first failure is kept, later writes do nothing, and jw_output_close
 * returns it. A reader that stops early (head, a pager) is no failure.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/compiler.h"
#include "cli/paint.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdio.h>

struct jw_output {
    FILE *to;
    struct jw_paint paint;
    unsigned columns; /* of the terminal, else $COLUMNS; 0: unknown, and tables are not cut */
    size_t width;     /* at which text wraps */
    bool failed;
    bool wrote;
    bool dropped;      /* the reader has gone: further output is discarded */
    struct jw_err err; /* when failed */
};

void jw_output_open(struct jw_output *o, FILE *to, unsigned columns, size_t width);

void jw_output_text(struct jw_output *o, const char *text);
void jw_output_flush(struct jw_output *o);

/* Flushes; call it once, at the end. */
bool jw_output_close(struct jw_output *o, struct jw_err *err) JW_MUST;

#endif
