#include "cache/format/jitcache.h"

#include "base/compiler.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/elf.h"
#include "formats/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 64 * 1024,
    BEGINNING = 4096, /* of a payload: enough to see what it is */
    ELF_MACHINE = 18  /* the same offset in both classes */
};

struct jw_cache_name jw_cache_name(uint64_t hash)
{
    struct jw_cache_name name;

    (void)snprintf(name.text, sizeof name.text, "%x/%x/%014llx", (unsigned)(hash >> 60),
                   (unsigned)(hash >> 56 & 15), (unsigned long long)(hash << 8 >> 8));
    return name;
}

bool jw_cache_name_parse(const char *h0, const char *h1, const char *rest, uint64_t *hash)
{
    char digits[17] = "", path[20];

    if (strlen(h0) != 1 || strlen(h1) != 1 || strlen(rest) != 14)
        return false;
    (void)snprintf(digits, sizeof digits, "%s%s%s", h0, h1, rest);
    (void)snprintf(path, sizeof path, "%s/%s/%s", h0, h1, rest);
    *hash = strtoull(digits, NULL, 16);
    return strcmp(jw_cache_name(*hash).text, path) == 0; /* lower case alone, no sign, no blank */
}

static bool size_fits(const char *what, unsigned at, uint64_t n, uint64_t max, struct jw_err *err)
{
    if (n > max)
        return jw_fail(err, JW_E_LIMIT, "%s of %llu bytes (0x%x), expected at most %llu", what,
                       (unsigned long long)n, at, (unsigned long long)max);
    return n || jw_fail(err, JW_E_FORMAT, "empty %s (0x%x), expected at least 1 byte", what, at);
}

static bool sizes_fit(uint64_t key, uint64_t payload, struct jw_err *err)
{
    return size_fits("key", JW_CACHE_AT_KEY_SIZE, key, JW_MAX_CACHE_KEY, err)
           && size_fits("payload", JW_CACHE_AT_PAYLOAD_SIZE, payload, JW_MAX_CACHE_PAYLOAD, err);
}

bool jw_cache_entry_read(struct jw_bytes head, uint64_t file_size, struct jw_cache_entry *out,
                         struct jw_err *err)
{
    struct jw_reader r = jw_reader(head);
    uint64_t there = jw_min(head.n, file_size);

    *out = (struct jw_cache_entry){0};
    if (there < JW_CACHE_HEADER)
        return jw_fail(err, JW_E_FORMAT, "it has %llu bytes, expected a header of %d",
                       (unsigned long long)there, JW_CACHE_HEADER);
    uint32_t format = jw_u32(&r);
    if (format != JW_CACHE_FORMAT)
        return jw_fail(err, JW_E_FORMAT, "format 0x%x at 0x0, expected 0x%x", (unsigned)format,
                       (unsigned)JW_CACHE_FORMAT);
    struct jw_cache_entry e = {0};
    e.key_size = jw_u64(&r);
    e.payload_size = jw_u64(&r);
    e.payload_hash = jw_u64(&r);
    if (!sizes_fit(e.key_size, e.payload_size, err))
        return false;

    uint64_t end = JW_CACHE_HEADER + e.key_size + e.payload_size;
    if (file_size != end)
        return jw_fail(err, JW_E_FORMAT,
                       "it has %llu bytes, expected %llu (key %llu, payload %llu)",
                       (unsigned long long)file_size, (unsigned long long)end,
                       (unsigned long long)e.key_size, (unsigned long long)e.payload_size);
    *out = e;
    return true;
}

/* ---- every byte ---- */

static bool payload_begins_well(struct jw_bytes p, uint64_t at, struct jw_err *err)
{
    if (!jw_starts(p, "\177ELF"))
        return jw_ptx_plausible(p)
               || jw_fail(err, JW_E_FORMAT,
                          "unknown payload at 0x%llx, expected an ELF or PTX text",
                          (unsigned long long)at);
    if (p.n < ELF_MACHINE + 2)
        return jw_fail(err, JW_E_FORMAT, "ELF at 0x%llx ends after %zu bytes, expected at least %d",
                       (unsigned long long)at, p.n, ELF_MACHINE + 2);
    unsigned machine = jw_le16(p.p + ELF_MACHINE);
    return machine == JW_EM_CUDA
           || jw_fail(err, JW_E_FORMAT, "ELF for machine %u (0x%llx), expected %d, CUDA", machine,
                      (unsigned long long)at + ELF_MACHINE, JW_EM_CUDA);
}

static bool key_fits(uint64_t hash, uint64_t name, struct jw_err *err)
{
    return hash == name
           || jw_fail(err, JW_E_FORMAT, "key at 0x%x hashes to %016llx, expected its name %016llx",
                      (unsigned)JW_CACHE_HEADER, (unsigned long long)hash,
                      (unsigned long long)name);
}

/* `first`: the payload's first bytes. */
static bool payload_fits(const struct jw_cache_entry *e, uint64_t hash, struct jw_bytes first,
                         struct jw_err *err)
{
    uint64_t at = JW_CACHE_HEADER + e->key_size;

    if (hash != e->payload_hash)
        return jw_fail(err, JW_E_FORMAT,
                       "payload at 0x%llx hashes to %016llx, expected %016llx (0x%x)",
                       (unsigned long long)at, (unsigned long long)hash,
                       (unsigned long long)e->payload_hash, (unsigned)JW_CACHE_AT_PAYLOAD_HASH);
    first.n = (size_t)jw_min(first.n, BEGINNING);
    return payload_begins_well(first, at, err);
}

/* `chunk` has room for CHUNK bytes; the first BEGINNING bytes of the range stay there. */
static bool hash_range(const struct jw_source *file, uint64_t at, uint64_t n, uint8_t *chunk,
                       uint64_t *hash, struct jw_err *err)
{
    *hash = JW_FNV_START;
    for (uint64_t done = 0; done < n;) {
        uint8_t *to = chunk + (done ? BEGINNING : 0);
        size_t part = (size_t)jw_min(n - done, CHUNK - BEGINNING);

        if (!jw_source_read(file, at + done, to, part, err))
            return false;
        *hash = jw_fnv1a(*hash, to, part);
        done += part;
    }
    return true;
}

bool jw_cache_entry_check(const struct jw_source *file, uint64_t name, struct jw_cache_entry *out,
                          struct jw_err *err)
{
    size_t head = (size_t)jw_min(file->size, JW_CACHE_HEADER);
    uint8_t *chunk = jw_alloc((size_t)jw_min(file->size, CHUNK)); /* most entries are smaller */
    uint64_t hash;
    bool ok;

    *out = (struct jw_cache_entry){0};
    ok = jw_source_read(file, 0, chunk, head, err)
         && jw_cache_entry_read((struct jw_bytes){chunk, head}, file->size, out, err)
         && hash_range(file, JW_CACHE_HEADER, out->key_size, chunk, &hash, err)
         && key_fits(hash, name, err)
         && hash_range(file, JW_CACHE_HEADER + out->key_size, out->payload_size, chunk, &hash, err)
         && payload_fits(out, hash,
                         (struct jw_bytes){chunk, (size_t)jw_min(out->payload_size, CHUNK)}, err);
    jw_free(chunk);
    return ok;
}

enum { LANES = 4 };

struct text {
    struct jw_bytes left; /* to be hashed */
    uint64_t hash;
};

/* The next `n` bytes of four texts side by side: each step of one waits for its own last step
 * alone. (Unwatched as jw_fnv1a is.) */
JW_UNWATCHED static void hash_four(struct text *const t[LANES], size_t n)
{
    const uint8_t *a = t[0]->left.p;
    const uint8_t *b = t[1]->left.p;
    const uint8_t *c = t[2]->left.p;
    const uint8_t *d = t[3]->left.p;
    uint64_t w = t[0]->hash;
    uint64_t x = t[1]->hash;
    uint64_t y = t[2]->hash;
    uint64_t z = t[3]->hash;

    for (size_t i = 0; i < n; i++) {
        w = (w ^ a[i]) * JW_FNV_PRIME;
        x = (x ^ b[i]) * JW_FNV_PRIME;
        y = (y ^ c[i]) * JW_FNV_PRIME;
        z = (z ^ d[i]) * JW_FNV_PRIME;
    }
    t[0]->hash = w;
    t[1]->hash = x;
    t[2]->hash = y;
    t[3]->hash = z;
    for (unsigned k = 0; k < LANES; k++)
        t[k]->left = (struct jw_bytes){t[k]->left.p + n, t[k]->left.n - n};
}

static int longest_first(const void *a, const void *b)
{
    const struct text *x = *(const struct text *const *)a;
    const struct text *y = *(const struct text *const *)b;

    return (x->left.n < y->left.n) - (x->left.n > y->left.n);
}

/* The longest first, so that little is left where there are no four any more. */
static void hash_texts(struct text *t, size_t n)
{
    struct text **order = jw_alloc(n * sizeof *order);
    struct text *lane[LANES] = {NULL};
    size_t step, next = 0;

    for (size_t i = 0; i < n; i++)
        order[i] = &t[i];
    jw_sort((void *)order, n, sizeof *order, longest_first);
    do {
        step = SIZE_MAX;
        for (unsigned k = 0; k < LANES; k++) {
            if (next < n && !(lane[k] && lane[k]->left.n))
                lane[k] = order[next++];
            step = lane[k] ? (size_t)jw_min(step, lane[k]->left.n) : 0;
        }
        if (step)
            hash_four(lane, step);
    } while (step);
    for (unsigned k = 0; k < LANES && lane[k]; k++)
        lane[k]->hash = jw_fnv1a(lane[k]->hash, lane[k]->left.p, lane[k]->left.n);
    jw_free((void *)order);
}

static bool read_one(struct jw_cache_checked *c, struct text hashed[2], struct jw_err *err)
{
    struct jw_cache_entry *e = &c->entry;

    hashed[0].hash = hashed[1].hash = JW_FNV_START;
    if (!jw_cache_entry_read(c->file, c->file.n, e, err))
        return false;
    if (c->key_size && e->key_size != c->key_size)
        return jw_fail(err, JW_E_FORMAT, "its key has %llu bytes, expected %llu",
                       (unsigned long long)e->key_size, (unsigned long long)c->key_size);
    return jw_slice(c->file, JW_CACHE_HEADER, e->key_size, &hashed[0].left)
           && jw_slice(c->file, JW_CACHE_HEADER + e->key_size, e->payload_size, &hashed[1].left);
}

bool jw_cache_entries_check(struct jw_cache_checked *list, size_t n, size_t *bad,
                            struct jw_err *err)
{
    struct text *hashed = jw_alloc(2 * n * sizeof *hashed);
    bool ok = true;

    for (*bad = 0; *bad < n && ok; *bad += ok)
        ok = read_one(&list[*bad], &hashed[2 * *bad], err);
    if (ok)
        hash_texts(hashed, 2 * n);
    for (*bad = ok ? 0 : *bad; *bad < n && ok; *bad += ok) {
        const struct jw_cache_checked *c = &list[*bad];
        struct jw_bytes payload = {NULL, 0};

        (void)jw_slice(c->file, JW_CACHE_HEADER + c->entry.key_size, c->entry.payload_size,
                       &payload);
        ok = key_fits(hashed[2 * *bad].hash, c->name, err)
             && payload_fits(&c->entry, hashed[2 * *bad + 1].hash, payload, err);
    }
    jw_free(hashed);
    return ok;
}
