/* pe.c -- Microsoft PE/COFF specification
 *
 *   DOS header   "MZ" ... u32 e_lfanew at 0x3c -> "PE\0\0", then a COFF header
 *   COFF header  u16 machine  u16 sections  u32 time  u32 symbols at  u32 symbols
 *                u16 optional size  u16 flags
 *   optional     u16 0x20b ... u64 image base at +24
 *   section      8 name  u32 virtual size  u32 virtual address  u32 raw size  u32 raw at  u32 x2
 *                u16 x2  u32 flags: 40 bytes
 *
 * A longer name is cut to its first eight characters. */
#include "formats/pe.h"

#include "base/num.h"
#include "formats/fatbin.h"

#include <string.h>

enum { SECTION = 40, COFF = 20 };
/* Flags of a section: code, discarded by the loader (tables of debuggers), executable. */
enum { SKIPPED = 0x22000020 };

static bool add_section(const struct jw_source *src, uint64_t image_base, const uint8_t *raw,
                        struct jw_arena *a, struct jw_sections *out, struct jw_err *err)
{
    uint32_t vsize = jw_le32(raw + 8);
    uint32_t va = jw_le32(raw + 12);
    uint32_t rsize = jw_le32(raw + 16);
    uint32_t at = jw_le32(raw + 20);
    uint64_t size = vsize ? jw_min(vsize, rsize) : rsize;

    if (size == 0 || at == 0)
        return true;
    const char *name = jw_arena_text(a, (const char *)raw, strnlen((const char *)raw, 8));

    if (!jw_within(at, size, src->size))
        return !jw_fat_section(name)
               || jw_fail(err, JW_E_FORMAT,
                          "the file is cut off (pe: %s at 0x%x runs past the end)", name, at);
    return jw_sections_add(
        out, a, (struct jw_section){at, size, image_base + va, name, jw_le32(raw + 36) & SKIPPED},
        err);
}

bool jw_pe_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out,
                    bool *ours, struct jw_err *err)
{
    uint8_t dos[64], head[4 + COFF + 32], raw[SECTION];

    *ours = false;
    if (src->size < sizeof dos)
        return true;
    if (!jw_source_read(src, 0, dos, sizeof dos, err))
        return false;
    uint64_t pe = jw_le32(dos + 0x3c);

    if (!jw_within(pe, sizeof head, src->size))
        return true; /* a DOS program, or truncated too early to tell */
    if (!jw_source_read(src, pe, head, sizeof head, err))
        return false;
    if (memcmp(head, "PE\0\0", 4) != 0 || jw_le16(head + 4 + COFF) != 0x20b)
        return true;
    *ours = true;
    unsigned n = jw_le16(head + 4 + 2);
    uint64_t table = pe + 4 + COFF + jw_le16(head + 4 + 16);
    uint64_t image_base = jw_le64(head + 4 + COFF + 24);

    if (!jw_within(table, (uint64_t)n * SECTION, src->size))
        return jw_fail(err, JW_E_FORMAT,
                       "the file is cut off (pe: section table at 0x%llx runs past the end)",
                       (unsigned long long)table);
    for (unsigned i = 0; i < n; i++)
        if (!jw_source_read(src, table + (uint64_t)i * SECTION, raw, sizeof raw, err)
            || !add_section(src, image_base, raw, a, out, err))
            return false;
    return true;
}
