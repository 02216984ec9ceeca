#include "base/text.h"

#include "base/compiler.h"
#include "base/num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* How many bytes a character has that begins with this one; 0: none begins so. */
static size_t length_by_lead(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (lead < 0xf0)
        return 3;
    return lead < 0xf5 ? 4 : 0;
}

size_t jw_utf8_decode(struct jw_bytes b, bool wtf, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (b.n == 0)
        return 0;
    uint8_t lead = b.p[0];
    size_t n = length_by_lead(lead);

    if (n == 0 || n > b.n)
        return 0;
    uint32_t c = n == 1 ? lead : lead & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((b.p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (b.p[i] & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (!wtf && c >= 0xd800 && c <= 0xdfff))
        return 0;
    *point = c;
    return n;
}

static struct jw_bytes bytes_of(const char *text)
{
    return (struct jw_bytes){(const uint8_t *)text, strlen(text)};
}

bool jw_utf8_valid(struct jw_bytes text)
{
    for (size_t at = 0; at < text.n;) {
        uint32_t point;
        size_t n = jw_utf8_decode((struct jw_bytes){text.p + at, text.n - at}, false, &point);

        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

bool jw_text_in_ranges(const struct jw_text_range *ranges, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

/* Control characters, ends of lines, and marks that turn the direction of the text. */
static const struct jw_text_range control_ranges[] = {
    {0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
};

bool jw_text_is_control(uint32_t c)
{
    return jw_text_in_ranges(control_ranges, JW_COUNT(control_ranges), c);
}

void jw_text_clean(struct jw_buf *out, const char *text)
{
    struct jw_bytes left = bytes_of(text);

    while (left.n) {
        uint32_t point = 0;
        size_t n = jw_utf8_decode(left, false, &point);
        size_t step = n ? n : 1;

        if (n && !jw_text_is_control(point)) {
            jw_buf_add(out, left.p, n);
        } else {
            for (size_t i = 0; i < step; i++)
                jw_buf_printf(out, "\\x%02x", left.p[i]);
        }
        left.p += step;
        left.n -= step;
    }
}

/* ---- width ---- */

/* Code points that are not one column wide, as far as file names use them, by whole blocks. */

/* Hangul, Chinese, Japanese, fullwidth forms, emoji. */
static const struct jw_text_range wide_ranges[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Combining marks (of Latin, Cyrillic, Hebrew, Arabic, Thai, kana), format characters, Hangul
 * vowels and finals that join the syllable before them. */
static const struct jw_text_range zero_ranges[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61c},   {0x64b, 0x65f},
    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1160, 0x11ff}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
    {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
};

static size_t point_width(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return 0;
    if (c < 0x300)
        return 1;
    if (jw_text_in_ranges(zero_ranges, JW_COUNT(zero_ranges), c))
        return 0;
    return jw_text_in_ranges(wide_ranges, JW_COUNT(wide_ranges), c) ? 2 : 1;
}

/* The next character of `left`, a bad byte counting as one of width 1. */
static size_t step_of(struct jw_bytes left, size_t *width)
{
    uint32_t point;
    size_t n = jw_utf8_decode(left, false, &point);

    *width = n ? point_width(point) : 1;
    return n ? n : 1;
}

static size_t width_of(struct jw_bytes text)
{
    size_t total = 0;

    while (text.n) {
        size_t width, n = step_of(text, &width);

        total += width;
        text.p += n;
        text.n -= n;
    }
    return total;
}

size_t jw_text_width(const char *text) { return width_of(bytes_of(text)); }

static const char ellipsis[] = "\xe2\x80\xa6";

/* The longest start of `text` that is at most `columns` wide, trailing combining marks included. */
static struct jw_bytes head_of(struct jw_bytes text, size_t columns)
{
    size_t at = 0;

    while (at < text.n) {
        size_t width, n = step_of((struct jw_bytes){text.p + at, text.n - at}, &width);

        if (width > columns)
            break;
        columns -= width;
        at += n;
    }
    return (struct jw_bytes){text.p, at};
}

void jw_text_fit(struct jw_buf *out, const char *text, size_t columns)
{
    struct jw_bytes all = bytes_of(text);
    bool too_long = width_of(all) > columns;

    if (columns == 0)
        return;
    if (too_long)
        all = head_of(all, columns - 1);
    jw_buf_add(out, all.p, all.n);
    jw_buf_text(out, too_long ? ellipsis : "");
    jw_buf_fill(out, ' ', columns - too_long - width_of(all));
}

/* Below ten with one decimal, unless that is .0. */
struct jw_words jw_words_of_bytes(uint64_t n)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)n;
    size_t unit = 0;

    while (v >= 999.5 && unit + 1 < JW_COUNT(units)) {
        v /= 1024;
        unit++;
    }
    unsigned long long tenths = (unsigned long long)(v * 10 + 0.5);

    if (tenths < 100 && tenths % 10)
        return jw_phrase("%llu.%llu %s", tenths / 10, tenths % 10, units[unit]);
    return jw_phrase("%llu %s", tenths >= 100 ? (unsigned long long)(v + 0.5) : tenths / 10,
                     units[unit]);
}

struct jw_words jw_words_of_clock(double seconds)
{
    static const struct {
        unsigned long long size, part;
        const char *unit, *part_unit;
    } units[] = {{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}};
    unsigned long long s = seconds >= 0 && seconds < 1e15 ? (unsigned long long)seconds : 0;

    for (size_t i = 0; i < JW_COUNT(units); i++) {
        unsigned long long parts = s % units[i].size / units[i].part;

        if (s >= units[i].size && parts)
            return jw_phrase("%llu %s %llu %s", s / units[i].size, units[i].unit, parts,
                             units[i].part_unit);
        if (s >= units[i].size)
            return jw_phrase("%llu %s", s / units[i].size, units[i].unit);
    }
    return jw_phrase("%llu s", s);
}

struct jw_words jw_words_of_tenths(double seconds)
{
    unsigned tenths = seconds >= 0 && seconds < 10 ? (unsigned)(seconds * 10 + .5) : 100;

    if (tenths >= 100)
        return jw_words_of_clock(seconds + .5);
    if (tenths == 0)
        return jw_phrase("under 0.1 s");
    return jw_phrase("%u.%u s", tenths / 10, tenths % 10);
}

struct jw_words jw_words_of_count(uint64_t n)
{
    char digits[32] = "";
    size_t at = sizeof digits - 1;
    size_t written = 0;

    do {
        if (written && written % 3 == 0)
            digits[--at] = ',';
        digits[--at] = (char)('0' + n % 10);
        written++;
        n /= 10;
    } while (n);
    return jw_phrase("%s", digits + at);
}

/* Decimal digits at the start of `*text`, which moves behind them. */
static bool take_digits(const char **text, uint64_t *out)
{
    char *end;

    if (!jw_is_digit(**text))
        return false;
    errno = 0;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool jw_text_u64(const char *text, uint64_t *out)
{
    uint64_t v;

    if (!take_digits(&text, &v) || *text)
        return false;
    *out = v;
    return true;
}

bool jw_text_size(const char *text, uint64_t *out)
{
    static const char units[] = "kmgt";
    uint64_t v;

    if (!take_digits(&text, &v))
        return false;
    const char *unit = *text ? strchr(units, *text | 0x20) : NULL;

    if (unit) {
        bool binary = (text[1] | 0x20) == 'i';

        for (const char *power = units; power <= unit; power++)
            if (!jw_mul(v, binary ? 1024 : 1000, &v))
                return false;
        text += binary ? 2 : 1;
    }
    if ((*text | 0x20) == 'b')
        text++;
    *out = v;
    return !*text;
}

bool jw_text_seconds(const char *text, uint64_t *out)
{
    static const char units[] = "smhd";
    static const uint64_t seconds[] = {1, 60, 3600, 86400};
    uint64_t v;

    if (!take_digits(&text, &v))
        return false;
    const char *unit = *text ? strchr(units, *text) : units;

    if (!unit || (*text && text[1]) || !jw_mul(v, seconds[unit - units], &v))
        return false;
    *out = v;
    return true;
}

bool jw_text_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

struct jw_bytes jw_text_trim(struct jw_bytes text)
{
    while (text.n && jw_text_blank(text.p[0]))
        text.p++, text.n--;
    while (text.n && jw_text_blank(text.p[text.n - 1]))
        text.n--;
    return text;
}

bool jw_text_equal_nocase(const char *a, const char *b) { return strcasecmp(a, b) == 0; }

bool jw_text_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool jw_text_among(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

bool jw_text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool jw_text_starts_nocase(const char *text, const char *prefix)
{
    return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

bool jw_text_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text);
    size_t m = strlen(suffix);

    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

const char *jw_text_find_nocase(const char *hay, const char *needle)
{
    const char first[] = {jw_lower(*needle), jw_upper(*needle), '\0'};

    while (*needle && (hay = strpbrk(hay, first)) && !jw_text_starts_nocase(hay, needle))
        hay++;
    return hay;
}

void jw_text_escape(struct jw_buf *out, const char *text, const char *const *rules)
{
    for (; *text; text++) {
        const char *const *r = rules;

        while (*r && **r != *text)
            r++;
        if (*r)
            jw_buf_text(out, *r + 1);
        else
            jw_buf_add(out, text, 1);
    }
}

void jw_text_time(struct jw_buf *out, int64_t when)
{
    time_t seconds = (time_t)when;
    char text[32] = "";
    struct tm utc;

    if (gmtime_r(&seconds, &utc))
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    jw_buf_text(out, text);
}

/* ---- sentences ---- */

void jw_say_args(struct jw_buf *out, const char *fmt, va_list args)
{
    struct jw_arena a = {0};

    jw_text_clean(out, jw_arena_vprintf(&a, fmt, args));
    jw_arena_free(&a);
}

struct jw_words jw_phrase(const char *fmt, ...)
{
    struct jw_buf b = JW_BUF(1024);
    struct jw_words w = {""};
    va_list args;

    va_start(args, fmt);
    jw_say_args(&b, fmt, args);
    va_end(args);
    (void)snprintf(w.text, sizeof w.text, "%s", jw_buf_cstr(&b));
    jw_buf_free(&b);
    return w;
}

const char *jw_text_between(size_t i, size_t n)
{
    if (i == 0)
        return "";
    return i + 1 == n ? " and " : ", ";
}

void jw_say(struct jw_buf *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    jw_say_args(out, fmt, args);
    va_end(args);
}
