#include "gen/samples.h"

#include "base/num.h"

#include <string.h>

enum { EHDR = 64, PHDR = 56, SHDR = 64, SHT_STRTAB = 3, PF_R = 4, PT_LOAD = 1 };
#define ELF_BASE 0x10000ULL

static uint32_t type_of(const struct gen_section *s) { return s->type ? s->type : GEN_PROGBITS; }

static void elf_header(struct jw_buf *out, const struct gen_elf *how, size_t segments)
{
    uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

    ident[7] = how->os_abi;
    ident[8] = how->abi_version;
    jw_buf_add(out, ident, sizeof ident);
    gen_put16(out, how->type ? how->type : 3);
    gen_put16(out, how->machine ? how->machine : 62);
    gen_put32(out, 1);
    gen_put64(out, 0);
    gen_put64(out, segments ? EHDR : 0);
    gen_put64(out, 0); /* e_shoff: later */
    gen_put32(out, how->flags);
    gen_put16(out, EHDR);
    gen_put16(out, segments ? PHDR : 0);
    gen_put16(out, segments);
    gen_put16(out, how->bare ? 0 : SHDR);
    gen_put16(out, 0);
    gen_put16(out, 0);
}

static void put_section(struct jw_buf *out, uint64_t name, uint64_t type, uint64_t flags,
                        uint64_t addr, uint64_t at, uint64_t size, uint64_t link, uint64_t align)
{
    gen_put32(out, name);
    gen_put32(out, type);
    gen_put64(out, flags);
    gen_put64(out, addr);
    gen_put64(out, at);
    gen_put64(out, size);
    gen_put32(out, link);
    gen_put32(out, 0);
    gen_put64(out, align);
    gen_put64(out, 0);
}

/* The section table: number 0, the sections, their names. */
static void elf_table(struct jw_buf *out, size_t start, const struct gen_elf *how,
                      const struct gen_section *sections, size_t n, struct gen_host *h)
{
    struct jw_buf names = GEN_BUF;
    uint32_t name_at[GEN_MAX];

    jw_buf_fill(&names, 0, 1);
    for (size_t i = 0; i < n; i++) {
        name_at[i] = (uint32_t)names.n;
        jw_buf_add(&names, sections[i].name, strlen(sections[i].name) + 1);
    }
    uint32_t own = (uint32_t)names.n;
    jw_buf_add(&names, ".shstrtab", sizeof ".shstrtab");
    h->names = out->n - start;
    jw_buf_add(out, names.p, names.n);
    gen_pad(out, 8);
    h->table = out->n - start;
    put_section(out, 0, 0, 0, 0, 0, how->extended ? n + 2 : 0, how->extended ? n + 1 : 0, 0);
    for (size_t i = 0; i < n; i++) {
        const struct gen_section *s = &sections[i];

        put_section(out, name_at[i], type_of(s),
                    s->unloaded                ? 0
                    : strcmp(s->name, ".text") ? 2
                                               : 6,
                    h->addr[i], h->at[i], type_of(s) == GEN_NOBITS ? s->size : s->data.n, 0,
                    s->align ? s->align : 8);
    }
    put_section(out, own, SHT_STRTAB, 0, 0, h->names, names.n, 0, 1);
    gen_set64(out, start + 0x28, h->table);
    gen_set16(out, start + 0x3c, how->extended ? 0 : (uint16_t)(n + 2));
    gen_set16(out, start + 0x3e, how->extended ? 0xffff : (uint16_t)(n + 1));
    jw_buf_free(&names);
}

struct gen_host gen_elf(struct jw_buf *out, struct gen_elf how, const struct gen_section *sections,
                        size_t n)
{
    struct gen_host h = {.n = n};
    size_t start = out->n, segments = 0, k = 0;
    uint64_t addr = ELF_BASE;
    bool loads = how.type != 1;

    for (size_t i = 0; loads && i < n; i++)
        segments += !sections[i].unloaded;
    elf_header(out, &how, segments);
    jw_buf_fill(out, 0, segments * PHDR);
    for (size_t i = 0; i < n; i++) {
        const struct gen_section *s = &sections[i];
        uint64_t align = s->align ? s->align : 8,
                 size = type_of(s) == GEN_NOBITS ? s->size : s->data.n;

        jw_buf_fill(out, 0, (size_t)(jw_align(out->n - start, align) - (out->n - start)));
        h.at[i] = out->n - start;
        jw_buf_add(out, s->data.p, s->data.n);
        if (s->unloaded || !loads)
            continue;
        /* As after .bss: what is in memory only moves addresses away from offsets. */
        addr = s->addr ? s->addr : jw_align(addr, 4096) + h.at[i] % 4096;
        h.addr[i] = addr;
        addr += size;
        size_t p = start + EHDR + PHDR * k++;
        gen_set32(out, p, PT_LOAD);
        gen_set32(out, p + 4, PF_R);
        gen_set64(out, p + 8, h.at[i]);
        gen_set64(out, p + 16, h.addr[i]);
        gen_set64(out, p + 24, h.addr[i]);
        gen_set64(out, p + 32, s->data.n);
        gen_set64(out, p + 40, size);
        gen_set64(out, p + 48, 4096);
    }
    if (!how.bare)
        elf_table(out, start, &how, sections, n, &h);
    gen_check(out);
    return h;
}

void gen_wrappers(struct jw_buf *out, uint32_t version, uint64_t addr, const uint64_t *offsets,
                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gen_put32(out, JW_FAT_WRAPPER_MAGIC);
        gen_put32(out, version);
        gen_put64(out, addr + offsets[i]);
        gen_put64(out, 0);
    }
    gen_check(out);
}

/* Where containers begin, by their sizes. */
static size_t offsets_of(struct jw_bytes fat, uint64_t *offsets)
{
    size_t n = 0, at = 0;

    while (n < GEN_MAX && fat.n - at >= 16) {
        if (jw_le32(fat.p + at) != JW_FAT_MAGIC) {
            at += 8;
            continue;
        }
        offsets[n++] = at;
        at += 16 + (size_t)jw_le64(fat.p + at + 8);
        if (at > fat.n)
            break;
    }
    return n;
}

struct gen_host gen_library(struct jw_buf *out, struct jw_bytes fat, bool wrapped)
{
    static const uint8_t text[32] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
    const uint64_t addr = 0x40000;
    struct jw_buf wrappers = GEN_BUF;
    uint64_t offsets[GEN_MAX] = {0};
    size_t n = offsets_of(fat, offsets);

    gen_wrappers(&wrappers, 1, wrapped ? addr : 0, offsets, n);
    if (!wrapped) /* as lld leaves them: the pointer is filled in by the loader */
        for (size_t i = 0; i < n; i++)
            gen_set64(&wrappers, i * JW_FAT_WRAPPER + 8, 0);
    const struct gen_section s[] = {
        {.name = ".text", .data = {text, sizeof text}, .align = 16},
        {.name = ".nv_fatbin", .data = fat, .addr = addr},
        {.name = ".nvFatBinSegment", .data = jw_buf_bytes(&wrappers), .addr = 0x4000000}};
    struct gen_host h = gen_elf(out, (struct gen_elf){0}, s, JW_COUNT(s));

    jw_buf_free(&wrappers);
    return h;
}

static void pe_headers(struct jw_buf *out, size_t n)
{
    uint8_t dos[64] = "MZ";

    jw_put32(dos + 0x3c, sizeof dos);
    jw_buf_add(out, dos, sizeof dos);
    jw_buf_add(out, "PE\0", 4);
    gen_put16(out, 0x8664);
    gen_put16(out, n);
    gen_put32(out, 0);
    gen_put32(out, 0);
    gen_put32(out, 0);
    gen_put16(out, 240);
    gen_put16(out, 0x2022);
    size_t optional = out->n;
    gen_put16(out, 0x20b);
    jw_buf_fill(out, 0, 238);
    gen_set64(out, optional + 24, GEN_IMAGE_BASE);
    gen_set32(out, optional + 32, 0x1000);
    gen_set32(out, optional + 36, 512);
}

static void pe_section(struct jw_buf *out, const char *name, uint64_t vsize, uint64_t va,
                       uint64_t raw, uint64_t at)
{
    char eight[8] = {0};

    memcpy(eight, name, strlen(name) < 8 ? strlen(name) : 8);
    jw_buf_add(out, eight, sizeof eight);
    gen_put32(out, vsize);
    gen_put32(out, va);
    gen_put32(out, raw);
    gen_put32(out, at);
    jw_buf_fill(out, 0, 12);
    gen_put32(out, 0x40000040);
}

struct gen_host gen_pe(struct jw_buf *out, const struct gen_section *sections, size_t n)
{
    struct gen_host h = {.n = n, .header = 64};
    size_t start = out->n;
    uint64_t at, va = 0x1000;

    pe_headers(out, n);
    h.table = out->n - start;
    at = jw_align(h.table + 40 * n, 512);
    for (size_t i = 0; i < n; i++) {
        const struct gen_section *s = &sections[i];
        uint64_t raw = jw_align(s->data.n, 512), vsize = s->size ? s->size : s->data.n;

        h.at[i] = at;
        va = s->addr ? s->addr - GEN_IMAGE_BASE : va;
        h.addr[i] = GEN_IMAGE_BASE + va;
        pe_section(out, s->name, vsize, va, raw, at);
        at += raw;
        va = jw_align(va + vsize, 0x1000);
    }
    for (size_t i = 0; i < n; i++) {
        jw_buf_fill(out, 0, (size_t)(start + h.at[i] - out->n));
        jw_buf_add(out, sections[i].data.p, sections[i].data.n);
    }
    jw_buf_fill(out, 0, (size_t)(jw_align(out->n - start, 512) - (out->n - start)));
    gen_check(out);
    return h;
}
