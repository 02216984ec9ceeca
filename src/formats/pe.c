/*
 * pe.c -- Microsoft PE/COFF specification
 *
 *   DOS header   "MZ" ... u32 e_lfanew at 0x3c -> "PE\0\0", then a COFF header
 *   COFF header  u16 machine  u16 sections  u32 time  u32 symbols at  u32 symbols  u16 optional size  u16 flags
 *   big COFF     u16 0  u16 0xffff  u16 version >= 2  u16 machine  u32 time  16 class id  u32 x4
 *                u32 sections  u32 symbols at  u32 symbols
 *   optional     u16 0x20b ... u64 image base at +24
 *   section      8 name  u32 virtual size  u32 virtual address  u32 raw size  u32 raw at  u32 x2  u16 x2  u32 flags -> 40 bytes
 *
 * A name "/123" is at 123 in the string table, which follows the symbols (18 bytes each, 20 in big COFF).
 */
#include "formats/pe.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "formats/fatbin.h"

#include <string.h>

enum { SECTION = 40, COFF = 20, BIG = 56, AMD64 = 0x8664, ARM64 = 0xaa64 };
enum {
    NO_DATA = 0x20000a20
}; /* of a section's flags: code, notes of the linker, not in memory, executable */

struct coff {
    uint64_t table; /* position of the section headers */
    uint32_t sections;
    uint64_t strings; /* the string table, 0: none */
    uint64_t image_base;
    bool image; /* sections have a virtual size and address */
};

static bool machine_ok(uint16_t machine)
{
    return machine == AMD64 || machine == ARM64;
}

static bool big_header(struct jw_bytes head)
{
    return head.n >= BIG && jw_le16(head.p) == 0 && jw_le16(head.p + 2) == 0xffff && jw_le16(head.p + 4) >= 2
           && machine_ok(jw_le16(head.p + 6));
}

bool jw_coff_plausible(struct jw_bytes head, uint64_t size)
{
    if (big_header(head))
        return (uint64_t)jw_le32(head.p + 44) * SECTION <= size;
    if (head.n < COFF || !machine_ok(jw_le16(head.p)) || jw_le16(head.p + 16) != 0)
        return false;
    unsigned sections = jw_le16(head.p + 2);

    return sections > 0 && COFF + (uint64_t)sections * SECTION <= size && jw_le32(head.p + 8) <= size;
}

/* The name of one section header: up to 8 bytes, or a place in the string table. */
static bool section_name(const struct jw_source *src, const struct coff *c, const uint8_t *raw,
                         struct jw_arena *a, const char **out, struct jw_err *err)
{
    char name[64] = "";
    uint64_t off;

    memcpy(name, raw, 8);
    if (name[0] == '/' && c->strings && jw_text_u64(name + 1, &off)
        && jw_within(c->strings, off, src->size)) {
        uint64_t at = c->strings + off;
        size_t n = (size_t)jw_min(sizeof name - 1, src->size - at);

        memset(name, 0, sizeof name);
        if (!jw_source_read(src, at, name, n, err))
            return jw_wrap(err, "pe: section names");
    }
    *out = jw_arena_str(a, name);
    return true;
}

static bool add_section(const struct jw_source *src, const struct coff *c, unsigned i, const uint8_t *raw,
                        struct jw_arena *a, struct jw_sections *out, struct jw_err *err)
{
    uint32_t vsize = jw_le32(raw + 8), va = jw_le32(raw + 12), rsize = jw_le32(raw + 16),
             at = jw_le32(raw + 20);
    uint64_t size = c->image && vsize ? jw_min(vsize, rsize) : rsize;

    if (size == 0 || at == 0)
        return true;
    const char *name;

    if (!section_name(src, c, raw, a, &name, err))
        return false;
    if (!jw_within(at, size, src->size)) {
        if (!jw_fat_must_be_whole(name))
            return true;
        return jw_fail(err, JW_E_FORMAT, "pe: section %u (%s) at 0x%x runs past the end: the file is cut off",
                       i, name, at);
    }
    return jw_sections_add(out,
                           (struct jw_section){ name, at, size, c->image ? c->image_base + va : 0,
                                                !(jw_le32(raw + 36) & NO_DATA) },
                           err);
}

static bool read_sections(const struct jw_source *src, const struct coff *c, struct jw_arena *a,
                          struct jw_sections *out, struct jw_err *err)
{
    uint8_t raw[SECTION];

    if (c->sections > JW_MAX_SECTIONS)
        return jw_fail(err, JW_E_LIMIT, "pe: %u sections (at most %zu are looked at)", c->sections,
                       JW_MAX_SECTIONS);
    if (!jw_within(c->table, (uint64_t)c->sections * SECTION, src->size))
        return jw_fail(err, JW_E_FORMAT, "pe: section table at 0x%llx (%u sections) runs past the end",
                       (unsigned long long)c->table, c->sections);
    for (unsigned i = 0; i < c->sections; i++) {
        if (!jw_source_read(src, c->table + (uint64_t)i * SECTION, raw, sizeof raw, err))
            return false;
        if (!add_section(src, c, i, raw, a, out, err))
            return false;
    }
    return true;
}

bool jw_pe_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out, bool *ours,
                    struct jw_err *err)
{
    uint8_t dos[64], head[4 + COFF + 32];
    struct coff c = { .image = true };

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
    c.sections = jw_le16(head + 4 + 2);
    c.table = pe + 4 + COFF + jw_le16(head + 4 + 16);
    c.image_base = jw_le64(head + 4 + COFF + 24);
    uint64_t symbols = jw_le32(head + 4 + 8);
    if (symbols) /* MinGW images keep long section names */
        c.strings = symbols + (uint64_t)jw_le32(head + 4 + 12) * 18;
    return read_sections(src, &c, a, out, err);
}

bool jw_coff_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out,
                      struct jw_err *err)
{
    uint8_t head[BIG] = { 0 };
    struct coff c = { 0 };
    size_t n = (size_t)jw_min(sizeof head, src->size);

    if (!jw_source_read(src, 0, head, n, err))
        return false;
    bool big = big_header((struct jw_bytes){ head, n });
    uint64_t symbols = jw_le32(head + (big ? 48 : 8)), count = jw_le32(head + (big ? 52 : 12));

    c.sections = big ? jw_le32(head + 44) : jw_le16(head + 2);
    c.table = big ? BIG : (uint64_t)COFF + jw_le16(head + 16);
    c.strings = symbols ? symbols + count * (big ? 20 : 18) : 0;
    return read_sections(src, &c, a, out, err);
}
