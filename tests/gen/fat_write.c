#include "gen/fat_write.h"

#include "base/limits.h"
#include "base/num.h"
#include "formats/fatbin_unpack.h"

#include <string.h>

/* The variable part of an entry header and the positions in it. */
struct extension {
    struct jw_buf bytes; /* from offset 64 */
    uint32_t opt_off, ident_off, ident_len;
};

/* Appends the stored payload: compressed or not, without padding. */
static bool pack_payload(const struct gen_fat_image *m, struct jw_bytes plain, struct jw_buf *out,
                         struct jw_err *err)
{
    if (m->packing && plain.n > JW_MAX_PLAIN)
        return jw_fail(err, JW_E_LIMIT, "a payload of %zu bytes", plain.n);
    if (!m->packing)
        jw_buf_add(out, plain.p, plain.n);
    else if (!(m->pack ? m->pack(m->packing, plain, out, err)
                       : jw_packing_of(m->packing)->pack(plain, out, err)))
        return false;
    return jw_buf_ok(out, err);
}

static uint32_t ext_here(const struct extension *x)
{
    return (uint32_t)(JW_FAT_ENTRY + x->bytes.n);
}

static void ext_string(struct extension *x, const char *text)
{
    size_t n = strlen(text) + 1;

    jw_buf_add(&x->bytes, text, n);
    jw_buf_fill(&x->bytes, 0, (size_t)jw_align(n, 8) - n);
}

/* Writes {u32 at, u32 length} of the next string. */
static void ext_descriptor(struct extension *x, uint32_t at, size_t length)
{
    uint8_t d[8];

    jw_put32(d, at);
    jw_put32(d + 4, (uint32_t)length);
    x->opt_off = ext_here(x);
    jw_buf_add(&x->bytes, d, sizeof d);
}

static void ext_options(struct extension *x, const struct gen_fat_image *m)
{
    uint32_t at = ext_here(x) + 8;

    if (m->options) {
        ext_descriptor(x, at, strlen(m->options));
        ext_string(x, m->options);
    } else if (m->layout == GEN_LAYOUT_11_8) {
        ext_descriptor(x, 0, 0);
    } else {
        ext_descriptor(x, at, 0);
        jw_buf_fill(&x->bytes, 0, 8);
    }
}

static void ext_identifier(struct extension *x, const char *identifier)
{
    if (!identifier)
        return;
    x->ident_off = ext_here(x);
    x->ident_len = (uint32_t)strlen(identifier);
    ext_string(x, identifier);
}

static void extend(struct extension *x, const struct gen_fat_image *m)
{
    if (m->compat.n) {
        ext_descriptor(x, ext_here(x) + 8, m->compat.n);
        jw_buf_fill(&x->bytes, 0, 1);
        jw_buf_add(&x->bytes, m->compat.p, m->compat.n);
        jw_buf_fill(&x->bytes, 0, (size_t)jw_align(x->bytes.n, 8) - x->bytes.n);
        return;
    }
    if (m->layout == GEN_LAYOUT_12_4 && !m->identifier)
        jw_buf_fill(&x->bytes, 0, 8);
    if (m->layout != GEN_LAYOUT_11_8)
        ext_identifier(x, m->identifier);
    if (m->kind != JW_KIND_ELF || m->options)
        ext_options(x, m);
    if (m->layout == GEN_LAYOUT_11_8)
        ext_identifier(x, m->identifier);
}

static void put_header(uint8_t raw[JW_FAT_ENTRY], const struct gen_fat_image *m,
                       const struct extension *x, uint64_t plain, uint64_t stored)
{
    uint64_t flags = m->flags | JW_FAT_64BIT | m->packing;

    flags |= m->target.suffix == 'a' ? JW_FAT_A : m->target.suffix == 'f' ? JW_FAT_F : 0;
    flags |= m->compat.n ? JW_FAT_COMPAT : 0;
    memset(raw, 0, JW_FAT_ENTRY);
    jw_put16(raw, (uint16_t)m->kind);
    jw_put16(raw + 2, 0x0101);
    jw_put32(raw + 4, (uint32_t)(JW_FAT_ENTRY + x->bytes.n));
    jw_put64(raw + 8, jw_align(stored, 8));
    jw_put32(raw + 0x10, m->packing ? (uint32_t)stored : 0);
    jw_put32(raw + 0x14, x->opt_off);
    jw_put16(raw + 0x18, m->minor);
    jw_put16(raw + 0x1a, m->major);
    jw_put32(raw + 0x1c, m->target.sm);
    jw_put32(raw + 0x20, x->ident_off);
    jw_put32(raw + 0x24, x->ident_len);
    jw_put64(raw + 0x28, flags);
    jw_put64(raw + 0x38, m->packing ? plain : 0);
}

static bool write_fat_entry(struct jw_buf *out, const struct gen_fat_image *m, struct jw_err *err)
{
    struct extension x = {.bytes = JW_BUF(JW_MAX_ENTRY_HEADER)};
    struct jw_buf plain = JW_BUF(JW_MAX_PLAIN), stored = JW_BUF(JW_MAX_FAT_SIZE);
    uint8_t raw[JW_FAT_ENTRY];

    jw_buf_add(&plain, m->payload.p, m->payload.n);
    if (!m->bare && m->kind == JW_KIND_PTX)
        jw_buf_fill(&plain, 0, 1);
    extend(&x, m);
    bool ok = jw_buf_ok(&plain, err) && jw_buf_ok(&x.bytes, err)
              && pack_payload(m, jw_buf_bytes(&plain), &stored, err);

    if (ok) {
        put_header(raw, m, &x, plain.n, stored.n);
        jw_buf_add(out, raw, sizeof raw);
        jw_buf_add(out, x.bytes.p, x.bytes.n);
        jw_buf_add(out, stored.p, stored.n);
        jw_buf_fill(out, 0, (size_t)jw_align(stored.n, 8) - stored.n);
        ok = jw_buf_ok(out, err);
    }
    jw_buf_free(&plain);
    jw_buf_free(&stored);
    jw_buf_free(&x.bytes);
    return ok;
}

bool gen_fat_write(struct jw_buf *out, const struct gen_fat_image *images, size_t n,
                   struct jw_err *err)
{
    uint8_t head[JW_FAT_HEADER];
    size_t start = out->n;

    jw_put32(head, JW_FAT_MAGIC);
    jw_put16(head + 4, 1);
    jw_put16(head + 6, JW_FAT_HEADER);
    jw_put64(head + 8, 0);
    jw_buf_add(out, head, sizeof head);
    for (size_t i = 0; i < n; i++)
        if (!write_fat_entry(out, &images[i], err))
            return false;
    if (!jw_buf_ok(out, err))
        return false;
    jw_put64(out->p + start + 8, out->n - start - JW_FAT_HEADER);
    return true;
}
