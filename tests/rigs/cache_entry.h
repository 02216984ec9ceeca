/* A file of the driver's cache, as the driver writes it. */
#pragma once

#include "base/bytes.h"
#include "cache/format/jitcache.h"

/* A whole entry file to `out`; `*name` is its hash. */
static inline bool cache_entry_write(struct jw_buf *out, struct jw_bytes key,
                                     struct jw_bytes payload, uint64_t *name, struct jw_err *err)
{
    uint8_t head[JW_CACHE_HEADER];

    jw_put32(head, JW_CACHE_FORMAT);
    jw_put64(head + JW_CACHE_AT_KEY_SIZE, key.n);
    jw_put64(head + JW_CACHE_AT_PAYLOAD_SIZE, payload.n);
    jw_put64(head + JW_CACHE_AT_PAYLOAD_HASH, jw_fnv1a(JW_FNV_START, payload.p, payload.n));
    jw_buf_add(out, head, sizeof head);
    jw_buf_add(out, key.p, key.n);
    jw_buf_add(out, payload.p, payload.n);
    *name = jw_fnv1a(JW_FNV_START, key.p, key.n);
    return jw_buf_ok(out, err);
}
