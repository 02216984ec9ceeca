/*
 * Messages on stderr: one sentence per line, and progress lines on a terminal. Control characters and invalid UTF-8
 * are shown as \xNN, so that text from files cannot move the cursor. Not thread-safe.
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "cli/output.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Draws nothing in the first second, then at most ten times a second. */
struct jw_pace {
    bool drawn;
    uint64_t began, last; /* nanoseconds, monotonic; 0: not yet */
};

struct jw_messages {
    FILE *to;
    bool quiet; /* errors only */
    bool colours, terminal;
    unsigned columns;
    struct jw_pace pace;
};

/* "jitwarm: sentence" */
void jw_messages_error(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_messages_warn(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_messages_say(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);

/* Prints a page as it is. */
void jw_messages_page(struct jw_messages *s, const char *text);

/* Draws one progress line when it is due, cut to the terminal. The next message erases it, and so does
 * jw_messages_progress_end, which ends all long work. */
void jw_messages_progress(struct jw_messages *s, const char *fmt, ...) JW_PRINTF(2, 3);

void jw_messages_progress_end(struct jw_messages *s);

/* Is it time to draw at `now`? */
bool jw_pace_due(struct jw_pace *p, uint64_t now);

#endif
