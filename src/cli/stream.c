#include "cli/stream.h"

#include "base/text.h"
#include "os/machine/time.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define SECOND ((uint64_t)1000000000)

static void erase(struct jw_stream *s)
{
    if (s->drawn)
        (void)fprintf(s->to, "\r%*s\r", (int)s->columns - 1, "");
    s->drawn = false;
}

void jw_stream_text(struct jw_stream *s, const char *text)
{
    erase(s);
    errno = 0;
    s->wrote |= *text != '\0';
    if (!s->failed && (fputs(text, s->to) == EOF || fflush(s->to) != 0))
        s->failed = errno ? errno : EIO;
}

/* ---- messages ---- */

void jw_message(struct jw_stream *s, enum rep_tone tone, const char *fmt, ...)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    va_list args;

    if (s->quiet && tone != REP_BAD)
        return;
    va_start(args, fmt);
    jw_buf_printf(&line, "%sjitwarm:%s ", jw_paint_on(s->colours, tone),
                  jw_paint_off(s->colours, tone));
    jw_say_args(&line, fmt, args);
    jw_buf_text(&line, "\n");
    jw_stream_text(s, jw_buf_cstr(&line));
    jw_buf_free(&line);
    va_end(args);
}

/* ---- progress ---- */

bool jw_stream_is_due(struct jw_stream *s, uint64_t now)
{
    bool begun = s->due != 0;
    bool due = now >= s->due;

    if (due)
        s->due = now + (begun ? SECOND / 10 : SECOND);
    return due && begun;
}

/* Redraws the line in place, without moving the cursor to another line. */
void jw_messages_progress(struct jw_stream *s, const char *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    if (!s->terminal || s->quiet || s->columns < 2 || !jw_stream_is_due(s, jw_time_monotonic_ns()))
        return;
    jw_buf_printf(&line, "\r%s", jw_paint_on(s->colours, REP_FAINT));
    jw_text_fit(&line, text, s->columns - 1);
    jw_buf_text(&line, jw_paint_off(s->colours, REP_FAINT));
    s->drawn = false; /* the new line covers it */
    jw_stream_text(s, jw_buf_cstr(&line));
    s->drawn = true;
    jw_buf_free(&line);
}

void jw_messages_progress_end(struct jw_stream *s)
{
    erase(s);
    s->due = 0;
}

/* ---- words ---- */

const char *jw_paint_on(bool colours, enum rep_tone tone)
{
    static const char *const codes[] = {[REP_PLAIN] = "",
                                        [REP_GOOD] = "\033[32m",
                                        [REP_WARN] = "\033[33m",
                                        [REP_BAD] = "\033[31m",
                                        [REP_FAINT] = "\033[2m"};
    JW_ROW_FOR_EACH(codes, REP_TONES, 5);

    return colours ? codes[tone] : "";
}

const char *jw_paint_off(bool colours, enum rep_tone tone)
{
    return colours && tone ? "\033[0m" : "";
}

void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    const char *begin = text;

    for (size_t n, wide; *text; text += n + strspn(text + n, " ")) {
        char word[128]; /* a longer word does not fit beside another anyway */

        n = strcspn(text, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, text);
        wide = n < sizeof word ? jw_text_width(word) : n;
        if (text > begin && at + 1 + wide > width) {
            jw_buf_text(out, "\n");
            jw_buf_fill(out, ' ', indent);
            at = indent;
        } else if (text > begin) {
            jw_buf_text(out, " ");
            at++;
        }
        jw_buf_add(out, text, n);
        at += wide;
    }
}
