#include "os/files/winpath.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>

/* CreateDirectoryW's limit, the lowest: a file name of 8.3 must still fit below 260. */
enum { SHORT_PATH = 248 };

bool jw_utf16_from(const char *text, uint16_t **out, struct jw_err *err)
{
    struct jw_bytes left = {(const uint8_t *)text, strlen(text)};
    size_t n = 0;

    *out = NULL;
    if (left.n >= JW_MAX_PATH)
        return jw_fail(err, JW_E_IO, "the name is too long");
    uint16_t *units = jw_alloc((left.n + 1) * sizeof *units); /* at most one for each byte */
    while (left.n) {
        uint32_t v = 0;
        size_t step = jw_utf8_decode(left, true, &v);

        if (!step) {
            jw_free(units);
            return jw_fail(err, JW_E_IO, "the name is not valid UTF-8");
        }
        if (v > 0xffff) {
            units[n++] = (uint16_t)(0xd800 + ((v - 0x10000) >> 10));
            v = 0xdc00 + (v & 0x3ff);
        }
        units[n++] = (uint16_t)v;
        left = (struct jw_bytes){left.p + step, left.n - step};
    }
    *out = units;
    return true;
}

static size_t utf8_length(uint32_t point)
{
    if (point < 0x80)
        return 1;
    if (point < 0x800)
        return 2;
    return point < 0x10000 ? 3 : 4;
}

void jw_utf16_to(struct jw_buf *out, const uint16_t *text)
{
    while (*text) {
        uint32_t v = *text++;
        uint8_t b[4];

        if ((v & 0xfc00) == 0xd800 && (*text & 0xfc00) == 0xdc00)
            v = 0x10000 + ((v & 0x3ff) << 10) + (*text++ & 0x3ffu);
        size_t n = utf8_length(v);

        for (size_t i = n; i-- > 1; v >>= 6)
            b[i] = (uint8_t)(0x80 | (v & 0x3f));
        b[0] = (uint8_t)(n == 1 ? v : (0xf00u >> n & 0xff) | v);
        jw_buf_add(out, b, n);
    }
}

static bool letter(uint32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

static size_t length16(const uint16_t *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

uint16_t *jw_winpath_long(const uint16_t *absolute, bool always)
{
    static const char drive[] = "\\\\?\\";
    static const char server[] = "\\\\?\\UNC";
    size_t n = length16(absolute);
    size_t skip = 0;
    size_t add = 0;
    const char *prefix = drive;

    if (!always && n < SHORT_PATH)
        add = 0;
    else if (n > 2 && letter(absolute[0]) && absolute[1] == ':' && absolute[2] == '\\')
        add = strlen(drive);
    else if (absolute[0] == '\\' && absolute[1] == '\\' && absolute[2] != '?'
             && absolute[2] != '.') {
        prefix = server;
        add = strlen(server);
        skip = 1; /* keeps one of the two backslashes */
    }

    uint16_t *units = jw_alloc((add + n - skip + 1) * sizeof *units);

    for (size_t i = 0; i < add; i++)
        units[i] = (uint8_t)prefix[i];
    memcpy(units + add, absolute + skip, (n - skip) * sizeof *units);
    return units;
}
