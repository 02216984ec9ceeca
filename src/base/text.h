/* Text for people: UTF-8, terminal width, numbers and units, sentences. */
#pragma once

#include "base/buf.h"

#include <stdarg.h>

bool jw_utf8_valid(struct jw_bytes text);
/* The code point at the start of `b` and its length; 0: no UTF-8 (`wtf`: no WTF-8). */
size_t jw_utf8_decode(struct jw_bytes b, bool wtf, uint32_t *point);

/* ASCII only, in any locale. */
static inline bool jw_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline char jw_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }
static inline char jw_upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }
static inline bool jw_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* True for a letter, a digit or "_", as in a program's identifiers. */
static inline bool jw_is_name_letter(char c)
{
    return jw_is_letter(c) || jw_is_digit(c) || c == '_';
}

/* Code points from the first to the last. */
struct jw_text_range {
    uint32_t first, last;
};

bool jw_text_in_ranges(const struct jw_text_range *ranges, size_t count, uint32_t c);

/* Would a terminal move the cursor, ring, end the line, or turn the direction of the text? */
bool jw_text_is_control(uint32_t point);

/* Appends `text`; invalid UTF-8 and control characters become \xNN. */
void jw_text_clean(struct jw_buf *out, const char *text);

/* Columns on a terminal: 2 for CJK, Hangul and emoji, 0 for combining marks and controls. */
size_t jw_text_width(const char *text);

/* Appends `text`, cut (with an ellipsis) or padded to exactly `columns`. */
void jw_text_fit(struct jw_buf *out, const char *text, size_t columns);

/* "2026-11-21T12:30:45Z" of seconds since 1970. */
void jw_text_time(struct jw_buf *out, int64_t when);

/* Appends `text`. Each of `rules` (NULL ends them) is a character and its replacement: "<&lt;". */
void jw_text_escape(struct jw_buf *out, const char *text, const char *const *rules);

/* As printf, cleaned by jw_text_clean. */
void jw_say(struct jw_buf *out, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_say_args(struct jw_buf *out, const char *fmt, va_list args);

/* Before the i-th of n words: "", ", " or " and ". */
const char *jw_text_between(size_t i, size_t n);

/* Numbers and short phrases as text for %s. They live to the end of the statement. */
struct jw_words {
    char text[128];
};

/* As jw_say; a longer text is cut. */
struct jw_words jw_phrase(const char *fmt, ...) JW_PRINTF(1, 2);

/* "0 B", "133 B", "159 MiB", "1.3 GiB": powers of 1024, at most three digits. */
struct jw_words jw_words_of_bytes(uint64_t n);
struct jw_words jw_words_of_count(uint64_t n); /* "1,234,567" */
/* "45 s", "1 min 12 s", "2 h 5 min", "3 d 4 h": for measured times. */
struct jw_words jw_words_of_clock(double seconds);
/* The same, and in tenths below ten seconds: "under 0.1 s", "2.3 s". */
struct jw_words jw_words_of_tenths(double seconds);

#define JW_PHRASE(...) (jw_phrase(__VA_ARGS__).text)
#define JW_SIZE(n) (jw_words_of_bytes(n).text)
#define JW_NUM(n) (jw_words_of_count(n).text)
#define JW_N(n, one, many)                                                                         \
    JW_PHRASE("%s %s", JW_NUM(n), (n) == 1 ? (one) : (many)) /* "1 entry", "1,234 entries" */
#define JW_CLOCK(seconds) (jw_words_of_clock(seconds).text)
#define JW_TENTHS(seconds) (jw_words_of_tenths(seconds).text)

/* Whole-string unsigned decimal; false on anything else or overflow. */
bool jw_text_u64(const char *text, uint64_t *out);
/* "512M", "2G", "4GiB", "100": M and MB are decimal, MiB binary. */
bool jw_text_size(const char *text, uint64_t *out);
/* "30s", "5m", "2h", "1d", "90": seconds. */
bool jw_text_seconds(const char *text, uint64_t *out);

bool jw_text_blank(uint8_t c);                      /* space, tab, CR or LF */
struct jw_bytes jw_text_trim(struct jw_bytes text); /* without the blanks at both ends */

bool jw_text_equal_nocase(const char *a, const char *b);                 /* ASCII */
bool jw_text_same(const char *a, const char *b);                         /* equal, or both NULL */
bool jw_text_among(const char *text, const char *const *list, size_t n); /* equal to one of them */
bool jw_text_starts(const char *text, const char *prefix);
bool jw_text_starts_nocase(const char *text, const char *prefix); /* ASCII */
bool jw_text_ends(const char *text, const char *suffix);
const char *jw_text_find_nocase(const char *hay, const char *needle); /* NULL: not in it */
