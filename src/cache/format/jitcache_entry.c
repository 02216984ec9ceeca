#include "cache/format/jitcache.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/elf.h"
#include "formats/ptx.h"

#include <string.h>

enum {
    AT_KEY_SIZE = 4,
    AT_PAYLOAD_SIZE = 12,
    AT_PAYLOAD_HASH = 20,
    CHUNK = 64 * 1024,
    ELF_MACHINE = 18 /* the same offset in both classes */
};

#define FNV_PRIME 0x100000001b3ULL

uint64_t jw_fnv1a(uint64_t h, const void *p, size_t n)
{
    const uint8_t *b = p;

    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * JW_FNV_PRIME;
    return h;
}

struct jw_cache_name jw_cache_name(uint64_t hash)
{
    struct jw_cache_name name = { "" };
    size_t n = 0;

    for (unsigned i = 0; i < 16; i++) {
        name.text[n++] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
        if (i < 2)
            name.text[n++] = '/';
    }
    return name;
}

/* Exactly `n` lower-case digits, shifted in. */
static bool take_hex(const char *text, size_t n, uint64_t *hash)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *hash = *hash << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return text[n] == '\0';
}

bool jw_cache_name_parse(const char *h0, const char *h1, const char *rest, uint64_t *hash)
{
    uint64_t h = 0;

    if (!take_hex(h0, 1, &h) || !take_hex(h1, 1, &h) || !take_hex(rest, 14, &h))
        return false;
    *hash = h;
    return true;
}

static bool size_fits(const char *what, unsigned at, uint64_t n, uint64_t max, struct jw_err *err)
{
    if (n > max)
        return jw_fail(err, JW_E_LIMIT, "cache entry: %s of %llu bytes (0x%x), expected at most %llu", what,
                       (unsigned long long)n, at, (unsigned long long)max);
    return n || jw_fail(err, JW_E_FORMAT, "cache entry: empty %s (0x%x), expected at least 1 byte", what, at);
}

static bool sizes_fit(uint64_t key, uint64_t payload, struct jw_err *err)
{
    return size_fits("key", AT_KEY_SIZE, key, JW_MAX_CACHE_KEY, err)
           && size_fits("payload", AT_PAYLOAD_SIZE, payload, JW_MAX_CACHE_PAYLOAD, err);
}

bool jw_cache_entry_read(struct jw_bytes head, uint64_t file_size, struct jw_cache_entry *out,
                         struct jw_err *err)
{
    struct jw_reader r = jw_reader(head);
    uint64_t there = jw_min(head.n, file_size);

    *out = (struct jw_cache_entry){ 0 };
    if (there < JW_CACHE_HEADER)
        return jw_fail(err, JW_E_FORMAT, "cache entry: ends at 0x%llx, expected a header of %d bytes",
                       (unsigned long long)there, JW_CACHE_HEADER);
    uint32_t format = jw_u32(&r);
    if (format != JW_CACHE_FORMAT)
        return jw_fail(err, JW_E_FORMAT, "cache entry: format 0x%x at 0x0, expected 0x%x", (unsigned)format,
                       (unsigned)JW_CACHE_FORMAT);
    struct jw_cache_entry e = { 0 };
    e.key_size = jw_u64(&r);
    e.payload_size = jw_u64(&r);
    e.payload_hash = jw_u64(&r);
    if (!sizes_fit(e.key_size, e.payload_size, err))
        return false;

    uint64_t end = JW_CACHE_HEADER + e.key_size + e.payload_size;
    if (file_size != end)
        return jw_fail(err, JW_E_FORMAT,
                       "cache entry: ends at 0x%llx, expected 0x%llx (key %llu, payload %llu bytes)",
                       (unsigned long long)file_size, (unsigned long long)end, (unsigned long long)e.key_size,
                       (unsigned long long)e.payload_size);
    *out = e;
    return true;
}

/* ---- every byte ---- */

static bool payload_begins_well(struct jw_bytes p, uint64_t at, struct jw_err *err)
{
    if (!jw_starts(p, "\177ELF"))
        return jw_ptx_plausible(p)
               || jw_fail(err, JW_E_FORMAT,
                          "cache entry: unknown payload at 0x%llx, expected an ELF or PTX text",
                          (unsigned long long)at);
    if (p.n < ELF_MACHINE + 2)
        return jw_fail(err, JW_E_FORMAT,
                       "cache entry: ELF at 0x%llx ends after %zu bytes, expected at least %d",
                       (unsigned long long)at, p.n, ELF_MACHINE + 2);
    unsigned machine = jw_le16(p.p + ELF_MACHINE);
    return machine == JW_EM_CUDA
           || jw_fail(err, JW_E_FORMAT, "cache entry: ELF for machine %u (0x%llx), expected %d, CUDA",
                      machine, (unsigned long long)at + ELF_MACHINE, JW_EM_CUDA);
}

static bool end_of_key(struct jw_cache_check *c, struct jw_err *err)
{
    uint64_t hash = c->hash;

    c->hash = JW_FNV_START;
    return hash == c->name
           || jw_fail(err, JW_E_FORMAT,
                      "cache entry: key at 0x%x hashes to %016llx, expected its name %016llx",
                      (unsigned)JW_CACHE_HEADER, (unsigned long long)hash, (unsigned long long)c->name);
}

static bool end_of_payload(const struct jw_cache_check *c, struct jw_err *err)
{
    uint64_t at = JW_CACHE_HEADER + c->entry.key_size;

    if (c->hash != c->entry.payload_hash)
        return jw_fail(err, JW_E_FORMAT,
                       "cache entry: payload at 0x%llx hashes to %016llx, expected %016llx (0x%x)",
                       (unsigned long long)at, (unsigned long long)c->hash,
                       (unsigned long long)c->entry.payload_hash, (unsigned)AT_PAYLOAD_HASH);
    return payload_begins_well(
        (struct jw_bytes){ c->payload, (size_t)jw_min(c->entry.payload_size, sizeof c->payload) }, at, err);
}

/* What of a part lies in [begin, begin + n of `into`) is kept. */
static void keep(uint64_t at, const uint8_t *p, size_t n, uint64_t begin, uint8_t *into, size_t room)
{
    if (n && at - begin < room)
        memcpy(into + (at - begin), p, (size_t)jw_min(n, room - (at - begin)));
}

void jw_cache_check_begin(struct jw_cache_check *c, uint64_t name, uint64_t size)
{
    *c = (struct jw_cache_check){ .name = name, .size = size, .hash = JW_FNV_START };
}

/* The part that begins at `c->at`, as far as it is header, key or payload; `*n` says how far. */
static bool feed_part(struct jw_cache_check *c, const uint8_t *p, size_t *n, struct jw_err *err)
{
    uint64_t key = JW_CACHE_HEADER + c->entry.key_size, at = c->at;

    *n = (size_t)jw_min(*n, (at < JW_CACHE_HEADER ? JW_CACHE_HEADER : at < key ? key : c->size) - at);
    c->at += *n;
    if (at < key || at < JW_CACHE_HEADER)
        keep(at, p, *n, 0, c->head, sizeof c->head);
    else
        keep(at, p, *n, key, c->payload, sizeof c->payload);
    if (at < JW_CACHE_HEADER)
        return c->at < JW_CACHE_HEADER
               || jw_cache_entry_read((struct jw_bytes){ c->head, JW_CACHE_HEADER }, c->size, &c->entry, err);
    c->hash = jw_fnv1a(c->hash, p, *n);
    return c->at != key || end_of_key(c, err);
}

bool jw_cache_check_feed(struct jw_cache_check *c, const void *p, size_t n, struct jw_err *err)
{
    const uint8_t *at = p;

    while (n) {
        size_t part = n;

        if (c->at >= c->size)
            return jw_fail(err, JW_E_FORMAT, "cache entry: goes on after 0x%llx, expected its end",
                           (unsigned long long)c->size);
        if (!feed_part(c, at, &part, err))
            return false;
        at += part;
        n -= part;
    }
    return true;
}

bool jw_cache_check_end(const struct jw_cache_check *c, struct jw_err *err)
{
    struct jw_cache_entry ignored;

    if (c->at < JW_CACHE_HEADER)
        return jw_cache_entry_read((struct jw_bytes){ c->head, (size_t)c->at }, c->at, &ignored, err);
    if (c->at < c->size)
        return jw_fail(err, JW_E_FORMAT, "cache entry: ends at 0x%llx, expected 0x%llx",
                       (unsigned long long)c->at, (unsigned long long)c->size);
    return end_of_payload(c, err);
}

void jw_cache_check_key(const struct jw_cache_check *c, struct jw_cache_key *out)
{
    size_t n = (size_t)jw_min(c->entry.key_size, JW_CACHE_KEY_HEAD);

    jw_cache_key_read((struct jw_bytes){ c->head + JW_CACHE_HEADER, n }, c->entry.key_size, out);
}

static bool check_with(const struct jw_source *file, struct jw_cache_check *c, uint8_t *chunk,
                       struct jw_err *err)
{
    while (c->at < file->size) {
        size_t part = (size_t)jw_min(file->size - c->at, c->at < JW_CACHE_HEADER ? JW_CACHE_HEADER : CHUNK);

        if (!jw_source_read(file, c->at, chunk, part, err))
            return jw_wrap(err, "cache entry");
        if (!jw_cache_check_feed(c, chunk, part, err))
            return false;
    }
    return jw_cache_check_end(c, err);
}

bool jw_cache_entry_check(const struct jw_source *file, uint64_t name, struct jw_cache_entry *out,
                          struct jw_err *err)
{
    struct jw_cache_check c;
    uint8_t *chunk = jw_alloc(CHUNK);
    bool ok;

    jw_cache_check_begin(&c, name, file->size);
    ok = check_with(file, &c, chunk, err);
    *out = c.entry;
    jw_free(chunk);
    return ok;
}

/* Of two texts side by side: each step of one waits for its own last step alone. */
static void hash_two(uint64_t hash[2], struct jw_bytes a, struct jw_bytes b)
{
    size_t both = (size_t)jw_min(a.n, b.n);
    uint64_t x = JW_FNV_START, y = JW_FNV_START;

    for (size_t i = 0; i < both; i++) {
        x = (x ^ a.p[i]) * FNV_PRIME;
        y = (y ^ b.p[i]) * FNV_PRIME;
    }
    hash[0] = jw_fnv1a(x, a.p + both, a.n - both);
    hash[1] = jw_fnv1a(y, b.p + both, b.n - both);
}

bool jw_cache_entry_check_bytes(struct jw_bytes file, uint64_t name, struct jw_cache_entry *out,
                                struct jw_err *err)
{
    struct jw_cache_check c;
    struct jw_bytes key = { NULL, 0 }, payload = { NULL, 0 };
    uint64_t hash[2];

    jw_cache_check_begin(&c, name, file.n);
    if (!jw_cache_entry_read(file, file.n, &c.entry, err))
        return false;
    *out = c.entry;
    (void)jw_slice(file, JW_CACHE_HEADER, c.entry.key_size, &key);
    (void)jw_slice(file, JW_CACHE_HEADER + c.entry.key_size, c.entry.payload_size, &payload);
    hash_two(hash, key, payload);
    c.hash = hash[0];
    if (!end_of_key(&c, err))
        return false;
    c.hash = hash[1];
    keep(0, payload.p, payload.n, 0, c.payload, sizeof c.payload);
    return end_of_payload(&c, err);
}

bool jw_cache_entry_write(struct jw_buf *out, struct jw_bytes key, struct jw_bytes payload, uint64_t *name,
                          struct jw_err *err)
{
    uint8_t head[JW_CACHE_HEADER];

    if (!sizes_fit(key.n, payload.n, err))
        return false;
    jw_put32(head, JW_CACHE_FORMAT);
    jw_put64(head + AT_KEY_SIZE, key.n);
    jw_put64(head + AT_PAYLOAD_SIZE, payload.n);
    jw_put64(head + AT_PAYLOAD_HASH, jw_fnv1a(JW_FNV_START, payload.p, payload.n));
    jw_buf_add(out, head, sizeof head);
    jw_buf_add(out, key.p, key.n);
    jw_buf_add(out, payload.p, payload.n);
    *name = jw_fnv1a(JW_FNV_START, key.p, key.n);
    return jw_buf_ok(out, err);
}
