#include "cli/messages.h"

#include "base/limits.h"
#include "base/text.h"
#include "os/machine/time.h"

#include <stdarg.h>
#include <string.h>

#define SECOND ((uint64_t)1000000000)

static void erase(struct jw_messages *s)
{
    if (s->pace.drawn)
        (void)fprintf(s->to, "\r%*s\r", (int)s->columns - 1, "");
    s->pace.drawn = false;
}

/* Failures to write messages are ignored. */
void jw_messages_page(struct jw_messages *s, const char *text)
{
    erase(s);
    (void)fputs(text, s->to);
    (void)fflush(s->to);
}

static void JW_PRINTF(3, 0)
    write_line(struct jw_messages *s, enum rep_tone tint, const char *fmt, va_list args)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    char message[2048];

    if (vsnprintf(message, sizeof message, fmt, args) < 0)
        return;
    jw_buf_printf(&line, "%sjitwarm:%s ", jw_paint_on(s->colours, tint), jw_paint_off(s->colours, tint));
    jw_text_clean(&line, message);
    jw_buf_text(&line, "\n");
    jw_messages_page(s, jw_buf_cstr(&line));
    jw_buf_free(&line);
}

#define MESSAGE(is_said, tint)                                                                               \
    va_list args;                                                                                            \
    va_start(args, fmt);                                                                                     \
    if (is_said)                                                                                             \
        write_line(s, tint, fmt, args);                                                                      \
    va_end(args)

void jw_messages_error(struct jw_messages *s, const char *fmt, ...)
{
    MESSAGE(true, REP_BAD);
}

void jw_messages_warn(struct jw_messages *s, const char *fmt, ...)
{
    MESSAGE(!s->quiet, REP_WARN);
}

void jw_messages_say(struct jw_messages *s, const char *fmt, ...)
{
    MESSAGE(!s->quiet, REP_PLAIN);
}

bool jw_pace_due(struct jw_pace *p, uint64_t now)
{
    p->began = p->began ? p->began : now;
    if (now - p->began < SECOND || now - p->last < SECOND / 10)
        return false;
    p->last = now;
    return true;
}

/* In place, without moving the cursor to another line. */
void jw_messages_progress(struct jw_messages *s, const char *fmt, ...)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE), clean = JW_BUF(JW_MAX_LINE);
    char message[1024];
    va_list args;

    if (!s->terminal || s->quiet || s->columns < 2 || !jw_pace_due(&s->pace, jw_time_monotonic_ns()))
        return;
    va_start(args, fmt);
    jw_text_clean(&clean, vsnprintf(message, sizeof message, fmt, args) < 0 ? "" : message);
    va_end(args);
    jw_buf_printf(&line, "\r%s", jw_paint_on(s->colours, REP_FAINT));
    jw_text_fit(&line, jw_buf_cstr(&clean), s->columns - 1, false);
    jw_buf_text(&line, jw_paint_off(s->colours, REP_FAINT));
    s->pace.drawn = false; /* the new line covers it */
    jw_messages_page(s, jw_buf_cstr(&line));
    s->pace.drawn = true;
    jw_buf_free(&clean);
    jw_buf_free(&line);
}

void jw_messages_progress_end(struct jw_messages *s)
{
    erase(s);
    (void)fflush(s->to);
    s->pace = (struct jw_pace){ 0 };
}
