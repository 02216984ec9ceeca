#include "driver/worker/record.h"

#include "base/limits.h"

#include <string.h>

enum { KIND = 2 };

size_t jw_record_begin(struct jw_buf *out, uint16_t kind)
{
    size_t begin = out->n;

    jw_record_put32(out, 0);
    jw_record_put16(out, kind);
    return begin;
}

void jw_record_end(struct jw_buf *out, size_t begin)
{
    if (!out->bad && out->n - begin > JW_RECORD_PREFIX + JW_MAX_RECORD)
        out->bad = true;
    if (!out->bad)
        jw_put32(out->p + begin, (uint32_t)(out->n - begin - JW_RECORD_PREFIX));
}

void jw_record_put_bool(struct jw_buf *out, bool v)
{
    jw_buf_fill(out, v, 1);
}

void jw_record_put16(struct jw_buf *out, uint16_t v)
{
    uint8_t b[2];

    jw_put16(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_record_put32(struct jw_buf *out, uint32_t v)
{
    uint8_t b[4];

    jw_put32(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_record_put64(struct jw_buf *out, uint64_t v)
{
    uint8_t b[8];

    jw_put64(b, v);
    jw_buf_add(out, b, sizeof b);
}

void jw_record_put_text(struct jw_buf *out, const char *text)
{
    size_t n = strlen(text);

    if (n > JW_MAX_PATH) {
        out->bad = true;
        return;
    }
    jw_record_put32(out, (uint32_t)n);
    jw_buf_add(out, text, n + 1);
}

bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err)
{
    *n = jw_le32(prefix);
    return (*n >= KIND && *n <= JW_MAX_RECORD)
           || jw_fail(err, JW_E_FORMAT, "worker: no record has %zu bytes", *n);
}

bool jw_record_bool(struct jw_reader *r)
{
    uint8_t v = jw_u8(r);

    if (v > 1)
        r->bad = true;
    return v == 1;
}

const char *jw_record_text(struct jw_reader *r)
{
    uint32_t n = jw_u32(r);
    struct jw_bytes b = n <= JW_MAX_PATH ? jw_take(r, (uint64_t)n + 1) : (struct jw_bytes){ NULL, 0 };

    if (!b.n || memchr(b.p, 0, b.n) != b.p + n) {
        r->bad = true;
        return "";
    }
    return (const char *)b.p;
}
