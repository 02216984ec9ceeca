#include "cli/messages.h"

#include "base/limits.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <stdarg.h>
#include <string.h>

#define SECOND ((uint64_t)1000000000)

void jw_messages_open(struct jw_messages *s, FILE *to, bool terminal, unsigned columns)
{
    *s = (struct jw_messages){ .to = to, .terminal = terminal, .columns = columns };
}

/* Failures to write messages are ignored. */
static void put_message(struct jw_messages *s, const char *text)
{
    (void)fputs(text, s->to);
    (void)fflush(s->to);
}

/* The window may have been resized. */
static void measure(struct jw_messages *s)
{
    if (jw_term_is(s->to))
        s->columns = jw_term_columns(s->to);
}

static void erase(struct jw_messages *s)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    if (!s->pace.drawn)
        return;
    measure(s);
    jw_buf_text(&line, "\r");
    jw_text_fit(&line, "", s->columns - 1, false);
    jw_buf_text(&line, "\r");
    put_message(s, jw_buf_cstr(&line));
    jw_buf_free(&line);
    s->pace.drawn = false;
}

static void JW_PRINTF(3, 0)
    write_line(struct jw_messages *s, enum rep_tone tint, const char *fmt, va_list args)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    char message[2048];

    if (vsnprintf(message, sizeof message, fmt, args) < 0)
        return;
    erase(s);
    jw_buf_printf(&line, "%sjitwarm:%s ", jw_paint_on(s->colours, tint), jw_paint_off(s->colours, tint));
    jw_text_clean(&line, message);
    jw_buf_text(&line, "\n");
    put_message(s, jw_buf_cstr(&line));
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

void jw_messages_page(struct jw_messages *s, const char *text)
{
    erase(s);
    put_message(s, text);
}

bool jw_pace_due(struct jw_pace *p, uint64_t now)
{
    if (!p->started) {
        p->started = true;
        p->began = p->last = now;
    }
    if (now - p->began < SECOND || (p->last != p->began && now - p->last < SECOND / 10))
        return false;
    p->last = now;
    return true;
}

/* In place, without moving the cursor to another line. */
static void draw_line(struct jw_messages *s, const char *text)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE), clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, text);
    jw_buf_printf(&line, "\r%s", jw_paint_on(s->colours, REP_FAINT));
    jw_text_fit(&line, jw_buf_cstr(&clean), s->columns - 1, false);
    jw_buf_text(&line, jw_paint_off(s->colours, REP_FAINT));
    put_message(s, jw_buf_cstr(&line));
    s->pace.drawn = true;
    jw_buf_free(&clean);
    jw_buf_free(&line);
}

void jw_messages_progress(struct jw_messages *s, const char *fmt, ...)
{
    char message[1024];
    va_list args;

    if (!s->terminal || s->quiet || !jw_pace_due(&s->pace, jw_time_monotonic_ns()))
        return;
    measure(s);
    if (s->columns < 2)
        return;
    va_start(args, fmt);
    int n = vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (n >= 0)
        draw_line(s, message);
}

void jw_messages_show_progress(struct jw_messages *s, const struct jw_progress *p)
{
    if (p->total)
        jw_messages_progress(s, "%s: %u %%", p->what,
                             (unsigned)(p->done >= p->total ? 100 : p->done * 100 / p->total));
    else
        jw_messages_progress(s, "%s", p->what);
}

void jw_messages_progress_end(struct jw_messages *s)
{
    erase(s);
    s->pace = (struct jw_pace){ 0 };
}
