#include "cli/output.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

void jw_output_text(struct jw_output *o, const char *text)
{
    errno = 0;
    o->wrote |= *text != '\0';
    if (!o->failed && fputs(text, o->to) == EOF)
        o->failed = errno ? errno : EIO;
}

void jw_output_flush(struct jw_output *o)
{
    errno = 0;
    if (!o->failed && fflush(o->to) != 0)
        o->failed = errno ? errno : EIO;
}

bool jw_output_close(struct jw_output *o, struct jw_err *err)
{
    jw_output_flush(o);
    if (!o->failed || o->failed == EPIPE)
        return true;
    err->os = o->failed;
    return jw_fail(err, JW_E_IO, "cannot write the output: %s", strerror(o->failed));
}

const char *jw_paint_on(bool colours, enum rep_tone tone)
{
    static const char *const codes[] = { "", "\033[32m", "\033[33m", "\033[31m", "\033[2m" };

    return colours ? codes[tone] : "";
}

const char *jw_paint_off(bool colours, enum rep_tone tone)
{
    return colours && tone ? "\033[0m" : "";
}

/* A short word by its columns; a longer one does not fit beside another anyway. */
static size_t width_of(const char *word, size_t n)
{
    char copy[128];

    if (n >= sizeof copy)
        return n;
    memcpy(copy, word, n);
    copy[n] = '\0';
    return jw_text_width(copy);
}

static void break_line(struct jw_buf *out, const char *breaks, size_t indent, size_t *at, bool *fresh)
{
    jw_buf_text(out, breaks);
    jw_buf_fill(out, ' ', indent);
    *at = indent;
    *fresh = true;
}

void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* the line is empty */

    for (size_t n, blanks; *text; text += n + blanks) {
        n = strcspn(text, " \n");
        blanks = strspn(text + n, " \n");

        size_t wide = width_of(text, n);

        if (!fresh && at + 1 + wide > width)
            break_line(out, "\n", indent, &at, &fresh);
        if (!fresh)
            jw_buf_text(out, " ");
        jw_buf_add(out, text, n);
        at += wide + !fresh;
        fresh = false;
        if (blanks > 1 && memchr(text + n, '\n', blanks) && text[n + blanks])
            break_line(out, "\n\n", indent, &at, &fresh);
    }
}
