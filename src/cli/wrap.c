#include "cli/wrap.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

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

void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* the line is empty */

    for (size_t n, blanks; *text; text += n + blanks) {
        n = strcspn(text, " \n");
        blanks = strspn(text + n, " \n");

        size_t wide = width_of(text, n);
        bool paragraph = blanks > 1 && memchr(text + n, '\n', blanks) && text[n + blanks];

        if (!fresh && at + 1 + wide > width) {
            jw_buf_text(out, "\n");
            jw_buf_fill(out, ' ', indent);
            at = indent;
            fresh = true;
        }
        if (!fresh)
            jw_buf_text(out, " ");
        jw_buf_add(out, text, n);
        at += wide + !fresh;
        fresh = paragraph;
        if (paragraph) {
            jw_buf_text(out, "\n\n");
            jw_buf_fill(out, ' ', indent);
            at = indent;
        }
    }
    jw_buf_text(out, "\n");
}
