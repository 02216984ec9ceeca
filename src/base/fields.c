#include "base/fields.h"

#include "base/limits.h"

#include <string.h>

void jw_field8(struct jw_buf *out, uint8_t v)
{
    jw_buf_add(out, &v, 1);
}

void jw_field16(struct jw_buf *out, uint16_t v)
{
    uint8_t b[2];

    jw_put16(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_field32(struct jw_buf *out, uint32_t v)
{
    uint8_t b[4];

    jw_put32(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_field64(struct jw_buf *out, uint64_t v)
{
    uint8_t b[8];

    jw_put64(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_field_text(struct jw_buf *out, const char *text)
{
    size_t n = strlen(text ? text : "");

    if (n > JW_MAX_PATH) {
        out->bad = true;
        return;
    }
    jw_field32(out, (uint32_t)n);
    jw_buf_add(out, text ? text : "", n + 1);
}

const char *jw_take_text(struct jw_reader *r)
{
    uint32_t n = jw_u32(r);
    struct jw_bytes b = n <= JW_MAX_PATH ? jw_take(r, (uint64_t)n + 1) : (struct jw_bytes){ NULL, 0 };

    if (!b.n || memchr(b.p, 0, b.n) != b.p + n) {
        r->bad = true;
        return "";
    }
    return (const char *)b.p;
}

bool jw_take_bool(struct jw_reader *r)
{
    uint8_t v = jw_u8(r);

    if (v > 1)
        r->bad = true;
    return v == 1;
}
