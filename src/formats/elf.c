/* elf.c -- System V ABI, chapter 4 and 5, the 64-bit layouts
 *
 *   header    16 ident  u16 type  u16 machine  u32 version  u64 entry  u64 phoff  u64 shoff
 *             u32 flags  u16 ehsize  u16 phentsize  u16 phnum  u16 shentsize  u16 shnum
 *             u16 shstrndx
 *   section   u32 name  u32 type  u64 flags  u64 addr  u64 offset  u64 size  u32 link  u32 info
 *             u64 align  u64 entsize
 *   segment   u32 type  u32 flags  u64 offset  u64 vaddr  u64 paddr  u64 filesz  u64 memsz
 *             u64 align
 *
 * shnum == 0 with a section table: the count is in section 0's size. shstrndx == 0xffff: the index
 * is in section 0's link. */
#include "formats/elf.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/fatbin.h"

#include <string.h>

enum {
    SHDR = 64,
    PHDR = 56,
    SHT_NOBITS = 8,
    SHF_ALLOC = 2,
    SHF_EXECINSTR = 4,
    ET_DYN = 3,
    ET_CORE = 4,
    EM_X86_64 = 62,
    EM_AARCH64 = 183,
    SHN_XINDEX = 0xffff,
    NT_GNU_BUILD_ID = 3,
    DYNAMIC = 16,
    DT_NEEDED = 1,
    MAX_DYNAMIC = 1024,
    MAX_LIBRARY = 256
};

struct raw_section {
    uint32_t name, type, link;
    uint64_t flags, addr, at, size;
};

struct jw_elf jw_elf_header(struct jw_bytes head)
{
    struct jw_elf e = {0};
    struct jw_reader r = jw_reader(head);
    struct jw_bytes ident = jw_take(&r, 16);

    if (!jw_starts(ident, "\177ELF") || ident.p[4] != 2 || ident.p[5] != 1)
        return e;
    e.os_abi = ident.p[7];
    e.type = jw_u16(&r);
    e.machine = jw_u16(&r);
    e.version = jw_u32(&r);
    (void)jw_take(&r, 8);
    e.phoff = jw_u64(&r);
    e.shoff = jw_u64(&r);
    e.flags = jw_u32(&r);
    (void)jw_u16(&r);
    e.phentsize = jw_u16(&r);
    e.phnum = jw_u16(&r);
    e.shentsize = jw_u16(&r);
    e.shnum = jw_u16(&r);
    e.shstrndx = jw_u16(&r);
    e.ours = !r.bad && e.type != ET_CORE;
    return e;
}

bool jw_elf_is_for(struct jw_elf elf, const char *processor)
{
    return elf.ours && elf.machine == (strcmp(processor, "aarch64") == 0 ? EM_AARCH64 : EM_X86_64);
}

static bool cut_off(const char *what, uint64_t at, struct jw_err *err)
{
    return jw_fail(err, JW_E_FORMAT, "the file is cut off (elf: %s at 0x%llx runs past the end)",
                   what, (unsigned long long)at);
}

static struct jw_elf_segment segment_from(const uint8_t raw[PHDR])
{
    return (struct jw_elf_segment){.type = jw_le32(raw),
                                   .flags = jw_le32(raw + 4),
                                   .at = jw_le64(raw + 8),
                                   .addr = jw_le64(raw + 16),
                                   .size = jw_le64(raw + 32),
                                   .memory = jw_le64(raw + 40)};
}

static bool has_segments(const struct jw_elf *elf)
{
    return elf->phnum && elf->phnum <= JW_MAX_SEGMENTS && elf->phentsize == PHDR;
}

bool jw_elf_segments(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_elf_segment **out, size_t *n, struct jw_err *err)
{
    uint8_t raw[PHDR];

    if (!has_segments(elf))
        return jw_fail(err, JW_E_FORMAT, "elf: no table of segments that is understood");
    *n = elf->phnum;
    *out = jw_arena_alloc(a, *n * sizeof **out);
    for (size_t i = 0; i < *n; i++) {
        struct jw_elf_segment *s = &(*out)[i];
        uint64_t at = elf->phoff + i * PHDR;

        if (!jw_within(at, PHDR, src->size))
            return cut_off("program header", at, err);
        if (!jw_source_read(src, at, raw, sizeof raw, err))
            return false;
        *s = segment_from(raw);
        if (!jw_within(s->at, s->size, src->size))
            return cut_off("segment", s->at, err);
    }
    return true;
}

static struct raw_section section_from(const uint8_t raw[SHDR])
{
    return (struct raw_section){.name = jw_le32(raw),
                                .type = jw_le32(raw + 4),
                                .flags = jw_le64(raw + 8),
                                .addr = jw_le64(raw + 16),
                                .at = jw_le64(raw + 24),
                                .size = jw_le64(raw + 32),
                                .link = jw_le32(raw + 40)};
}

static bool read_section(const struct jw_source *src, const struct jw_elf *elf, uint64_t index,
                         struct raw_section *out, struct jw_err *err)
{
    uint8_t raw[SHDR];

    if (!jw_source_read(src, elf->shoff + index * SHDR, raw, sizeof raw, err))
        return jw_wrap(err, "elf: section %llu", (unsigned long long)index);
    *out = section_from(raw);
    return true;
}

/* UPX ends a file with a header of 36 bytes, and leaves an invalid section table. */
static bool not_packed(const struct jw_source *src, struct jw_err *err)
{
    enum { PACK_HEADER = 36 };
    uint8_t magic[4];

    if (src->size < PACK_HEADER)
        return true;
    if (!jw_source_read(src, src->size - PACK_HEADER, magic, sizeof magic, err))
        return false;
    return memcmp(magic, "UPX!", sizeof magic) != 0
           || jw_fail(err, JW_E_FORMAT,
                      "packed with UPX: unpack it with \"upx -d\" and scan it again");
}

/* Reads the number of sections and the index of their names, and checks them against the file. */
static bool table_shape(const struct jw_source *src, const struct jw_elf *elf, uint64_t *count,
                        uint64_t *names, struct jw_err *err)
{
    uint64_t bytes;

    *count = elf->shnum;
    *names = elf->shstrndx;
    if (elf->shentsize != SHDR)
        return jw_fail(err, JW_E_FORMAT, "elf: section headers of %u bytes (64 is usual)",
                       elf->shentsize);
    if (elf->shnum == 0 || elf->shstrndx == SHN_XINDEX) {
        struct raw_section zero;

        if (!jw_within(elf->shoff, SHDR, src->size))
            return cut_off("section table", elf->shoff, err);
        if (!read_section(src, elf, 0, &zero, err))
            return false;
        if (elf->shnum == 0)
            *count = zero.size;
        if (elf->shstrndx == SHN_XINDEX)
            *names = zero.link;
    }
    if (*count > JW_MAX_SECTIONS)
        return jw_fail(err, JW_E_LIMIT, "elf: %llu sections (at most %zu are looked at)",
                       (unsigned long long)*count, JW_MAX_SECTIONS);
    if (!jw_mul(*count, elf->shentsize, &bytes) || !jw_within(elf->shoff, bytes, src->size))
        return cut_off("section table", elf->shoff, err);
    if (*count && *names >= *count)
        return jw_fail(err, JW_E_FORMAT, "elf: names are in section %llu, but there are only %llu",
                       (unsigned long long)*names, (unsigned long long)*count);
    return true;
}

static bool read_section_names(const struct jw_source *src, const struct jw_elf *elf,
                               uint64_t index, struct jw_arena *a, struct jw_bytes *out,
                               struct jw_err *err)
{
    struct raw_section s;

    if (!read_section(src, elf, index, &s, err))
        return false;
    if (s.size > JW_MAX_NAMES)
        return jw_fail(err, JW_E_LIMIT, "elf: section names of %llu bytes (at most %zu)",
                       (unsigned long long)s.size, JW_MAX_NAMES);
    if (s.type == SHT_NOBITS || !jw_within(s.at, s.size, src->size))
        return jw_fail(err, JW_E_FORMAT, "elf: the section names are not in the file");
    char *p = jw_arena_alloc(a, (size_t)s.size + 1);
    *out = (struct jw_bytes){(const uint8_t *)p, (size_t)s.size};
    return jw_source_read(src, s.at, p, (size_t)s.size, err);
}

/* A NUL follows `names`, so that every name ends. */
static bool add_section(const struct jw_source *src, struct raw_section s, struct jw_bytes names,
                        struct jw_arena *a, struct jw_sections *out, struct jw_err *err)
{
    if (s.type == SHT_NOBITS || s.size == 0 || s.name >= names.n)
        return true;
    const char *name = (const char *)names.p + s.name;

    if (!jw_within(s.at, s.size, src->size))
        return !jw_fat_section(name) || cut_off(name, s.at, err);
    bool debug = !(s.flags & SHF_ALLOC) && strncmp(name, ".debug", strlen(".debug")) == 0;
    bool skipped = s.flags & SHF_EXECINSTR || debug;

    return jw_sections_add(out, a, (struct jw_section){s.at, s.size, s.addr, name, skipped}, err);
}

/* `*named` false: the table is empty or has no names. */
static bool from_sections(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                          struct jw_sections *out, bool *named, struct jw_err *err)
{
    uint64_t count, names_at;
    struct jw_bytes names;

    if (!table_shape(src, elf, &count, &names_at, err))
        return false;
    *named = count != 0 && names_at != 0;
    if (!*named)
        return true;
    if (!read_section_names(src, elf, names_at, a, &names, err))
        return false;
    uint8_t *table = jw_realloc(NULL, (size_t)count * SHDR);
    bool ok = jw_source_read(src, elf->shoff, table, (size_t)count * SHDR, err);

    for (size_t i = 1; ok && i < count; i++) /* the first one is reserved */
        ok = add_section(src, section_from(table + i * SHDR), names, a, out, err);
    jw_free(table);
    return ok;
}

bool jw_elf_sections(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_sections *out, struct jw_err *err)
{
    bool named = false;

    if (elf->shnum == 0 && !not_packed(src, err))
        return false;
    if (elf->shoff && !from_sections(src, elf, a, out, &named, err))
        return false;
    /* packed relocations change addresses that stand in the file */
    out->movable = elf->type == ET_DYN && !jw_section_named(out, ".relr.dyn");
    if (named || !has_segments(elf))
        return true;
    struct jw_elf_segment *segments; /* say whether a file without sections is whole */
    size_t n;

    return jw_elf_segments(src, elf, a, &segments, &n, err);
}

/* A row of .dynamic: {u64 tag, u64 value}; that of a needed library is the place of its name. */
bool jw_elf_needed(const struct jw_source *src, const struct jw_sections *sections,
                   struct jw_arena *a, const char ***names, size_t *n, struct jw_err *err)
{
    const struct jw_section *dynamic = jw_section_named(sections, ".dynamic");
    const struct jw_section *strings = jw_section_named(sections, ".dynstr");
    uint8_t row[DYNAMIC];
    char name[MAX_LIBRARY];

    *n = 0;
    if (!dynamic || !strings)
        return true;
    size_t rows = (size_t)jw_min(dynamic->size / DYNAMIC, MAX_DYNAMIC);

    *names = jw_arena_alloc(a, (rows + 1) * sizeof **names);
    for (size_t i = 0; i < rows; i++) {
        if (!jw_source_read(src, dynamic->at + i * DYNAMIC, row, sizeof row, err))
            return false;
        uint64_t at = jw_le64(row + 8);

        if (jw_le64(row) != DT_NEEDED || at >= strings->size)
            continue;
        size_t most = (size_t)jw_min(sizeof name, strings->size - at);

        if (!jw_source_read(src, strings->at + at, name, most, err))
            return false;
        if (memchr(name, '\0', most))
            (*names)[(*n)++] = jw_arena_str(a, name);
    }
    return true;
}

/* A note: {u32 name size, u32 descriptor size, u32 type, name, descriptor}, padded to 4 bytes. */
bool jw_elf_build_id(struct jw_bytes notes, struct jw_bytes *id)
{
    struct jw_reader r = jw_reader(notes);

    while (!r.bad && r.at < notes.n) {
        uint32_t name_size = jw_u32(&r);
        uint32_t size = jw_u32(&r);
        uint32_t type = jw_u32(&r);
        struct jw_bytes name = jw_take(&r, jw_align(name_size, 4));

        *id = jw_take(&r, size);
        if (r.bad)
            return false;
        bool gnu = name_size == 4 && memcmp(name.p, "GNU", 4) == 0;

        if (gnu && type == NT_GNU_BUILD_ID && size && size <= JW_MAX_BUILD_ID)
            return true;
        (void)jw_take(&r, jw_align(size, 4) - size);
    }
    return false;
}
