#include "cache/format/carry_entry.h"

#include "base/mem.h"
#include "base/num.h"
#include "formats/cubin.h"
#include "os/files/append.h"
#include "os/files/file.h"

#include <string.h>

enum { CHUNK = 256 * 1024, MAX_OPTIONS = 4096 };

static const uint8_t elf[] = { 0x7f, 'E', 'L', 'F' };

struct carrier {
    struct jw_source in;
    struct jw_append out;
    struct jw_cache_entry sizes;
    const char *stamp;
    uint64_t was, becomes, payload; /* hashes so far */
    uint8_t *chunk;
    bool writes; /* else only the sums are wanted */
};

/* Two sums in one pass: neither waits for the other. */
static void hash_key(struct carrier *c, const uint8_t *old, const uint8_t *now, size_t n)
{
    uint64_t was = c->was, becomes = c->becomes;

    for (size_t i = 0; i < n; i++) {
        was = (was ^ old[i]) * JW_FNV_PRIME;
        becomes = (becomes ^ now[i]) * JW_FNV_PRIME;
    }
    c->was = was;
    c->becomes = becomes;
}

static bool copy(struct carrier *c, uint64_t at, uint64_t n, bool key, struct jw_err *err)
{
    while (n) {
        size_t part = (size_t)jw_min(n, CHUNK);

        if (!jw_source_read(&c->in, at, c->chunk, part, err))
            return false;
        if (key)
            hash_key(c, c->chunk, c->chunk, part);
        else
            c->payload = jw_fnv1a(c->payload, c->chunk, part);
        if (c->writes && !jw_append_write(&c->out, c->chunk, part, err))
            return false;
        at += part;
        n -= part;
    }
    return true;
}

/* Of what OpenCL compiles it is not known whether another stamp is enough. Its mark stands among the options, at the
 * end of a key that looks like a module's. driver-fact: F09-other-tenants */
static bool check_tenant(struct carrier *c, struct jw_err *err)
{
    size_t n = (size_t)jw_min(c->sizes.key_size, MAX_OPTIONS);

    if (!jw_source_read(&c->in, JW_CACHE_HEADER + c->sizes.key_size - n, c->chunk, n, err))
        return false;
    return !jw_cache_key_is_opencl((struct jw_bytes){ c->chunk, n })
           || jw_fail(err, JW_E_FORMAT, "cache entry: it is OpenCL's");
}

/* The head of the file, with the other stamp in it; and is it an entry that can be carried? */
static bool copy_head(struct carrier *c, struct jw_err *err)
{
    uint8_t old[JW_CACHE_HEADER + JW_CACHE_STAMP], now[sizeof old], code[sizeof elf];
    char stamp[JW_CACHE_STAMP + 1] = "";

    if (c->in.size < sizeof old)
        return jw_fail(err, JW_E_FORMAT, "cache entry: %llu bytes are no entry of a module",
                       (unsigned long long)c->in.size);
    if (!jw_source_read(&c->in, 0, old, sizeof old, err)
        || !jw_cache_entry_read((struct jw_bytes){ old, sizeof old }, c->in.size, &c->sizes, err))
        return false;
    if (c->sizes.key_size < JW_CACHE_STAMP || c->sizes.payload_size < sizeof code)
        return jw_fail(err, JW_E_FORMAT, "cache entry: it is no entry of a module");
    memcpy(stamp, old + JW_CACHE_HEADER, JW_CACHE_STAMP);
    if (!jw_cache_stamp_time(stamp))
        return jw_fail(err, JW_E_FORMAT, "cache entry: its key begins with no stamp of a driver");
    if (!jw_source_read(&c->in, JW_CACHE_HEADER + c->sizes.key_size, code, sizeof code, err))
        return false;
    if (memcmp(code, elf, sizeof elf) != 0)
        return jw_fail(err, JW_E_FORMAT, "cache entry: its payload is no machine code");
    if (!check_tenant(c, err))
        return false;
    memcpy(now, old, sizeof now);
    memcpy(now + JW_CACHE_HEADER, c->stamp, JW_CACHE_STAMP);
    hash_key(c, old + JW_CACHE_HEADER, now + JW_CACHE_HEADER, JW_CACHE_STAMP);
    return !c->writes || jw_append_write(&c->out, now, sizeof now, err);
}

static bool copy_key(struct carrier *c, struct jw_err *err)
{
    return copy_head(c, err)
           && copy(c, JW_CACHE_HEADER + JW_CACHE_STAMP, c->sizes.key_size - JW_CACHE_STAMP, true, err);
}

static bool copy_all(struct carrier *c, uint64_t name, struct jw_err *err)
{
    if (!copy_key(c, err) || !copy(c, JW_CACHE_HEADER + c->sizes.key_size, c->sizes.payload_size, false, err))
        return false;
    if (c->was != name)
        return jw_fail(err, JW_E_FORMAT, "cache entry: its name is not that of its key");
    return c->payload == c->sizes.payload_hash
           || jw_fail(err, JW_E_FORMAT, "cache entry: its payload is damaged");
}

/* `name` NULL: the key alone. */
static bool carry_file(struct carrier *c, struct jw_file *f, const uint64_t *name, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_info(f, &info, err))
        return false;
    c->in = jw_file_source(f, info.size);
    c->chunk = jw_alloc(CHUNK);
    bool ok = name ? copy_all(c, *name, err) : copy_key(c, err);

    jw_free(c->chunk);
    return ok;
}

static struct carrier carrier(const char *stamp, bool writes)
{
    return (struct carrier){ .out = JW_APPEND_CLOSED,
                             .stamp = stamp,
                             .was = JW_FNV_START,
                             .becomes = JW_FNV_START,
                             .payload = JW_FNV_START,
                             .writes = writes };
}

bool carry_name(const char *from, const char *stamp, uint64_t *name, struct jw_err *err)
{
    struct carrier c = carrier(stamp, false);
    struct jw_file f = JW_FILE_CLOSED;
    bool ok = jw_file_open(&f, from, err) && carry_file(&c, &f, NULL, err);

    jw_file_close(&f);
    *name = c.becomes;
    return ok;
}

/* Up to CUDA 12 the version stands in e_version. The newer layout, of CUDA 12.8 from sm_100 on and of CUDA 13 for all,
 * has 1 there. */
struct carry_compiler carry_compiler(const char *from, uint64_t key_size)
{
    enum { OSABI = 7, VERSION = 20, FLAGS = 48, FIRST = 50, LAST = 129 };
    uint8_t head[FLAGS + 4];
    struct carry_compiler c = { 0 };
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored;
    size_t got = 0;

    if (jw_file_open(&f, from, &ignored)
        && jw_file_read(&f, JW_CACHE_HEADER + key_size, head, sizeof head, &got, &ignored)
        && got == sizeof head && memcmp(head, elf, sizeof elf) == 0) {
        unsigned version = jw_le32(head + VERSION);

        c.least = head[OSABI] == JW_CUBIN_NEW_LAYOUT;
        if (c.least)
            c.cuda = head[FLAGS + 1] >= 100 ? 128 : 130;
        else if (version >= FIRST && version <= LAST)
            c.cuda = (uint16_t)version;
    }
    jw_file_close(&f);
    return c;
}

bool carry_entry(const char *from, uint64_t name, const char *to, const char *stamp,
                 struct carried_entry *out, struct jw_err *err)
{
    struct carrier c = carrier(stamp, true);
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored;

    if (!jw_cache_stamp_time(stamp))
        return jw_fail(err, JW_E_FORMAT, "the driver's stamp is not of a form that is known");
    bool opened = jw_file_open(&f, from, err);
    bool ok = opened && jw_append_open(&c.out, to, err) && carry_file(&c, &f, &name, err)
              && jw_append_sync(&c.out, err);

    jw_append_close(&c.out);
    jw_file_close(&f);
    *out = (struct carried_entry){ c.becomes, c.sizes };
    if (!ok && opened && !jw_append_remove(to, &ignored))
        return jw_wrap(err, "%s", jw_cache_name(name).text); /* its folder is ours, and goes with it */
    return ok || jw_wrap(err, "%s", jw_cache_name(name).text);
}
