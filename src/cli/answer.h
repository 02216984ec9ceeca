/*
 * stdout, the answer. Every write goes through here and is checked: the first failure is kept, later writes
 * do nothing, and jw_answer_close reports it. A reader that left early (head, a pager) had what it wanted: on
 * Linux SIGPIPE ends us as it ends every tool; where it is ignored, and on Windows, the rest is dropped in
 * silence and the exit code is that of the work.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "base/rows.h"
#include "cli/paint.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdio.h>

struct jw_answer {
    FILE *to;
    struct jw_paint paint;
    unsigned columns; /* of the terminal, else $COLUMNS; 0: neither, and tables are not cut */
    size_t width;     /* at which text wraps */
    bool failed, dropped;
    bool muted;        /* --quiet, and --progress json: a page for people is not written */
    struct jw_err err; /* when failed */
};

void jw_answer_open(struct jw_answer *a, FILE *to, unsigned columns, size_t width);

void jw_answer_text(struct jw_answer *a, const char *text);
void jw_answer_printf(struct jw_answer *a, const char *fmt, ...)
    JW_PRINTF(2, 3);                       /* up to JW_MAX_LINE bytes at once */
void jw_answer_flush(struct jw_answer *a); /* a reader waits for what was written */
struct jw_sink jw_answer_sink(struct jw_answer *a);
/* Begins a report: an object whose first field names its schema. */
void jw_answer_json(struct jw_answer *a, struct jw_json *j, const char *schema, struct jw_err *err);
/* The whole of one. */
bool jw_answer_report(struct jw_answer *a, const struct jw_form *form, const void *of,
                      struct jw_err *err) JW_MUST;

bool jw_answer_close(struct jw_answer *a, struct jw_err *err) JW_MUST; /* flushes; once, at the end */

#endif
