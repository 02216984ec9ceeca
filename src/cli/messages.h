/*
 * Messages, on stderr: one sentence per line, and on a terminal a line of progress, or a few. Foreign text in a message
 * cannot move the cursor: control characters and bytes that are not UTF-8 are shown as \xNN. One thread at
 * a time.
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "base/buf.h"
#include "cli/paint.h"
#include "cli/progress_block.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum jw_messages_level { MESSAGES_QUIET, MESSAGES_NORMAL, MESSAGES_VERBOSE };

/* When to draw: not in the first second, then ten times a second at most. */
struct jw_pace {
    bool started, drawn;
    uint64_t began, last; /* nanoseconds, monotonic */
};

struct jw_messages {
    FILE *to;
    enum jw_messages_level level;
    struct jw_paint paint;
    bool terminal;
    bool moves; /* a terminal whose cursor can be moved; false until somebody says so */
    unsigned columns;
    struct jw_pace pace;
    struct jw_block block;
};

void jw_messages_open(struct jw_messages *s, FILE *to, bool terminal, unsigned columns);

/* "jitwarm: sentence". Errors are always printed, the rest not with --quiet, details only with --verbose. */
void jw_messages_error(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_messages_warn(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_messages_say(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_messages_detail(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);

/* "jitwarm VERB: sentence", an error; `verb` NULL: "jitwarm: sentence". */
void jw_messages_usage(struct jw_messages *s, const char *verb, const char *fmt, ...) JW_PRINTF(3, 4);

/* A page that jitwarm made, as it is. */
void jw_messages_page(struct jw_messages *s, const char *text);

/* Call it as often as you like. The line is cut to the terminal, erased by the next message and by
 * jw_messages_progress_end, which every long work calls when it ends. */
void jw_messages_progress(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);

/* The same with more lines: true when it is time to draw them, with `columns` as they are now; then
 * jw_messages_block draws. A terminal whose cursor cannot be moved gets the first line. */
bool jw_messages_block_due(struct jw_messages *s);
void jw_messages_block(struct jw_messages *s, const char *lines);

void jw_messages_progress_end(struct jw_messages *s);

/* The rule of the progress line alone: is it time to draw at `now`? */
bool jw_pace_due(struct jw_pace *p, uint64_t now);

#endif
