#include "base/command.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <string.h>

enum { SCREEN = 1200 }; /* bytes: half of 24 lines */

/* zsh looks for the command behind a leading =. PowerShell: a list has commas, a leading @ names a
 * variable, and what begins with a dash ends at a dot or colon. */
bool jw_command_is_plain(const char *word, bool windows)
{
    static const char
        posix[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%=",
        both[] = "\\abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@=";

    if (!*word || word[strspn(word, windows ? both : posix)] || *word == '=')
        return false;
    return !windows || (*word != '@' && (*word != '-' || !word[strcspn(word, ".:")]));
}

/* Not to be seen, or not where it stands. */
static bool is_invisible(uint32_t c)
{
    return jw_text_is_control(c) || c == 0xad || c == 0x180e || (c >= 0x200b && c <= 0x200f)
           || (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || c == 0xfeff || c == 0xffa0
           || (c >= 0xe0000 && c <= 0xe0fff);
}

/* The character at `at` and its bytes; one byte and 0, which is no character of a word, where it is
 * no UTF-8. */
static size_t next(const char *at, uint32_t *c)
{
    size_t n = jw_utf8_decode((struct jw_bytes){ (const uint8_t *)at, strlen(at) }, false, c);

    if (!n)
        *c = 0;
    return n ? n : 1;
}

/* A terminal shows it, and no shell reads it as something else. PowerShell takes typographic double
 * quotes for straight ones. */
static bool is_held(uint32_t c, bool windows)
{
    return !is_invisible(c)
           && !(windows && ((c < 0x80 && strchr("%$`\"", (int)c)) || (c >= 0x201c && c <= 0x201e)));
}

static void put_word(struct jw_buf *out, const char *word, bool windows)
{
    const char *quote = windows ? "\"" : "'";
    size_t slashes = 0;
    uint32_t c;

    if (jw_command_is_plain(word, windows)) {
        jw_buf_text(out, word);
        return;
    }
    jw_buf_text(out, quote);
    for (const char *at = word; *at;) {
        size_t n = next(at, &c);

        if (!is_held(c, windows))
            jw_buf_text(out, "?");
        else if (!windows && (c == '\'' || c == '\\')) /* between two quoted parts */
            jw_buf_printf(out, "'\\%c'", (int)c);
        else
            jw_buf_add(out, at, n);
        slashes = c == '\\' ? slashes + 1 : 0;
        at += n;
    }
    jw_buf_fill(out, '\\',
                windows ? slashes : 0); /* one before the quote would make it part of the word */
    jw_buf_text(out, quote);
}

const char *jw_command_text(struct jw_arena *a, const char *const *argv, bool windows)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    const char *text;

    for (size_t i = 0; argv[i]; i++) {
        jw_buf_text(&line, i ? " " : "");
        put_word(&line, argv[i], windows);
    }
    if (line.bad) {
        jw_buf_clear(&line);
        put_word(&line, argv[0], windows);
        jw_buf_text(&line, " ...");
    }
    text = jw_arena_str(a, jw_buf_cstr(&line));
    jw_buf_free(&line);
    return text;
}

const char *jw_command_shown(struct jw_arena *a, const char *const *argv, bool windows)
{
    size_t all = 0;
    size_t n = 0;
    size_t bytes = 0;

    while (argv[all])
        all++;
    const char **first = jw_arena_alloc(a, (all + 1) * sizeof *first);

    for (; n < all && bytes < SCREEN; n++)
        bytes += strlen(first[n] = argv[n]);
    const char *text = jw_command_text(a, first, windows);

    return n < all ? jw_arena_printf(a, "%s ... and %zu more (-v)", text, all - n) : text;
}
