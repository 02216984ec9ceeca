#include "base/command.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

/* zsh looks for the command behind a leading =. PowerShell: a list has commas, a leading @ names a variable, and what
 * begins with a dash ends at a dot or colon. */
bool jw_command_is_plain(const char *word, bool windows)
{
    static const char posix[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%=",
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

/* The character at `at` and its bytes; one byte and 0, which is no character of a word, where it is no UTF-8. */
static size_t next(const char *at, uint32_t *c)
{
    size_t n = jw_utf8_decode((struct jw_bytes){ (const uint8_t *)at, strlen(at) }, false, c);

    if (!n)
        *c = 0;
    return n ? n : 1;
}

/* ---- POSIX ---- */

static bool needs_escapes(const char *word)
{
    bool needs = strpbrk(word, "\\!");
    uint32_t c;

    for (const char *at = word; *at && !needs; at += next(at, &c)) {
        (void)next(at, &c);
        needs = is_invisible(c);
    }
    return needs;
}

static void put_octal(struct jw_buf *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(out, "\\%03o", (unsigned char)bytes[i]);
}

/* Writes a word for printf and $'...'; printf takes a leading dash for an option. */
static void put_escapes(struct jw_buf *out, const char *word)
{
    uint32_t c;

    for (const char *at = word; *at;) {
        size_t n = next(at, &c);
        bool odd = c < 0x80 && strchr("\\'%!", (int)c);

        if (odd || is_invisible(c) || (at == word && c == '-'))
            put_octal(out, at, n);
        else
            jw_buf_add(out, at, n);
        at += n;
    }
}

static void posix_word(struct jw_buf *out, const char *word)
{
    static const char *const rules[] = { "''\\''", NULL };

    if (jw_command_is_plain(word, false)) {
        jw_buf_text(out, word);
    } else if (!needs_escapes(word)) {
        jw_buf_text(out, "'");
        jw_text_escape(out, word, rules);
        jw_buf_text(out, "'");
    } else {
        bool line_end = jw_text_ends(word, "\n"); /* $(...) takes it away */

        jw_buf_text(out, line_end ? "$'" : "\"$(printf '");
        put_escapes(out, word);
        jw_buf_text(out, line_end ? "'" : "')\"");
    }
}

/* ---- Windows ---- */

/* PowerShell takes typographic double quotes for straight ones. */
static bool windows_holds(uint32_t c)
{
    return !is_invisible(c) && !(c < 0x80 && strchr("%$`\"", (int)c)) && !(c >= 0x201c && c <= 0x201e);
}

static void windows_word(struct jw_buf *out, const char *word)
{
    size_t slashes = 0;
    uint32_t c;

    if (jw_command_is_plain(word, true)) {
        jw_buf_text(out, word);
        return;
    }
    jw_buf_text(out, "\"");
    for (const char *at = word; *at;) {
        size_t n = next(at, &c);

        if (windows_holds(c))
            jw_buf_add(out, at, n);
        else
            jw_buf_text(out, "?");
        slashes = c == '\\' ? slashes + 1 : 0;
        at += n;
    }
    jw_buf_fill(out, '\\', slashes); /* one before the quote would make it part of the word */
    jw_buf_text(out, "\"");
}

/* ---- whole commands ---- */

void jw_command_word(struct jw_buf *out, const char *word, bool windows)
{
    (windows ? windows_word : posix_word)(out, word);
}

const char *jw_command_text(struct jw_arena *a, const char *const *argv, bool windows)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    const char *text;

    for (size_t i = 0; argv[i]; i++) {
        jw_buf_text(&line, i ? " " : "");
        jw_command_word(&line, argv[i], windows);
    }
    if (line.bad) {
        jw_buf_clear(&line);
        jw_command_word(&line, argv[0], windows);
        jw_buf_text(&line, " ...");
    }
    text = jw_arena_str(a, jw_buf_cstr(&line));
    jw_buf_free(&line);
    return text;
}
