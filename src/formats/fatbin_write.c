#include "formats/fatbin_write.h"

#include "base/limits.h"
#include "base/num.h"
#include "formats/fatbin_unpack.h"

#include <string.h>

/* An entry's header with the descriptor of its options; their text follows. */
enum { ENTRY = JW_FAT_ENTRY + 8 };

static void put_entry(uint8_t raw[ENTRY], const struct jw_fat_ptx *m, size_t text, uint64_t plain,
                      uint64_t stored)
{
    uint64_t flags = JW_FAT_64BIT | m->packing;

    if (m->target.suffix == 'a')
        flags |= JW_FAT_A;
    if (m->target.suffix == 'f')
        flags |= JW_FAT_F;
    memset(raw, 0, ENTRY);
    jw_put16(raw, JW_KIND_PTX);
    jw_put16(raw + 2, 0x0101);
    jw_put32(raw + 4, (uint32_t)(ENTRY + text));
    jw_put64(raw + 8, jw_align(stored, 8));
    jw_put32(raw + 0x10, m->packing ? (uint32_t)stored : 0);
    jw_put32(raw + 0x14, JW_FAT_ENTRY);
    jw_put16(raw + 0x18, m->minor);
    jw_put16(raw + 0x1a, m->major);
    jw_put32(raw + 0x1c, m->target.sm);
    jw_put64(raw + 0x28, flags);
    jw_put64(raw + 0x38, m->packing ? plain : 0);
    jw_put32(raw + JW_FAT_ENTRY, ENTRY);
    jw_put32(raw + JW_FAT_ENTRY + 4, (uint32_t)strlen(m->options));
}

static void put_container(struct jw_buf *out, const struct jw_fat_ptx *m, uint64_t plain,
                          struct jw_bytes stored)
{
    size_t length = strlen(m->options);
    size_t text = (size_t)jw_align(length + 1, 8);
    size_t padding = (size_t)jw_align(stored.n, 8) - stored.n;
    uint8_t head[JW_FAT_HEADER], raw[ENTRY];

    jw_put32(head, JW_FAT_MAGIC);
    jw_put16(head + 4, 1);
    jw_put16(head + 6, JW_FAT_HEADER);
    jw_put64(head + 8, ENTRY + text + stored.n + padding);
    put_entry(raw, m, text, plain, stored.n);
    jw_buf_add(out, head, sizeof head);
    jw_buf_add(out, raw, sizeof raw);
    jw_buf_add(out, m->options, length);
    jw_buf_fill(out, 0, text - length);
    jw_buf_add(out, stored.p, stored.n);
    jw_buf_fill(out, 0, padding);
}

bool jw_fat_write(struct jw_buf *out, const struct jw_fat_ptx *m, struct jw_err *err)
{
    const struct jw_packing *packing = jw_packing_of(m->packing);
    struct jw_buf plain = JW_BUF(JW_MAX_PLAIN);
    struct jw_buf packed = JW_BUF(JW_MAX_FAT_SIZE);
    bool ok = ENTRY + strlen(m->options) < JW_MAX_ENTRY_HEADER - 8
              || jw_fail(err, JW_E_LIMIT, "options of %zu bytes", strlen(m->options));

    jw_buf_add(&plain, m->payload.p, m->payload.n);
    jw_buf_fill(&plain, 0, m->bare ? 0 : 1);
    ok = ok && jw_buf_ok(&plain, err);
    if (ok && packing)
        ok = packing->pack(jw_buf_bytes(&plain), &packed, err) && jw_buf_ok(&packed, err);
    if (ok)
        put_container(out, m, plain.n, jw_buf_bytes(packing ? &packed : &plain));
    jw_buf_free(&plain);
    jw_buf_free(&packed);
    return ok && jw_buf_ok(out, err);
}
