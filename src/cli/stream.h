/* Standard output and standard error: text as it is, messages of one sentence a line, progress
 * lines on a terminal; and how words are coloured and wrapped. In messages control characters and
 * invalid UTF-8 are shown as \xNN, so that text from files cannot move the cursor. Every write is
 * checked: the first failure is kept, later writes do nothing. Not thread-safe. */
#pragma once

#include "base/buf.h"

#include <stdio.h>

enum rep_tone { REP_PLAIN, REP_GOOD, REP_WARN, REP_BAD, REP_FAINT, REP_TONES };

struct jw_stream {
    FILE *to;
    bool terminal, colours;
    bool quiet;       /* errors only */
    unsigned columns; /* width of the terminal, else $COLUMNS; 0: unknown, and tables are not cut */
    size_t width;     /* where text wraps */
    bool wrote;
    int failed;   /* errno of the first write that failed */
    bool drawn;   /* a progress line is on the screen */
    uint64_t due; /* when progress is drawn next, monotonic nanoseconds; 0: it has not begun */
};

/* Writes the text as it is, at once, over a progress line. */
void jw_stream_text(struct jw_stream *s, const char *text);

/* Writes "jitwarm: sentence" in one line, however long, for logs and grep. */
void jw_message(struct jw_stream *s, enum rep_tone tone, const char *fmt, ...) JW_PRINTF(3, 4);
#define jw_messages_error(s, ...) jw_message(s, REP_BAD, __VA_ARGS__)
#define jw_messages_warn(s, ...) jw_message(s, REP_WARN, __VA_ARGS__)
#define jw_messages_say(s, ...) jw_message(s, REP_PLAIN, __VA_ARGS__)

/* Draws clean `text` when it is due, cut to the terminal: nothing in the first second, then at most
 * ten times a second. The next text erases it, and so does jw_messages_progress_end, which ends all
 * long work. */
void jw_messages_progress(struct jw_stream *s, const char *text);
void jw_messages_progress_end(struct jw_stream *s);

/* Is progress due at this time? */
bool jw_stream_is_due(struct jw_stream *s, uint64_t now);

/* Escape codes before words of this tone; "" without colours. */
const char *jw_paint_on(bool colours, enum rep_tone tone);
const char *jw_paint_off(bool colours, enum rep_tone tone);

/* Appends `text`, wrapped at `width`: its first line goes on at column `at`, the others begin at
 * `indent`. A longer word is not broken. */
void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width);
