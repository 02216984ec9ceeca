/* cubin.c -- e_flags as ptxas 11.8 to 13.1 writes them
 *
 *   EI_OSABI 0x33   bits 0-7 the sm number, bit 11 the suffix `a`. Up to CUDA 12, there for targets
 *                   below sm_100.
 *   EI_OSABI 0x41   bits 8-15 the sm number. CUDA 12.8 and 12.9 write it from sm_100 on, and bit 3
 *                   is the suffix `a`. CUDA 13 writes it for every target, and the suffix is
 *                   attribute 9, value 1, of section .nv.compat, which the older two do not have.
 *   .nv.compat      records of u8 format, u8 id, u16 value; format 4: value is a byte count, and so
 *                   many bytes follow
 *
 * `f` cannot be distinguished from plain in either. */
#include "formats/cubin.h"

#include "base/num.h"

enum {
    NEW_LAYOUT = 0x41, /* EI_OSABI */
    SPECIFIC_OLD = 0x800,
    SPECIFIC_NEW = 0x8,
    ATTRIBUTE_SPECIFIC = 9,
    FORMAT_SIZED = 4,
    MAX_COMPAT = 4096
};

static bool says_specific(struct jw_bytes compat)
{
    struct jw_reader r = jw_reader(compat);

    while (!r.bad && r.at + 4 <= r.in.n) {
        unsigned format = jw_u8(&r);
        unsigned id = jw_u8(&r);
        unsigned value = jw_u16(&r);

        if (id == ATTRIBUTE_SPECIFIC && format != FORMAT_SIZED)
            return value == 1;
        if (format == FORMAT_SIZED)
            (void)jw_take(&r, value);
    }
    return false;
}

static bool compat_suffix(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                          char *suffix, struct jw_err *err)
{
    struct jw_sections sections = {0};
    uint8_t bytes[MAX_COMPAT];
    bool ok = jw_elf_sections(src, elf, a, &sections, err);
    const struct jw_section *compat = ok ? jw_section_named(&sections, ".nv.compat") : NULL;

    if (compat) {
        size_t n = (size_t)jw_min(compat->size, sizeof bytes);

        ok = jw_source_read(src, compat->at, bytes, n, err);
        if (ok && says_specific((struct jw_bytes){bytes, n}))
            *suffix = 'a';
    }
    return ok;
}

bool jw_cubin_read(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                   struct jw_cubin *out, struct jw_err *err)
{
    *out = (struct jw_cubin){.new_layout = elf->os_abi == NEW_LAYOUT};
    if (out->new_layout) {
        out->target.sm = (uint16_t)(elf->flags >> 8 & 0xff);
        out->target.suffix = elf->flags & SPECIFIC_NEW ? 'a' : '\0';
        if (!compat_suffix(src, elf, a, &out->target.suffix, err))
            return false;
    } else {
        out->target.sm = (uint16_t)(elf->flags & 0xff);
        out->target.suffix = elf->flags & SPECIFIC_OLD ? 'a' : '\0';
    }
    if (out->target.sm == 0)
        return jw_fail(err, JW_E_FORMAT, "cubin: e_flags 0x%08x name no architecture", elf->flags);
    return true;
}
