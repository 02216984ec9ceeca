#include "driver/worker/record.h"

#include "base/fields.h"
#include "base/limits.h"

enum { KIND = 2 };

size_t jw_record_begin(struct jw_buf *out, uint16_t kind)
{
    size_t begin = out->n;

    jw_field32(out, 0);
    jw_field16(out, kind);
    return begin;
}

void jw_record_end(struct jw_buf *out, size_t begin)
{
    if (!out->bad && out->n - begin > JW_RECORD_PREFIX + JW_MAX_RECORD)
        out->bad = true;
    if (!out->bad)
        jw_put32(out->p + begin, (uint32_t)(out->n - begin - JW_RECORD_PREFIX));
}

bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err)
{
    *n = jw_le32(prefix);
    return (*n >= KIND && *n <= JW_MAX_RECORD)
           || jw_fail(err, JW_E_FORMAT, "worker: no record has %zu bytes", *n);
}

bool jw_record_hear(struct jw_parent *parent, struct jw_buf *in, bool *gone, struct jw_err *err)
{
    uint8_t prefix[JW_RECORD_PREFIX];
    size_t n;

    if (!jw_parent_read(parent, prefix, sizeof prefix, gone, err))
        return false;
    if (*gone)
        return true;
    if (!jw_record_length(prefix, &n, err))
        return false;
    jw_buf_clear(in);
    jw_buf_fill(in, 0, n);
    return jw_buf_ok(in, err) && jw_parent_read(parent, in->p, n, gone, err);
}
