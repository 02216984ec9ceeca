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

/* Characters that cannot be seen, or not where they stand. */
static const struct jw_text_range invisible_ranges[] = {
    {0xad, 0xad},     {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2060, 0x206f},
    {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xe0000, 0xe0fff},
};

static bool is_invisible(uint32_t c)
{
    if (jw_text_is_control(c))
        return true;
    return jw_text_in_ranges(invisible_ranges, JW_COUNT(invisible_ranges), c);
}

/* The character at `at` and its bytes; one byte and 0 where it is no UTF-8. */
static size_t next(const char *at, uint32_t *c)
{
    size_t n = jw_utf8_decode((struct jw_bytes){(const uint8_t *)at, strlen(at)}, false, c);

    if (!n)
        *c = 0;
    return n ? n : 1;
}

/* Can this character stand between quotes? A terminal must show it, and no shell may read it as
 * something else. PowerShell takes typographic double quotes for straight ones. */
static bool is_held(uint32_t c, bool windows)
{
    if (is_invisible(c))
        return false;
    if (!windows)
        return true;
    if (c < 0x80)
        return !strchr("%$`\"", (int)c);
    return c < 0x201c || c > 0x201e;
}

/* For sh, a word with characters that cannot be shown: "$(printf 'a\033b')". A last line break is
 * lost. */
static void put_escaped(struct jw_buf *out, const char *word)
{
    jw_buf_text(out, "\"$(printf '");
    for (const char *at = word; *at; at++) {
        if (jw_is_letter(*at) || jw_is_digit(*at) || strchr("/._ ", *at))
            jw_buf_add(out, at, 1);
        else
            jw_buf_printf(out, "\\%03o", (unsigned)(uint8_t)*at);
    }
    jw_buf_text(out, "')\"");
}

static bool are_held(const char *word, bool windows)
{
    uint32_t c;

    for (const char *at = word; *at;) {
        at += next(at, &c);
        if (!is_held(c, windows))
            return false;
    }
    return true;
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
    if (!windows && !are_held(word, windows)) {
        put_escaped(out, word);
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
    if (windows) /* one before the quote would make it part of the word */
        jw_buf_fill(out, '\\', slashes);
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
    size_t shown = 0;
    size_t bytes = 0;

    while (argv[all])
        all++;
    const char **first = jw_arena_alloc(a, (all + 1) * sizeof *first);

    while (shown < all) {
        if (bytes >= SCREEN)
            break;
        first[shown] = argv[shown];
        bytes += strlen(argv[shown]);
        shown++;
    }
    const char *text = jw_command_text(a, first, windows);

    if (shown == all)
        return text;
    return jw_arena_printf(a, "%s ... and %zu more (-v)", text, all - shown);
}
