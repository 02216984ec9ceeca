/* zip.c -- PKWARE APPNOTE 6.3, as far as wheels go: one disk, stored or deflated, zip64
 *
 *   end record (22)     "PK\5\6"  u16 x2  u16 x2 entries  u32 size  u32 offset  u16 comment
 *   zip64 locator (20)  "PK\6\7"  u32 disk  u64 offset of the zip64 end  u32 disks; just before
 *                       the end record
 *   zip64 end (56)      "PK\6\6"  u64 size  u16 x2  u32 x2  u64 x2 entries  u64 size  u64 offset
 *   directory (46)      "PK\1\2"  u16 x2  u16 flags  u16 method  u16 x2  u32 crc  u32 packed
 *                       u32 plain  u16 name  u16 extra  u16 comment  u16 x2  u32 attributes
 *                       u32 offset; then name, extra, comment
 *   local (30)          "PK\3\4"  u16  u16 flags  u16 method  u16 x2  u32 crc  u32 x2  u16 name
 *                       u16 extra
 *   extra field 1       u64 plain, u64 packed, u64 offset: each only if its 32-bit field is all
 *                       ones */
#include "formats/zip.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    END = 22,
    LOCATOR = 20,
    END64 = 56,
    DIRECTORY = 46,
    LOCAL = 30,
    MAX_COMMENT = 65535,
    EXTRA_ZIP64 = 1
};
enum { FLAG_ENCRYPTED = 1 };

struct directory {
    uint64_t at, size, entries;
};

/* Finds the end record, searching backwards, because a comment may follow it. */
static bool find_end(const struct jw_source *src, uint64_t *at, uint8_t end[END],
                     struct jw_err *err)
{
    size_t n = (size_t)jw_min(src->size, END + MAX_COMMENT);
    uint64_t from = src->size - n;
    uint8_t *tail = jw_alloc(n);
    bool ok = jw_source_read(src, from, tail, n, err);
    bool found = false;

    for (size_t i = n >= END ? n - END + 1 : 0; ok && !found && i-- > 0;) {
        if (memcmp(tail + i, "PK\5\6", 4) != 0 || jw_le16(tail + i + 20) > n - i - END)
            continue;
        found = true;
        *at = from + i;
        memcpy(end, tail + i, END);
    }
    jw_free(tail);
    if (ok && !found)
        ok = jw_fail(err, JW_E_FORMAT, "zip: no end record: the file is cut off or not a zip");
    return ok;
}

static bool find_zip64(const struct jw_source *src, uint64_t end_at, struct directory *d,
                       struct jw_err *err)
{
    uint8_t locator[LOCATOR], end64[END64];

    if (end_at < LOCATOR)
        return true;
    if (!jw_source_read(src, end_at - LOCATOR, locator, sizeof locator, err))
        return false;
    if (memcmp(locator, "PK\6\7", 4) != 0)
        return true;
    uint64_t at = jw_le64(locator + 8);

    if (!jw_within(at, END64, src->size))
        return jw_fail(err, JW_E_FORMAT, "zip: zip64 end record at 0x%llx runs past the end",
                       (unsigned long long)at);
    if (!jw_source_read(src, at, end64, sizeof end64, err))
        return false;
    if (memcmp(end64, "PK\6\6", 4) != 0)
        return jw_fail(err, JW_E_FORMAT, "zip: no zip64 end record at 0x%llx",
                       (unsigned long long)at);
    *d = (struct directory){jw_le64(end64 + 48), jw_le64(end64 + 40), jw_le64(end64 + 32)};
    return true;
}

static bool find_directory(const struct jw_source *src, struct directory *d, struct jw_err *err)
{
    uint8_t end[END];
    uint64_t at;

    if (!find_end(src, &at, end, err))
        return false;
    *d = (struct directory){jw_le32(end + 16), jw_le32(end + 12), jw_le16(end + 10)};
    if (!find_zip64(src, at, d, err))
        return false;
    if (!jw_within(d->at, d->size, src->size))
        return jw_fail(err, JW_E_FORMAT, "zip: directory at 0x%llx (%llu bytes) runs past the end",
                       (unsigned long long)d->at, (unsigned long long)d->size);
    if (d->size > JW_MAX_ZIP_DIRECTORY)
        return jw_fail(err, JW_E_LIMIT, "zip: a directory of %llu bytes (at most 32 MiB)",
                       (unsigned long long)d->size);
    if (d->entries > JW_MAX_ZIP_MEMBERS)
        return jw_fail(err, JW_E_LIMIT, "zip: %llu members (at most %zu)",
                       (unsigned long long)d->entries, JW_MAX_ZIP_MEMBERS);
    return true;
}

static void zip64_extra(struct jw_bytes extra, struct jw_zip_member *m)
{
    struct jw_reader r = jw_reader(extra);

    while (!r.bad && r.at + 4 <= r.in.n) {
        unsigned id = jw_u16(&r);
        unsigned n = jw_u16(&r);
        struct jw_reader field = jw_reader(jw_take(&r, n));

        if (id != EXTRA_ZIP64)
            continue;
        if (m->plain == UINT32_MAX)
            m->plain = jw_u64(&field);
        if (m->packed == UINT32_MAX)
            m->packed = jw_u64(&field);
        if (m->at == UINT32_MAX)
            m->at = jw_u64(&field);
        return;
    }
}

static bool read_member(struct jw_zip *zip, struct jw_reader *r, uint64_t where, struct jw_arena *a,
                        struct jw_err *err)
{
    struct jw_zip_member m = {0};
    struct jw_bytes fixed = jw_take(r, DIRECTORY);

    if (r->bad || memcmp(fixed.p, "PK\1\2", 4) != 0)
        return jw_fail(err, JW_E_FORMAT, "zip: no directory entry at 0x%llx",
                       (unsigned long long)where);
    m.flags = jw_le16(fixed.p + 8);
    m.method = jw_le16(fixed.p + 10);
    m.crc = jw_le32(fixed.p + 16);
    m.packed = jw_le32(fixed.p + 20);
    m.plain = jw_le32(fixed.p + 24);
    m.at = jw_le32(fixed.p + 42);
    struct jw_bytes name = jw_take(r, jw_le16(fixed.p + 28));
    struct jw_bytes extra = jw_take(r, jw_le16(fixed.p + 30));

    (void)jw_take(r, jw_le16(fixed.p + 32));
    if (r->bad)
        return jw_fail(err, JW_E_FORMAT, "zip: directory entry at 0x%llx is cut off",
                       (unsigned long long)where);
    zip64_extra(extra, &m);
    if (name.n == 0 || name.p[name.n - 1] == '/')
        return true;
    m.name = jw_arena_text(a, (const char *)name.p, name.n);

    struct jw_zip_member *slot =
        jw_list_add(a, &zip->list, &zip->n, sizeof m, JW_MAX_ZIP_MEMBERS, err);

    if (slot)
        *slot = m;
    return slot;
}

/* Many small bombs make a large one, and so do many names for one stream. */
static bool check_claims(const struct jw_zip *zip, uint64_t size, struct jw_err *err)
{
    uint64_t plain = 0;

    for (size_t i = 0; i < zip->n; i++)
        plain = zip->list[i].plain > UINT64_MAX - plain ? UINT64_MAX : plain + zip->list[i].plain;
    return plain <= JW_MAX_WHEEL_PLAIN || plain / JW_MAX_WHEEL_RATIO <= size
           || jw_fail(err, JW_E_LIMIT,
                      "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                      (unsigned long long)size, (unsigned long long)plain);
}

bool jw_zip_open(struct jw_zip *zip, const struct jw_source *src, struct jw_arena *a,
                 struct jw_err *err)
{
    struct directory d;

    *zip = (struct jw_zip){0};
    if (!find_directory(src, &d, err))
        return false;
    uint8_t *bytes = jw_alloc((size_t)d.size);
    bool ok = jw_source_read(src, d.at, bytes, (size_t)d.size, err);
    struct jw_reader r = jw_reader((struct jw_bytes){bytes, (size_t)d.size});

    /* Reads by size, not by number: the 16-bit number overflows in files of some writers. */
    while (ok && r.at < r.in.n)
        ok = read_member(zip, &r, d.at + r.at, a, err);
    jw_free(bytes);
    ok = ok && check_claims(zip, src->size, err);
    zip->n = ok ? zip->n : 0;
    return ok;
}

bool jw_zip_data(const struct jw_source *src, const struct jw_zip_member *m, struct jw_source *data,
                 struct jw_err *err)
{
    const unsigned long long where = m->at;
    uint8_t local[LOCAL];

    if (m->flags & FLAG_ENCRYPTED)
        return jw_fail(err, JW_E_FORMAT, "zip: the member at 0x%llx is encrypted", where);
    if (m->method != JW_ZIP_STORED && m->method != JW_ZIP_DEFLATED)
        return jw_fail(
            err, JW_E_FORMAT,
            "zip: the member at 0x%llx is compressed by method %u (stored and deflated are known)",
            where, m->method);
    if (m->method == JW_ZIP_STORED && m->packed != m->plain)
        return jw_fail(err, JW_E_FORMAT, "zip: the member at 0x%llx is stored, but of two sizes",
                       where);
    if (!jw_within(m->at, LOCAL, src->size))
        return jw_fail(err, JW_E_FORMAT, "zip: local header at 0x%llx runs past the end", where);
    if (!jw_source_read(src, m->at, local, sizeof local, err))
        return false;
    if (memcmp(local, "PK\3\4", 4) != 0)
        return jw_fail(err, JW_E_FORMAT, "zip: no local header at 0x%llx", where);
    uint64_t at = m->at + LOCAL + jw_le16(local + 26) + jw_le16(local + 28);

    return jw_source_window(src, at, m->packed, data, err)
           || jw_wrap(err, "zip: the member at 0x%llx", where);
}
