#include "base/text.h"

#include "base/compiler.h"
#include "base/num.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t jw_utf8_decode(struct jw_bytes b, bool wtf, uint32_t *point)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t lead = b.n ? b.p[0] : 0xff;
    size_t n = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;

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
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

bool jw_utf8_valid(struct jw_bytes text)
{
    for (size_t at = 0; at < text.n;) {
        uint32_t point;
        size_t n = jw_utf8_decode((struct jw_bytes){ text.p + at, text.n - at }, false, &point);

        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

/* Moves the cursor, rings, ends the line, or turns the direction of what follows. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f
           || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void jw_text_clean(struct jw_buf *out, const char *text)
{
    struct jw_bytes left = bytes_of(text);

    while (left.n) {
        uint32_t point = 0;
        size_t n = jw_utf8_decode(left, false, &point);
        size_t step = n ? n : 1;

        if (n && !is_control(point)) {
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

/* Code points that are not one column wide, Unicode 14: sorted ranges, joined across unassigned points. */
struct width_range {
    uint32_t first, last;
};

/* East_Asian_Width W or F. */
static const struct width_range wide_ranges[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
    { 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },
    { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
    { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
    { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
    { 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },
    { 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },
    { 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },
    { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x3029 },
    { 0x302e, 0x303e },   { 0x3041, 0x3096 },   { 0x309b, 0x3247 },   { 0x3250, 0x4dbf },
    { 0x4e00, 0xa4c6 },   { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfad9 },
    { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6b },   { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },
    { 0x16fe0, 0x16fe3 }, { 0x16ff0, 0x1b2fb }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf },
    { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 },
    { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 },
    { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 },
    { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 },
    { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f },
    { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6df },
    { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f93a },
    { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x3fffd },
};

/* Combining marks, format characters, Hangul vowels and finals that join the syllable before them. */
static const struct width_range zero_ranges[] = {
    { 0x300, 0x36f },     { 0x483, 0x489 },     { 0x591, 0x5bd },     { 0x5bf, 0x5bf },
    { 0x5c1, 0x5c2 },     { 0x5c4, 0x5c5 },     { 0x5c7, 0x5c7 },     { 0x610, 0x61a },
    { 0x61c, 0x61c },     { 0x64b, 0x65f },     { 0x670, 0x670 },     { 0x6d6, 0x6dc },
    { 0x6df, 0x6e4 },     { 0x6e7, 0x6e8 },     { 0x6ea, 0x6ed },     { 0x711, 0x711 },
    { 0x730, 0x74a },     { 0x7a6, 0x7b0 },     { 0x7eb, 0x7f3 },     { 0x7fd, 0x7fd },
    { 0x816, 0x819 },     { 0x81b, 0x823 },     { 0x825, 0x827 },     { 0x829, 0x82d },
    { 0x859, 0x85b },     { 0x898, 0x89f },     { 0x8ca, 0x8e1 },     { 0x8e3, 0x902 },
    { 0x93a, 0x93a },     { 0x93c, 0x93c },     { 0x941, 0x948 },     { 0x94d, 0x94d },
    { 0x951, 0x957 },     { 0x962, 0x963 },     { 0x981, 0x981 },     { 0x9bc, 0x9bc },
    { 0x9c1, 0x9c4 },     { 0x9cd, 0x9cd },     { 0x9e2, 0x9e3 },     { 0x9fe, 0xa02 },
    { 0xa3c, 0xa3c },     { 0xa41, 0xa51 },     { 0xa70, 0xa71 },     { 0xa75, 0xa75 },
    { 0xa81, 0xa82 },     { 0xabc, 0xabc },     { 0xac1, 0xac8 },     { 0xacd, 0xacd },
    { 0xae2, 0xae3 },     { 0xafa, 0xb01 },     { 0xb3c, 0xb3c },     { 0xb3f, 0xb3f },
    { 0xb41, 0xb44 },     { 0xb4d, 0xb56 },     { 0xb62, 0xb63 },     { 0xb82, 0xb82 },
    { 0xbc0, 0xbc0 },     { 0xbcd, 0xbcd },     { 0xc00, 0xc00 },     { 0xc04, 0xc04 },
    { 0xc3c, 0xc3c },     { 0xc3e, 0xc40 },     { 0xc46, 0xc56 },     { 0xc62, 0xc63 },
    { 0xc81, 0xc81 },     { 0xcbc, 0xcbc },     { 0xcbf, 0xcbf },     { 0xcc6, 0xcc6 },
    { 0xccc, 0xccd },     { 0xce2, 0xce3 },     { 0xd00, 0xd01 },     { 0xd3b, 0xd3c },
    { 0xd41, 0xd44 },     { 0xd4d, 0xd4d },     { 0xd62, 0xd63 },     { 0xd81, 0xd81 },
    { 0xdca, 0xdca },     { 0xdd2, 0xdd6 },     { 0xe31, 0xe31 },     { 0xe34, 0xe3a },
    { 0xe47, 0xe4e },     { 0xeb1, 0xeb1 },     { 0xeb4, 0xebc },     { 0xec8, 0xecd },
    { 0xf18, 0xf19 },     { 0xf35, 0xf35 },     { 0xf37, 0xf37 },     { 0xf39, 0xf39 },
    { 0xf71, 0xf7e },     { 0xf80, 0xf84 },     { 0xf86, 0xf87 },     { 0xf8d, 0xfbc },
    { 0xfc6, 0xfc6 },     { 0x102d, 0x1030 },   { 0x1032, 0x1037 },   { 0x1039, 0x103a },
    { 0x103d, 0x103e },   { 0x1058, 0x1059 },   { 0x105e, 0x1060 },   { 0x1071, 0x1074 },
    { 0x1082, 0x1082 },   { 0x1085, 0x1086 },   { 0x108d, 0x108d },   { 0x109d, 0x109d },
    { 0x1160, 0x11ff },   { 0x135d, 0x135f },   { 0x1712, 0x1714 },   { 0x1732, 0x1733 },
    { 0x1752, 0x1753 },   { 0x1772, 0x1773 },   { 0x17b4, 0x17b5 },   { 0x17b7, 0x17bd },
    { 0x17c6, 0x17c6 },   { 0x17c9, 0x17d3 },   { 0x17dd, 0x17dd },   { 0x180b, 0x180f },
    { 0x1885, 0x1886 },   { 0x18a9, 0x18a9 },   { 0x1920, 0x1922 },   { 0x1927, 0x1928 },
    { 0x1932, 0x1932 },   { 0x1939, 0x193b },   { 0x1a17, 0x1a18 },   { 0x1a1b, 0x1a1b },
    { 0x1a56, 0x1a56 },   { 0x1a58, 0x1a60 },   { 0x1a62, 0x1a62 },   { 0x1a65, 0x1a6c },
    { 0x1a73, 0x1a7f },   { 0x1ab0, 0x1b03 },   { 0x1b34, 0x1b34 },   { 0x1b36, 0x1b3a },
    { 0x1b3c, 0x1b3c },   { 0x1b42, 0x1b42 },   { 0x1b6b, 0x1b73 },   { 0x1b80, 0x1b81 },
    { 0x1ba2, 0x1ba5 },   { 0x1ba8, 0x1ba9 },   { 0x1bab, 0x1bad },   { 0x1be6, 0x1be6 },
    { 0x1be8, 0x1be9 },   { 0x1bed, 0x1bed },   { 0x1bef, 0x1bf1 },   { 0x1c2c, 0x1c33 },
    { 0x1c36, 0x1c37 },   { 0x1cd0, 0x1cd2 },   { 0x1cd4, 0x1ce0 },   { 0x1ce2, 0x1ce8 },
    { 0x1ced, 0x1ced },   { 0x1cf4, 0x1cf4 },   { 0x1cf8, 0x1cf9 },   { 0x1dc0, 0x1dff },
    { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x20d0, 0x20f0 },
    { 0x2cef, 0x2cf1 },   { 0x2d7f, 0x2d7f },   { 0x2de0, 0x2dff },   { 0x302a, 0x302d },
    { 0x3099, 0x309a },   { 0xa66f, 0xa672 },   { 0xa674, 0xa67d },   { 0xa69e, 0xa69f },
    { 0xa6f0, 0xa6f1 },   { 0xa802, 0xa802 },   { 0xa806, 0xa806 },   { 0xa80b, 0xa80b },
    { 0xa825, 0xa826 },   { 0xa82c, 0xa82c },   { 0xa8c4, 0xa8c5 },   { 0xa8e0, 0xa8f1 },
    { 0xa8ff, 0xa8ff },   { 0xa926, 0xa92d },   { 0xa947, 0xa951 },   { 0xa980, 0xa982 },
    { 0xa9b3, 0xa9b3 },   { 0xa9b6, 0xa9b9 },   { 0xa9bc, 0xa9bd },   { 0xa9e5, 0xa9e5 },
    { 0xaa29, 0xaa2e },   { 0xaa31, 0xaa32 },   { 0xaa35, 0xaa36 },   { 0xaa43, 0xaa43 },
    { 0xaa4c, 0xaa4c },   { 0xaa7c, 0xaa7c },   { 0xaab0, 0xaab0 },   { 0xaab2, 0xaab4 },
    { 0xaab7, 0xaab8 },   { 0xaabe, 0xaabf },   { 0xaac1, 0xaac1 },   { 0xaaec, 0xaaed },
    { 0xaaf6, 0xaaf6 },   { 0xabe5, 0xabe5 },   { 0xabe8, 0xabe8 },   { 0xabed, 0xabed },
    { 0xd7b0, 0xd7fb },   { 0xfb1e, 0xfb1e },   { 0xfe00, 0xfe0f },   { 0xfe20, 0xfe2f },
    { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },   { 0x101fd, 0x101fd }, { 0x102e0, 0x102e0 },
    { 0x10376, 0x1037a }, { 0x10a01, 0x10a0f }, { 0x10a38, 0x10a3f }, { 0x10ae5, 0x10ae6 },
    { 0x10d24, 0x10d27 }, { 0x10eab, 0x10eac }, { 0x10f46, 0x10f50 }, { 0x10f82, 0x10f85 },
    { 0x11001, 0x11001 }, { 0x11038, 0x11046 }, { 0x11070, 0x11070 }, { 0x11073, 0x11074 },
    { 0x1107f, 0x11081 }, { 0x110b3, 0x110b6 }, { 0x110b9, 0x110ba }, { 0x110c2, 0x110c2 },
    { 0x11100, 0x11102 }, { 0x11127, 0x1112b }, { 0x1112d, 0x11134 }, { 0x11173, 0x11173 },
    { 0x11180, 0x11181 }, { 0x111b6, 0x111be }, { 0x111c9, 0x111cc }, { 0x111cf, 0x111cf },
    { 0x1122f, 0x11231 }, { 0x11234, 0x11234 }, { 0x11236, 0x11237 }, { 0x1123e, 0x1123e },
    { 0x112df, 0x112df }, { 0x112e3, 0x112ea }, { 0x11300, 0x11301 }, { 0x1133b, 0x1133c },
    { 0x11340, 0x11340 }, { 0x11366, 0x11374 }, { 0x11438, 0x1143f }, { 0x11442, 0x11444 },
    { 0x11446, 0x11446 }, { 0x1145e, 0x1145e }, { 0x114b3, 0x114b8 }, { 0x114ba, 0x114ba },
    { 0x114bf, 0x114c0 }, { 0x114c2, 0x114c3 }, { 0x115b2, 0x115b5 }, { 0x115bc, 0x115bd },
    { 0x115bf, 0x115c0 }, { 0x115dc, 0x115dd }, { 0x11633, 0x1163a }, { 0x1163d, 0x1163d },
    { 0x1163f, 0x11640 }, { 0x116ab, 0x116ab }, { 0x116ad, 0x116ad }, { 0x116b0, 0x116b5 },
    { 0x116b7, 0x116b7 }, { 0x1171d, 0x1171f }, { 0x11722, 0x11725 }, { 0x11727, 0x1172b },
    { 0x1182f, 0x11837 }, { 0x11839, 0x1183a }, { 0x1193b, 0x1193c }, { 0x1193e, 0x1193e },
    { 0x11943, 0x11943 }, { 0x119d4, 0x119db }, { 0x119e0, 0x119e0 }, { 0x11a01, 0x11a0a },
    { 0x11a33, 0x11a38 }, { 0x11a3b, 0x11a3e }, { 0x11a47, 0x11a47 }, { 0x11a51, 0x11a56 },
    { 0x11a59, 0x11a5b }, { 0x11a8a, 0x11a96 }, { 0x11a98, 0x11a99 }, { 0x11c30, 0x11c3d },
    { 0x11c3f, 0x11c3f }, { 0x11c92, 0x11ca7 }, { 0x11caa, 0x11cb0 }, { 0x11cb2, 0x11cb3 },
    { 0x11cb5, 0x11cb6 }, { 0x11d31, 0x11d45 }, { 0x11d47, 0x11d47 }, { 0x11d90, 0x11d91 },
    { 0x11d95, 0x11d95 }, { 0x11d97, 0x11d97 }, { 0x11ef3, 0x11ef4 }, { 0x13430, 0x13438 },
    { 0x16af0, 0x16af4 }, { 0x16b30, 0x16b36 }, { 0x16f4f, 0x16f4f }, { 0x16f8f, 0x16f92 },
    { 0x16fe4, 0x16fe4 }, { 0x1bc9d, 0x1bc9e }, { 0x1bca0, 0x1cf46 }, { 0x1d167, 0x1d169 },
    { 0x1d173, 0x1d182 }, { 0x1d185, 0x1d18b }, { 0x1d1aa, 0x1d1ad }, { 0x1d242, 0x1d244 },
    { 0x1da00, 0x1da36 }, { 0x1da3b, 0x1da6c }, { 0x1da75, 0x1da75 }, { 0x1da84, 0x1da84 },
    { 0x1da9b, 0x1daaf }, { 0x1e000, 0x1e02a }, { 0x1e130, 0x1e136 }, { 0x1e2ae, 0x1e2ae },
    { 0x1e2ec, 0x1e2ef }, { 0x1e8d0, 0x1e8d6 }, { 0x1e944, 0x1e94a }, { 0xe0001, 0xe01ef },
};

static bool in_ranges(const struct width_range *ranges, size_t count, uint32_t c)
{
    size_t low = 0;

    while (low < count) {
        size_t mid = low + (count - low) / 2;

        if (c > ranges[mid].last)
            low = mid + 1;
        else if (c < ranges[mid].first)
            count = mid;
        else
            return true;
    }
    return false;
}

static size_t point_width(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return 0;
    if (c < 0x300)
        return 1;
    if (in_ranges(zero_ranges, JW_COUNT(zero_ranges), c))
        return 0;
    return in_ranges(wide_ranges, JW_COUNT(wide_ranges), c) ? 2 : 1;
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

size_t jw_text_width(const char *text)
{
    return width_of(bytes_of(text));
}

/* The longest start of `text` that is at most `columns` wide, trailing combining marks included. */
static struct jw_bytes head_of(struct jw_bytes text, size_t columns, size_t *used)
{
    size_t at = 0;

    *used = 0;
    while (at < text.n) {
        size_t width, n = step_of((struct jw_bytes){ text.p + at, text.n - at }, &width);

        if (width > columns - *used)
            break;
        *used += width;
        at += n;
    }
    return (struct jw_bytes){ text.p, at };
}

/* The longest end of `text` that is at most `columns` wide and does not start with a combining mark. */
static struct jw_bytes tail_of(struct jw_bytes text, size_t columns, size_t *used)
{
    size_t left = width_of(text);

    while (text.n) {
        size_t width, n = step_of(text, &width);

        if (left <= columns && width > 0)
            break;
        left -= width;
        text.p += n;
        text.n -= n;
    }
    *used = left;
    return text;
}

static const char ellipsis[] = "\xe2\x80\xa6";

void jw_text_fit(struct jw_buf *out, const char *text, size_t columns, bool right)
{
    struct jw_bytes all = bytes_of(text);
    size_t used = width_of(all);
    bool cut = used > columns;

    if (columns == 0)
        return;
    if (cut) {
        all = head_of(all, columns - 1, &used);
        used++;
    }
    if (right)
        jw_buf_fill(out, ' ', columns - used);
    jw_buf_add(out, all.p, all.n);
    if (cut)
        jw_buf_text(out, ellipsis);
    if (!right)
        jw_buf_fill(out, ' ', columns - used);
}

/* With its separator, so that a reader sees that something stood before it. */
static const char *last_component(const char *path)
{
    const char *last = path;

    for (const char *p = path; *p; p++) {
        if ((*p == '/' || *p == '\\') && p[1])
            last = p;
    }
    return last;
}

void jw_text_fit_path(struct jw_buf *out, const char *path, size_t columns)
{
    struct jw_bytes all = bytes_of(path);
    size_t base = jw_text_width(last_component(path));

    if (columns == 0 || width_of(all) <= columns) {
        jw_text_fit(out, path, columns, false);
        return;
    }

    size_t room = columns - 1, want = (size_t)jw_max(room * 2 / 3, base);
    size_t head_used, tail_used;
    struct jw_bytes tail = tail_of(all, (size_t)jw_min(want, room), &tail_used);
    struct jw_bytes head = head_of(all, room - tail_used, &head_used);

    jw_buf_add(out, head.p, head.n);
    jw_buf_text(out, ellipsis);
    jw_buf_add(out, tail.p, tail.n);
    jw_buf_fill(out, ' ', room - head_used - tail_used);
}

/* One decimal below ten, none of it when that is .0. */
static void add_short(struct jw_buf *out, double v, const char *unit)
{
    unsigned long long tenths = (unsigned long long)(v * 10 + 0.5);

    if (tenths >= 100 || tenths % 10 == 0)
        jw_buf_printf(out, "%llu %s", tenths >= 100 ? (unsigned long long)(v + 0.5) : tenths / 10, unit);
    else
        jw_buf_printf(out, "%llu.%llu %s", tenths / 10, tenths % 10, unit);
}

void jw_text_bytes(struct jw_buf *out, uint64_t n)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double v = (double)n;
    size_t unit = 0;

    while (v >= 999.5 && unit + 1 < JW_COUNT(units)) {
        v /= 1024;
        unit++;
    }
    add_short(out, v, units[unit]);
}

void jw_text_duration(struct jw_buf *out, double seconds)
{
    if (!(seconds >= 0 && seconds <= DBL_MAX))
        jw_buf_text(out, "an unknown time");
    else if (seconds < 1)
        jw_buf_text(out, "less than a second");
    else if (seconds < 89.5)
        jw_buf_printf(out, "%.0f second%s", seconds, seconds < 1.5 ? "" : "s");
    else if (seconds < 89.5 * 60)
        jw_buf_printf(out, "%u minutes", (unsigned)(seconds / 60 + 0.5));
    else if (seconds < 48 * 3600.0)
        add_short(out, seconds / 3600, "hours");
    else if (seconds < 1000 * 86400.0)
        jw_buf_printf(out, "%u days", (unsigned)(seconds / 86400 + 0.5));
    else
        jw_buf_text(out, "years");
}

void jw_text_clock(struct jw_buf *out, double seconds)
{
    static const struct {
        unsigned long long size, part;
        const char *unit, *part_unit;
    } units[] = { { 86400, 3600, "d", "h" }, { 3600, 60, "h", "min" }, { 60, 1, "min", "s" } };
    unsigned long long s = seconds >= 0 && seconds < 1e15 ? (unsigned long long)seconds : 0;

    for (size_t i = 0; i < JW_COUNT(units); i++) {
        if (s < units[i].size)
            continue;
        jw_buf_printf(out, "%llu %s", s / units[i].size, units[i].unit);
        if (s % units[i].size / units[i].part)
            jw_buf_printf(out, " %llu %s", s % units[i].size / units[i].part, units[i].part_unit);
        return;
    }
    jw_buf_printf(out, "%llu s", s);
}

void jw_text_took(struct jw_buf *out, double seconds)
{
    if (seconds >= 0 && seconds < 1)
        jw_buf_text(out, "less than a second");
    else
        jw_text_clock(out, seconds);
}

void jw_text_tenths(struct jw_buf *out, double seconds)
{
    unsigned tenths = seconds >= 0 && seconds < 10 ? (unsigned)(seconds * 10 + .5) : 100;

    if (tenths >= 100)
        jw_text_clock(out, seconds + .5);
    else if (tenths)
        jw_buf_printf(out, "%u.%u s", tenths / 10, tenths % 10);
    else
        jw_buf_text(out, "under 0.1 s");
}

void jw_text_count(struct jw_buf *out, uint64_t n)
{
    char digits[32];
    size_t at = sizeof digits, written = 0;

    do {
        if (written && written % 3 == 0)
            digits[--at] = ',';
        digits[--at] = (char)('0' + n % 10);
        written++;
        n /= 10;
    } while (n);
    jw_buf_add(out, digits + at, sizeof digits - at);
}

/* Decimal digits at the start of `*text`, which moves behind them. */
static bool take_digits(const char **text, uint64_t *out)
{
    const char *p = *text;
    uint64_t v = 0;

    for (; *p >= '0' && *p <= '9'; p++) {
        if (!jw_mul(v, 10, &v) || !jw_add(v, (uint64_t)(*p - '0'), &v))
            return false;
    }
    if (p == *text)
        return false;
    *text = p;
    *out = v;
    return true;
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
    uint64_t v, factor = 1;

    if (!take_digits(&text, &v))
        return false;
    for (size_t i = 0; i + 1 < sizeof units; i++) {
        if ((*text | 0x20) != units[i])
            continue;
        bool binary = text[1] == 'i' || text[1] == 'I';

        for (size_t power = 0; power <= i; power++)
            factor *= binary ? 1024 : 1000;
        text += 1 + binary;
        break;
    }
    if ((*text | 0x20) == 'b')
        text++;
    if (*text || !jw_mul(v, factor, &v))
        return false;
    *out = v;
    return true;
}

bool jw_text_seconds(const char *text, uint64_t *out)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
    uint64_t v;

    if (!take_digits(&text, &v))
        return false;
    for (size_t i = 0; *text && i < JW_COUNT(units); i++) {
        if (*text != units[i].unit)
            continue;
        if (!jw_mul(v, units[i].seconds, &v))
            return false;
        text++;
        break;
    }
    if (*text)
        return false;
    *out = v;
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* How many characters of `b` match the start of `a`. */
static size_t common_nocase(const char *a, const char *b)
{
    size_t n = 0;

    while (b[n] && lower(a[n]) == lower(b[n]))
        n++;
    return n;
}

bool jw_text_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct jw_bytes jw_text_trim(struct jw_bytes text)
{
    while (text.n && jw_text_blank(text.p[0]))
        text.p++, text.n--;
    while (text.n && jw_text_blank(text.p[text.n - 1]))
        text.n--;
    return text;
}

bool jw_text_equal_nocase(const char *a, const char *b)
{
    size_t n = common_nocase(a, b);

    return !a[n] && !b[n];
}

bool jw_text_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool jw_text_among(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

bool jw_text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool jw_text_starts_nocase(const char *text, const char *prefix)
{
    return !prefix[common_nocase(text, prefix)];
}

bool jw_text_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);

    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

const char *jw_text_find_nocase(const char *hay, const char *needle)
{
    for (;; hay++) {
        while (*hay && *needle && lower(*hay) != lower(*needle))
            hay++;
        if (!needle[common_nocase(hay, needle)])
            return hay;
        if (!*hay)
            return NULL;
    }
}

unsigned jw_text_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t n = strlen(a), m = strlen(b);
    unsigned row[LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return 99;
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned corner = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = corner + (a[i - 1] != b[j - 1]);
            unsigned edit = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            corner = row[j];
            row[j] = change < edit ? change : edit;
        }
    }
    return row[m];
}

/* ---- time ---- */

/* The civil calendar from days since 1970, with years that begin in March, so that the odd day comes last. */
static void civil_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    int64_t since = days + 719468, era = (since >= 0 ? since : since - 146096) / 146097;
    int64_t of_era = since - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * of_year + 2) / 153;

    *day = (unsigned)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (unsigned)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
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

bool jw_text_is_word(const char *text, bool windows)
{
    static const char plain[] = "\\abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%=";

    return *text && !text[strspn(text, windows ? plain : plain + 1)];
}

void jw_text_shell_word(struct jw_buf *out, const char *text, bool windows)
{
    static const char *const rules[] = { "''\\''", NULL };
    const char *quote = jw_text_is_word(text, windows) ? "" : windows ? "\"" : "'";

    jw_buf_text(out, quote);
    jw_text_escape(out, text, windows ? rules + 1 : rules);
    jw_buf_text(out, quote);
}

void jw_text_time(struct jw_buf *out, int64_t when)
{
    const int64_t day_s = 86400;
    int64_t days = when / day_s - (when % day_s < 0), left = when - days * day_s, year;
    unsigned month, day;

    civil_of(days, &year, &month, &day);
    jw_buf_printf(out, "%04lld-%02u-%02uT%02lld:%02lld:%02lldZ", (long long)year, month, day,
                  (long long)(left / 3600), (long long)(left / 60 % 60), (long long)(left % 60));
}

/* ---- sentences ---- */

static struct jw_words words_of(struct jw_buf *b)
{
    struct jw_words w = { "" };

    (void)snprintf(w.text, sizeof w.text, "%s", jw_buf_cstr(b));
    jw_buf_free(b);
    return w;
}

struct jw_words jw_words(void (*say)(struct jw_buf *out, uint64_t n), uint64_t n)
{
    struct jw_buf b = JW_BUF(sizeof(struct jw_words));

    say(&b, n);
    return words_of(&b);
}

struct jw_words jw_words_of_time(void (*say)(struct jw_buf *out, double seconds), double seconds)
{
    struct jw_buf b = JW_BUF(sizeof(struct jw_words));

    say(&b, seconds);
    return words_of(&b);
}

struct jw_words jw_words_of_n(uint64_t n, const char *one, const char *many)
{
    struct jw_buf b = JW_BUF(sizeof(struct jw_words));

    jw_text_count(&b, n);
    jw_buf_printf(&b, " %s", n == 1 ? one : many);
    return words_of(&b);
}

void jw_say_args(struct jw_buf *out, const char *fmt, va_list args)
{
    for (;;) {
        size_t plain = strcspn(fmt, "%");

        jw_buf_add(out, fmt, plain);
        if (!fmt[plain])
            break;
        fmt += plain + 1;

        size_t size = strspn(fmt, "zl");

        if (fmt[size] == 's')
            jw_text_clean(out, va_arg(args, const char *));
        else if (fmt[size] == 'c')
            jw_buf_printf(out, "%c", va_arg(args, int));
        else if (fmt[size] == 'd')
            jw_buf_printf(out, "%lld", size ? va_arg(args, long long) : va_arg(args, int));
        else if (fmt[size] == 'u')
            jw_buf_printf(out, "%llu",
                          *fmt == 'z' ? va_arg(args, size_t)
                          : size == 2 ? va_arg(args, unsigned long long)
                          : size == 1 ? va_arg(args, unsigned long)
                                      : va_arg(args, unsigned));
        else
            jw_buf_add(out, fmt, 1);
        fmt += size + 1;
    }
}

struct jw_words jw_phrase(const char *fmt, ...)
{
    struct jw_buf b = JW_BUF(1024);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&b, fmt, args);
    va_end(args);
    return words_of(&b);
}

const char *jw_text_between(size_t i, size_t n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

void jw_say(struct jw_buf *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    jw_say_args(out, fmt, args);
    va_end(args);
}
