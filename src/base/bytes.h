/* Bytes of a file: a slice, and a reader with a cursor. File bytes are never cast to a struct.
 *
 * Everything is little-endian. A read past the end makes the reader bad, and a bad reader returns
 * zeros: parse a whole header, then check once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct jw_bytes {
    const uint8_t *p;
    size_t n;
};

struct jw_reader {
    struct jw_bytes in;
    size_t at;
    bool bad;
};

#define JW_BYTES(text) ((struct jw_bytes){(const uint8_t *)(text), sizeof(text) - 1})

static inline bool jw_slice(struct jw_bytes b, uint64_t off, uint64_t len, struct jw_bytes *out)
{
    if (off > b.n || len > b.n - off)
        return false;
    *out = (struct jw_bytes){len ? b.p + off : NULL, (size_t)len};
    return true;
}

/* All behind the first `from` bytes, which there are. */
static inline struct jw_bytes jw_from(struct jw_bytes b, size_t from)
{
    return (struct jw_bytes){b.p + from, b.n - from};
}

static inline uint16_t jw_le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static inline uint32_t jw_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t jw_le64(const uint8_t *p)
{
    return jw_le32(p) | (uint64_t)jw_le32(p + 4) << 32;
}

static inline void jw_put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void jw_put32(uint8_t *p, uint32_t v)
{
    jw_put16(p, (uint16_t)v);
    jw_put16(p + 2, (uint16_t)(v >> 16));
}

static inline void jw_put64(uint8_t *p, uint64_t v)
{
    jw_put32(p, (uint32_t)v);
    jw_put32(p + 4, (uint32_t)(v >> 32));
}

/* The next `n` bytes, borrowed; an empty slice if the reader is bad. */
static inline struct jw_bytes jw_take(struct jw_reader *r, uint64_t n)
{
    struct jw_bytes out = {NULL, 0};

    if (r->bad || !jw_slice(r->in, r->at, n, &out)) {
        r->bad = true;
        return (struct jw_bytes){NULL, 0};
    }
    r->at += (size_t)n;
    return out;
}

static inline uint8_t jw_u8(struct jw_reader *r)
{
    struct jw_bytes b = jw_take(r, 1);
    return b.n ? b.p[0] : 0;
}

static inline uint16_t jw_u16(struct jw_reader *r)
{
    struct jw_bytes b = jw_take(r, 2);
    return b.n ? jw_le16(b.p) : 0;
}

static inline uint32_t jw_u32(struct jw_reader *r)
{
    struct jw_bytes b = jw_take(r, 4);
    return b.n ? jw_le32(b.p) : 0;
}

static inline uint64_t jw_u64(struct jw_reader *r)
{
    struct jw_bytes b = jw_take(r, 8);
    return b.n ? jw_le64(b.p) : 0;
}

static inline struct jw_reader jw_reader(struct jw_bytes in)
{
    return (struct jw_reader){in, 0, false};
}

static inline bool jw_starts(struct jw_bytes b, const char *text)
{
    size_t n = strlen(text);
    return b.p && b.n >= n && memcmp(b.p, text, n) == 0;
}

/* The position of `what` in `in`, or `in.n` if it is not there. */
static inline size_t jw_find(struct jw_bytes in, struct jw_bytes what)
{
    const uint8_t *p = in.p, *end;

    if (what.n == 0 || what.n > in.n)
        return what.n ? in.n : 0;
    end = in.p + (in.n - what.n) + 1;
    while (p < end && (p = memchr(p, what.p[0], (size_t)(end - p))) != NULL) {
        if (memcmp(p, what.p, what.n) == 0)
            return (size_t)(p - in.p);
        p++;
    }
    return in.n;
}
